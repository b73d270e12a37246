"""`rummy rules`: what the options of a rule set are, may be, and mean."""

from typing import Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from rummy_env.presets import PRESETS
from rummy_env.rules import RuleSet


def rules(
    source: Annotated[
        str, typer.Argument(metavar="[PRESET|YAML]", help=f"One of {', '.join(PRESETS)}, or the path of a YAML file.")
    ] = "contract_rummy",
) -> None:
    """Explain the options of a rule set: their value (as in a YAML file), what else is allowed, and what it means."""
    shown = RuleSet.load(source)
    values = shown.to_dict()
    console = Console(highlight=False)
    for option in RuleSet.options():
        console.print(Text(option.name, style="bold").append(f": {yaml_value(values[option.name])}", style="not bold"))
        console.print(Padding(Text(option.help).append(f"\nallowed: {option.values}", style="dim"), (0, 0, 1, 4)))
    console.print(f"presets: {', '.join(PRESETS)}")


def yaml_value(value: object) -> str:
    """A value as it is written in a YAML file of rules."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)
