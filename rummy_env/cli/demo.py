"""`rummy demo`: complete games of both rummies through the PettingZoo interface, played by random legal players."""

from collections.abc import Mapping
from time import perf_counter
from types import ModuleType
from typing import Annotated, Any

import typer
from rich.console import Console

from rummy_env.cli.options import Seed
from rummy_env.cli.tally import Tally, tally_table
from rummy_env.game import DealSummary
from rummy_env.render.text import deal_text, render_text

MOVES_TOLD = 12
DEALS_TOLD = 7


def demo(
    games: Annotated[int, typer.Option(min=1, help="Games of each kind; the first is told.")] = 5,
    seed: Seed = 7,
) -> None:
    """Play complete games of both rummies through PettingZoo's AEC interface, by random legal players."""
    from rummy_env import basic_rummy_v0, contract_rummy_v0

    tallies = [_play_games(module, games, seed) for module in (contract_rummy_v0, basic_rummy_v0)]
    typer.echo("What happened, and how fast (random players seldom go out before the turn limit):")
    Console().print(tally_table(tallies))


def _play_games(module: ModuleType, games: int, seed: int) -> Tally:
    env = module.env()
    for index, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seed + index)
    env.reset(seed=seed)
    env.step(env.game.legal_actions()[0])  # so that compiling or loading the engine is not on the clock
    tally = Tally(env.metadata["name"], env.num_players)
    for number in range(games):
        _play_game(env, seed + number, tally, _Story(env, seed) if number == 0 else None)
    env.close()
    return tally


def _play_game(env: Any, seed: int, tally: Tally, story: "_Story | None") -> None:
    env.reset(seed=seed)
    if story:
        story.begin()
    deals = 0
    started = perf_counter()
    for agent in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        if info.get("deal", {}).get("deal", 0) > deals:
            deals += 1
            tally.add_deal(info["deal"])
            if story:
                story.deal(info["deal"])
        if terminated or truncated:
            env.step(None)
            continue
        action = env.action_space(agent).sample(observation["action_mask"])
        if story:
            story.move(agent, action)
        env.step(action)
        tally.decisions += 1
    tally.add_game(env.game.scores, env.game.winners(), perf_counter() - started)
    if story:
        story.end()


class _Story:
    """Tells a game: the first moves, the first deals, and the end."""

    def __init__(self, env: Any, seed: int) -> None:
        self.env, self.seed = env, seed
        self.moves = self.deals = 0
        self.colour = Console().color_system is not None

    def begin(self) -> None:
        name = self.env.metadata["name"]
        typer.echo(f"A game of {name} (seed {self.seed}) among {self.env.num_players} random legal players:\n")
        typer.echo(f"{render_text(self.env.game, colour=self.colour)}\n")

    def move(self, agent: str, action: int) -> None:
        if self.moves < MOVES_TOLD:
            typer.echo(f"{agent}: {self.env.game.describe(action)}")
        elif self.moves == MOVES_TOLD:
            typer.echo("…")
        self.moves += 1

    def deal(self, summary: Mapping[str, Any]) -> None:
        if self.deals < DEALS_TOLD:
            typer.echo(deal_text(DealSummary(**summary)))
        elif self.deals == DEALS_TOLD:
            typer.echo("…")
        self.deals += 1

    def end(self) -> None:
        typer.echo(f"\n{render_text(self.env.game, colour=self.colour)}\n\n")
