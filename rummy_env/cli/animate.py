"""`rummy animate`: a deal of a recorded game as an animated picture."""

from pathlib import Path
from typing import Annotated

import typer

from rummy_env.cli.options import check_seat
from rummy_env.record import find_record
from rummy_env.render.animation import deal_tables, import_pillow, write_animation
from rummy_env.render.cards import import_pygame


def animate(
    record: Annotated[Path, typer.Argument(help="File of records.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="GIF file to write.")],
    game: Annotated[int, typer.Option(min=1, help="Which game of the file, from 1.")] = 1,
    deal: Annotated[int, typer.Option(min=1, help="Which deal of the game, from 1.")] = 1,
    seat: Annotated[int | None, typer.Option(min=0, help="Show the hand of this seat only; all if not given.")] = None,
    seconds: Annotated[float, typer.Option(min=1, help="How long it takes.")] = 30,
) -> None:
    """Write a deal of a recorded game as an animated GIF: the table after every turn."""
    import_pygame()
    import_pillow()
    found = find_record(record, game)
    check_seat(seat, found)
    write_animation(list(deal_tables(found, deal, seat)), output, seconds)
