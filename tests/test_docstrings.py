"""The docstrings of the environments: fixed headings, generated tables."""

import pytest

from rummy_env.envs.docstrings import generated_tables, module_path, with_tables
from tests.aec_play import every_module

HEADINGS = (
    "Description",
    "Action Space",
    "Observation Space",
    "Starting State",
    "Rewards",
    "Episode End",
    "Information",
    "Arguments",
    "Version History",
)


@every_module
def test_headings(module):
    found = [line.strip()[3:] for line in module.raw_env.__doc__.splitlines() if line.strip().startswith("## ")]
    assert tuple(found) == HEADINGS


@every_module
def test_tables_are_the_generated_ones(module):
    """Rewritten by ``python -m rummy_env.envs.docstrings``."""
    source = module_path(module).read_text("utf-8")
    assert with_tables(source, generated_tables(module)) == source


def test_missing_table():
    with pytest.raises(ValueError, match="Action Space"):
        with_tables("no table here", {"Action Space": "|a|"})
