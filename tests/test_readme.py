"""What the README shows runs, and the files beside it agree with the package."""

import re

import pytest
import yaml

from rummy_env.rules import RuleSet
from rummy_env.version import __version__
from tests.pages import ROOT, blocks, run, skip_without_its_libraries

PAGE = ROOT / "README.md"
README = PAGE.read_text("utf-8")
FIRST_LOOP, GYMNASIUM, GAME, TRAINING = blocks(PAGE, "python")


def test_the_examples_are_short():
    assert FIRST_LOOP.count("\n") <= 15
    assert TRAINING.count("\n") <= 40


@pytest.mark.parametrize("code", [FIRST_LOOP, GYMNASIUM, GAME], ids=["first_loop", "gymnasium", "game"])
def test_the_python_examples_run(code):
    assert run(code, "-W", "error")


def test_the_training_program_runs():
    """With one collection of experience instead of many."""
    skip_without_its_libraries(TRAINING)
    short = TRAINING.replace("STEPS = 200_000", "STEPS = 8_192")
    assert short != TRAINING
    printed = run(short, "-W", "error")
    assert "472 actions, 8192 steps, 0 of them illegal" in printed
    assert printed.count(", 0 illegal actions") == 2


@pytest.mark.parametrize("text", blocks(PAGE, "yaml"))
def test_the_rules_are_rules(text):
    RuleSet.load(yaml.safe_load(text))


def test_the_options_named_in_the_readme_exist():
    named = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\|.*\|$", README, re.M))))
    assert named <= {option.name for option in RuleSet.options()}
    assert len(named) > 10


def test_the_paths_named_in_the_readme_exist():
    tree = re.search(r"^```\n(configs/.*?)^```$", README, re.S | re.M)[1]
    folder = ""
    for line in tree.splitlines():
        for path in re.findall(r"(?:^|\s)([\w.]+(?:/|\.py))(?=\s|$)", line):
            folder = "" if not line.startswith(" ") else folder
            assert (ROOT / folder / path).exists(), path
        if line.startswith("rummy_env/"):
            folder = "rummy_env"


def test_the_version_is_the_same_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert __version__ in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
