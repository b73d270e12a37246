"""Options that several commands share."""

from typing import Annotated

import typer

from rummy_env.errors import ArgumentError
from rummy_env.record import Record

Variant = Annotated[str, typer.Option(help="Name of a preset, or path of a YAML file with rules.")]
Players = Annotated[int | None, typer.Option(help="Seats at the table; the usual number of the rules if left out.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the first game and of its players.")]


def check_seat(seat: int | None, record: Record) -> None:
    """Refuse a ``--seat`` that is not at the table of a game, by an `ArgumentError`."""
    if seat is not None and seat >= record.num_players:
        raise ArgumentError(f"--seat {seat} is not at the table: choose 0 … {record.num_players - 1}")
