"""`rummy simulate`: games among random legal players or agents, and what happened in them."""

import json
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter
from typing import Annotated, TextIO

import typer
from rich.console import Console
from rich.progress import track

from rummy_env.cli.agent_play import agent_actions, seat_agents
from rummy_env.cli.options import Players, Seed, Variant
from rummy_env.cli.random_play import random_actions
from rummy_env.cli.tally import Tally, tally_table
from rummy_env.game import Game
from rummy_env.record import write_record
from rummy_env.rules import RuleSet


def simulate(
    agents: Annotated[
        list[str] | None,
        typer.Argument(metavar="[AGENT]...", help="Who plays: one for all seats, or one for each; random if left out."),
    ] = None,
    variant: Variant = "contract_rummy",
    players: Players = None,
    games: Annotated[int, typer.Option(min=1, help="Number of games; game i (from 0) has the seed SEED + i.")] = 10,
    seed: Seed = 0,
    record: Annotated[Path | None, typer.Option(help="Write the games to this file, one JSON line each.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Play games among random legal players, or agents, and sum up what happened."""
    rules = RuleSet.load(variant)
    warm_up = Game(rules, players, seed)
    warm_up.apply(warm_up.legal_actions()[0])  # so that compiling or loading the engine is not on the clock
    tally = Tally(rules.name, warm_up.num_players)
    seated = seat_agents(agents, rules, warm_up.num_players) if agents else None
    progress = Console(stderr=True)
    with open(record, "w", encoding="utf-8") if record else nullcontext() as file:
        numbers = range(games)
        for number in track(numbers, "playing", console=progress) if progress.is_terminal else numbers:
            game = Game(rules, players, seed + number)
            _play(game, random_actions(game, game.seed) if seated is None else agent_actions(game, seated), tally, file)
    if as_json:
        typer.echo(json.dumps(tally.to_dict()))
    else:
        Console().print(tally_table([tally]))


def _play(game: Game, actions: Iterable[int], tally: Tally, file: TextIO | None) -> None:
    started = perf_counter()
    for action in actions:
        summary = game.apply(action)
        tally.decisions += 1
        if summary is not None:
            tally.add_deal(summary.to_dict())
    tally.add_game(game.scores, game.winners(), perf_counter() - started)
    if file is not None:
        write_record(file, game)
