# `make demo` and `make test` work on a fresh clone: what they need goes into .venv first.

PYTHON ?= python3
VENV ?= .venv
LIBRARIES_VENV ?= .venv-libraries
WORKERS ?= 2

BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest -n $(WORKERS)
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# Narrated positions reach every rule and stay quick without the compiler.
INTERPRETED_TESTS := tests/test_basic_examples.py tests/test_contract_examples.py

.DEFAULT_GOAL := help
.PHONY: help venv demo test test-bounds test-interpreted test-train test-libraries test-screen lint docs bench clean

help:
	@echo "make demo              play games of both rummies, then train a player of Basic Rummy for two minutes"
	@echo "make test              run the tests"
	@echo "make test-bounds       run the tests with bounds checking in the engine"
	@echo "make test-interpreted  run the tests of the rules on the engine as plain Python"
	@echo "make test-train        run the tests of training, with PyTorch and Stable-Baselines3 (installs them)"
	@echo "make test-libraries    run what TorchRL, RLlib, OpenSpiel and Tianshou do here (own environment)"
	@echo "make test-screen       run the tests of what is seen: videos, pages in Chromium, the terminal game"
	@echo "make lint              check style, format and types"
	@echo "make docs              build the documentation site into site/"
	@echo "make bench             measure decisions a second"
	@echo "make venv              install everything for development into $(VENV)"
	@echo "make clean             remove $(VENV) and what was built or cached here"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing rummy-env into $(VENV) ..."
	$(INSTALL) --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing rummy-env and the development tools into $(VENV) ..."
	$(INSTALL) --editable ".[dev]"
	@touch $@ $(VENV)/.core

$(VENV)/.train: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing rummy-env and the training libraries into $(VENV) ..."
	$(INSTALL) --editable ".[train,plot]"
	@touch $@ $(VENV)/.core

$(VENV)/.docs: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing the documentation tools into $(VENV) ..."
	$(INSTALL) --editable ".[docs]"
	@touch $@ $(VENV)/.core

venv: $(VENV)/.dev

demo: $(VENV)/.train
	$(BIN)/rummy demo
	rm -rf runs/demo
	$(BIN)/python -m training.ppo --config configs/train/demo.yaml

test: $(VENV)/.dev
	$(PYTEST)

test-bounds: $(VENV)/.dev
	NUMBA_BOUNDSCHECK=1 $(PYTEST)

test-interpreted: $(VENV)/.dev
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(INTERPRETED_TESTS)

test-train: $(VENV)/.dev $(VENV)/.train
	$(BIN)/python -m pytest tests/test_sb3.py tests/test_training.py tests/test_training_compare.py \
		tests/test_training_dmc.py tests/test_training_sb3.py tests/test_readme.py

# Ray pins an older Gymnasium than the rest is tested with.
$(LIBRARIES_VENV)/.done: pyproject.toml constraints-libraries.txt
	@echo "installing the libraries of docs/integrations into $(LIBRARIES_VENV) ..."
	$(PYTHON) -m venv $(LIBRARIES_VENV)
	$(LIBRARIES_VENV)/bin/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints-libraries.txt --editable ".[openspiel,rllib,tianshou,torchrl]" pytest
	@touch $@

test-libraries: $(LIBRARIES_VENV)/.done
	$(LIBRARIES_VENV)/bin/python -m pytest tests/test_integrations.py tests/test_openspiel.py tests/test_rllib.py \
		tests/test_training_rllib.py tests/test_arena.py

# A Chromium is not installed: its tests are skipped where there is none.
test-screen: $(VENV)/.dev
	@echo "installing the libraries of pictures, pages and the terminal game into $(VENV) ..."
	$(INSTALL) --editable ".[play,render,serve]" moviepy playwright
	$(BIN)/python -m pytest tests/test_image.py tests/test_viewer_browser.py tests/test_serve_browser.py tests/test_play.py

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(VENV)/.core
	$(BIN)/python -m benchmarks.throughput

clean:
	rm -rf $(VENV) $(LIBRARIES_VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
