"""`rummy show`: one game as text, turn by turn."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from rummy_env.cli.options import Players, Seed, Variant
from rummy_env.cli.random_play import random_actions
from rummy_env.game import Game
from rummy_env.record import find_record
from rummy_env.render.cards import import_pygame
from rummy_env.render.image import Move, render_image, write_image
from rummy_env.render.text import deal_text, render_text, seat_name


def show(
    variant: Variant = "contract_rummy",
    players: Players = None,
    seed: Seed = 0,
    record: Annotated[Path | None, typer.Option(help="Show a game of this record file instead.")] = None,
    game: Annotated[int, typer.Option(min=1, help="Which game of the record file, from 1.")] = 1,
    deals: Annotated[int, typer.Option(min=1, help="Stop after so many deals.")] = 1,
    turns: Annotated[int | None, typer.Option(min=1, help="Stop after so many turns.")] = None,
    tables: Annotated[bool, typer.Option("--tables", help="Show the table before every turn.")] = False,
    picture: Annotated[Path | None, typer.Option(help="Write the last table to this file, as a PNG.")] = None,
) -> None:
    """Show one game among random legal players, or a recorded one, turn by turn, all cards face up."""
    if picture is not None:
        import_pygame()
    if record is None:
        played = Game(variant, players, seed)
        actions: Iterable[int] = random_actions(played, seed)
    else:
        found = find_record(record, game)
        played, actions = found.start_game(), found.actions
    moves = _show(played, actions, deals, turns, tables)
    if picture is not None:
        write_image(render_image(played, moves=moves), picture)


def _show(game: Game, actions: Iterable[int], deals: int, turns: int | None, tables: bool) -> list[Move]:
    """Tell a game until so many deals or turns are over; the moves told."""
    colour = Console().color_system is not None
    moves: list[Move] = []
    words: list[str] = []
    head = ""
    turns_left, deals_left, deal_begins = turns, deals, True
    for action in actions:
        if not words:
            head = f"turn {game.to_dict()['turn'] + 1}, {seat_name(game.player)}"
            if tables or deal_begins:
                typer.echo(f"\n{render_text(game, colour=colour)}\n")
            deal_begins = False
        words.append(game.describe(action))
        moves.append((game.player, action))
        summary = game.apply(action)
        if summary is not None or game.phase == "draw":
            typer.echo(f"{head}: {', '.join(words)}")
            words.clear()
            turns_left = None if turns_left is None else turns_left - 1
        if summary is not None:
            typer.echo(deal_text(summary))
            deals_left, deal_begins = deals_left - 1, True
        if not deals_left or turns_left == 0:
            break
    if words:
        typer.echo(f"{head}: {', '.join(words)} …")
    if game.over is not None:
        typer.echo(f"\n{render_text(game, colour=colour)}")
    elif not deals_left:
        typer.echo(f"the game goes on; `--deals {deals + 1}` shows the next deal too")
    return moves
