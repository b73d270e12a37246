"""`rummy play`: a game against agents in the terminal."""

from pathlib import Path
from typing import Annotated

import typer

from rummy_env.cli.options import Players, Seed, Variant
from rummy_env.errors import MissingExtraError
from rummy_env.game import Game
from rummy_env.play.session import Session
from rummy_env.record import find_record


def play(
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="[AGENT]...", help="Who plays: one for all seats, or one for each.")
    ] = None,
    variant: Variant = "contract_rummy",
    players: Players = None,
    seed: Seed = 0,
    seat: Annotated[int, typer.Option(min=0, help="Your seat.")] = 0,
    hints: Annotated[str, typer.Option(help="The agent that gives hints.")] = "planner",
    save: Annotated[Path, typer.Option(help="Where the game is saved to when you press s.")] = Path("rummy.jsonl"),
    resume: Annotated[Path | None, typer.Option(help="Go on with the first game of this file.")] = None,
) -> None:
    """Play against agents in the terminal."""
    try:
        from rummy_env.play.app import PlayApp
    except ImportError as error:
        raise MissingExtraError(f"the game needs Textual ({error}): pip install 'rummy-env[play]'") from error
    others = agents or ["cautious"]
    if resume is not None:
        session = Session.resume(find_record(resume, 1), seat, others, hints)
    else:
        session = Session(Game(variant, players, seed), seat, others, hints)
    PlayApp(session, save if resume is None else resume).run()
