"""`rummy view`: a recorded game as an HTML file to step through."""

from pathlib import Path
from typing import Annotated

import typer

from rummy_env.cli.options import check_seat
from rummy_env.record import find_record
from rummy_env.viewer import page


def view(
    record: Annotated[Path, typer.Argument(help="File of records.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.")],
    game: Annotated[int, typer.Option(min=1, help="Which game of the file, from 1.")] = 1,
    seat: Annotated[
        int | None, typer.Option(min=0, help="Leave out of the file what this seat cannot see; all cards if not given.")
    ] = None,
) -> None:
    """Write a recorded game as one HTML file to step through; it needs no network."""
    found = find_record(record, game)
    check_seat(seat, found)
    output.write_text(page(found, seat), encoding="utf-8")
