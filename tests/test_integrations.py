"""The programs on the pages of `docs/integrations` run, each in a process of its own, where their library is there."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "integrations"
LIBRARIES = {
    "agilerl": "agilerl",
    "openspiel": "pyspiel",
    "rllib": "ray.rllib",
    "self_play": "torch",
    "tianshou": "tianshou",
    "torchrl": "torchrl",
}


def programs(page):
    """The Python programs of a page."""
    return re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def is_installed(library):
    """Whether a module can be found, without importing it."""
    try:
        return importlib.util.find_spec(library) is not None
    except ModuleNotFoundError:
        return False


def test_every_page_is_run():
    assert {page.stem for page in PAGES.glob("*.md")} == LIBRARIES.keys()
    assert all(programs(PAGES / f"{name}.md") for name in LIBRARIES)


@pytest.mark.parametrize("name", LIBRARIES)
def test_page(name):
    if not is_installed(LIBRARIES[name]):
        pytest.skip(f"{LIBRARIES[name]} is not installed")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "RAY_AUTH_MODE": "disabled"}
    for program in programs(PAGES / f"{name}.md"):
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stderr[-4000:]
