"""Keep the action and observation tables in the docstrings of the environments as the layouts generate them.

``python -m rummy_env.envs.docstrings`` rewrites the modules in place; a test compares.
"""

import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from rummy_env.actions import ActionLayout
from rummy_env.envs import AEC_ENVS
from rummy_env.observation import ObservationLayout
from rummy_env.rules import RuleSet

_INDENT = " " * 4


def with_tables(source: str, tables: dict[str, str]) -> str:
    """`source` with the first table of each section replaced.

    Args:
        source: Text of a module whose class docstring is indented by four spaces.
        tables: Heading of the section → Markdown table.
    """
    for heading, table in tables.items():
        pattern = rf"({_INDENT}## {re.escape(heading)}\n(?:(?!{_INDENT}[|#]).*\n)*)(?:{_INDENT}\|.*\n)+"
        indented = "".join(f"{_INDENT}{line}\n" for line in table.strip().splitlines())
        source, count = re.subn(pattern, lambda match: match[1] + indented, source, count=1)  # noqa: B023
        if not count:
            raise ValueError(f"no table under the heading {heading!r}")
    return source


def generated_tables(module: ModuleType) -> dict[str, str]:
    """Tables of the environment that `module` offers, with the usual number of players."""
    rules = RuleSet.preset(module.raw_env.default_rules)
    return {
        "Action Space": ActionLayout.for_rules(rules).table(),
        "Observation Space": ObservationLayout.for_table(rules, rules.default_num_players).table(),
    }


def module_path(module: ModuleType) -> Path:
    """File of `module`."""
    return Path(str(module.__file__))


def main() -> None:
    """Rewrite the docstrings of all environments."""
    for name in AEC_ENVS.values():
        module = import_module(name)
        path = module_path(module)
        path.write_text(with_tables(path.read_text("utf-8"), generated_tables(module)), "utf-8")
        print(path, file=sys.stderr)


if __name__ == "__main__":
    main()
