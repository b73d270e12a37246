"""Shows that the intervals of the arena are honest, and what duplicate deals are worth.

Two copies of one agent are equally strong, so 95 of 100 intervals should cover zero. And the interval over duplicate
deals is compared with that over as many games of which no two are dealt the same cards. Duplicate deals cancel the luck
of the cards, so they help where that is what decides: between agents of about the same strength.
"""

import argparse
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.greedy import Greedy
from rummy_env.agents import Agent, CompiledAgent
from rummy_env.arena import Match, run
from rummy_env.arena.chunk import POINTS
from rummy_env.arena.play import Batch
from rummy_env.arena.statistics import Estimate, bootstrap_ratios
from rummy_env.engine.batch import choose
from rummy_env.engine.jit import kernel
from rummy_env.engine.policies import Policy
from rummy_env.engine.shuffle import random_below

SEED = 1
TABLES = (("basic_rummy", 2), ("basic_rummy", 4), ("contract_rummy", 2), ("contract_rummy", 4))


_play_greedily = Greedy().policy.kernel


@kernel
def _play_carelessly(rules, views, i, words, row, parameters, stream):
    if random_below(stream, 1000) < parameters[0] * 1000:
        return choose(rules, words, row, stream)
    return _play_greedily(rules, views, i, words, row, parameters, stream)


class Careless(CompiledAgent):
    """Plays greedily, but for a share of its decisions at random."""

    def __init__(self, share: float) -> None:
        super().__init__(Policy(_play_carelessly), [share])


def coverage(variant: str, num_players: int, deals: int, repeats: int) -> float:
    """Share of matches between two copies of an agent whose interval covers zero."""
    covered = 0
    for repeat in range(repeats):
        copies = [Careless(0.1), Careless(0.1)]
        points = run(Match(copies, variant, num_players, deals=deals, seed=SEED + repeat)).pairs[0].points
        covered += points.low <= 0 <= points.high
    return covered / repeats


def duplicate_gain(agents: Sequence[str | Agent], variant: str, num_players: int, deals: int) -> dict[str, Any]:
    """Points a deal between two agents, over duplicate deals and over as many unrelated ones."""
    match = Match(agents, variant, num_players, deals=deals, seed=SEED)
    batch = Batch(match, 0, deals)
    batch.play()
    points = batch.outcomes()[:, POINTS].reshape(deals, -1)
    # Each seating of a unit is taken from another deal of the same contract: the same games, none with the same cards.
    cycle = len(match.rules.played_contracts)
    unrelated = np.stack([np.roll(column, -shift * cycle) for shift, column in enumerate(points.T)], axis=1)
    duplicate, independent = (_interval(games.mean(axis=1)) for games in (points, unrelated))
    ratio = (independent.high - independent.low) / (duplicate.high - duplicate.low)
    return {
        "duplicate": duplicate._asdict(),
        "independent": independent._asdict(),
        "times_narrower": ratio,
        "times_fewer_games": ratio**2,
    }


def _interval(values: np.ndarray) -> Estimate:
    (estimate,) = bootstrap_ratios(values[:, None], np.ones((len(values), 1)), SEED)
    assert estimate is not None
    return estimate


def main() -> None:
    """Run both and print them."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.arena_statistics", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--repeats", type=int, default=400, help="matches between two copies")
    parser.add_argument("--copies-deals", type=int, default=100, help="deals of each of these matches")
    parser.add_argument("--agents", nargs=2, help="the agents that play duplicate deals; greedy and a careless one")
    parser.add_argument("--deals", type=int, default=2000, help="duplicate deals at each table")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    arguments = parser.parse_args()

    figures: dict[str, Any] = {"coverage": {}, "duplicate_deals": {}}
    variant, num_players = TABLES[0]
    agents: Sequence[str | Agent] = arguments.agents or ["greedy", Careless(0.02)]
    share = coverage(variant, num_players, arguments.copies_deals, arguments.repeats)
    figures["coverage"] = {"repeats": arguments.repeats, "deals": arguments.copies_deals, "share": share}
    for variant, num_players in TABLES:
        gain = duplicate_gain(agents, variant, num_players, arguments.deals)
        figures["duplicate_deals"][f"{variant}/{num_players}"] = gain
    if arguments.json:
        print(json.dumps(figures, indent=2))
        return
    print(f"{share:.1%} of {arguments.repeats} intervals of two copies of one agent cover zero")
    for table, gain in figures["duplicate_deals"].items():
        print(
            f"{table}, {arguments.deals} duplicate deals: {gain['duplicate']['value']:+.2f} points a deal, interval "
            f"{gain['times_narrower']:.2f} times narrower, or {gain['times_fewer_games']:.2f} times fewer games"
        )


if __name__ == "__main__":
    main()
