"""`rummy serve`: games against agents in the browser."""

from typing import Annotated

import typer

from rummy_env.cli.options import Players, Variant
from rummy_env.errors import MissingExtraError

MAX_SEED = 10**15 - 1
"""Largest number that the form of the page takes; `rummy_env.serve` is imported where it is needed only."""


def serve(
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="[AGENT]...", help="Who plays: one for all seats, or one for each.")
    ] = None,
    variant: Variant = "contract_rummy",
    players: Players = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=MAX_SEED, help="Seed of the games; a random one for each if left out.")
    ] = None,
    seat: Annotated[int, typer.Option(min=0, help="Your seat.")] = 0,
    hints: Annotated[str, typer.Option(help="The agent that gives hints.")] = "planner",
    host: Annotated[str, typer.Option(help="Where to listen; only this machine can reach 127.0.0.1.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; any free one if 0.")] = 8000,
) -> None:
    """Play against agents in the browser: a page that this machine serves. The options fill its form."""
    try:
        from rummy_env.serve.app import run
        from rummy_env.serve.lobby import Lobby
    except ImportError as error:
        raise MissingExtraError(f"the page needs FastAPI ({error}): pip install 'rummy-env[serve]'") from error
    lobby = Lobby(variant, players, agents or ["cautious"], seat, seed, hints)
    typer.echo("Getting ready; the first start takes a minute or two …", err=True)
    lobby.warm_up()
    run(lobby, host, port, lambda address: typer.echo(f"Play at {address} (Ctrl+C stops)"))
