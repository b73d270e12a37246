"""Options that several commands share."""

from typing import Annotated

import typer

Variant = Annotated[str, typer.Option(help="Name of a preset, or path of a YAML file with rules.")]
Players = Annotated[int | None, typer.Option(help="Seats at the table; the usual number of the rules if left out.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the first game and of its players.")]
