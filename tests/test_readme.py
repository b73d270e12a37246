"""What the README shows runs, and the files beside it agree with the package."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from rummy_env.rules import RuleSet
from rummy_env.version import __version__

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    """The fenced blocks of the README in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.S | re.M)


def test_the_readme_has_an_example_of_each_face():
    assert len(blocks("python")) == 2
    assert blocks("python")[0].count("\n") <= 15


@pytest.mark.parametrize("code", blocks("python"))
def test_the_python_examples_run(code):
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout


@pytest.mark.parametrize("text", blocks("yaml"))
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
