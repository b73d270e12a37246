"""`rummy demo`: complete games of both rummies through the PettingZoo interface, played by random legal players."""

from time import perf_counter
from types import ModuleType
from typing import Annotated, Any

import typer
from rich.console import Console

from rummy_env.cli.options import Seed
from rummy_env.cli.show import deal_text
from rummy_env.cli.tally import Tally, tally_table
from rummy_env.game import DealSummary
from rummy_env.render.text import render_text


def demo(
    games: Annotated[int, typer.Option(min=1, help="Games of each kind; the first is told deal by deal.")] = 5,
    seed: Seed = 0,
) -> None:
    """Play complete games of both rummies through PettingZoo's AEC interface, by random legal players."""
    from rummy_env import basic_rummy_v0, contract_rummy_v0

    tallies = [_play(module, games, seed) for module in (contract_rummy_v0, basic_rummy_v0)]
    Console().print(tally_table(tallies))


def _play(module: ModuleType, games: int, seed: int) -> Tally:
    env = module.env()
    env.reset(seed=seed)
    tally = Tally(env.metadata["name"], env.num_players)
    for agent in env.possible_agents:
        env.action_space(agent).seed(seed + env.possible_agents.index(agent))
    for number in range(games):
        _play_game(env, seed + number, tally, told=number == 0)
    env.close()
    return tally


def _play_game(env: Any, seed: int, tally: Tally, told: bool) -> None:
    env.reset(seed=seed)
    if told:
        typer.echo(f"{env.metadata['name']}, seed {seed}: {env.num_players} random legal players\n")
        typer.echo(f"{render_text(env.game)}\n")
    deals_before = 0
    started = perf_counter()
    for agent in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        deal = info.get("deal")
        if deal is not None and deal["deal"] > deals_before:
            deals_before = deal["deal"]
            tally.add_deal(deal)
            if told:
                typer.echo(deal_text(DealSummary(**deal)))
        if terminated or truncated:
            env.step(None)
        else:
            env.step(env.action_space(agent).sample(observation["action_mask"]))
            tally.decisions += 1
    tally.add_game(env.game.scores, env.game.winners(), perf_counter() - started)
    if told:
        typer.echo(f"\n{render_text(env.game)}\n\n")
