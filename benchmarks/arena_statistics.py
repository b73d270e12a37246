"""Shows that the intervals of the arena are honest, and what duplicate deals are worth.

Two copies of one agent are equally strong, so 95 of 100 intervals should cover zero. And the interval over duplicate
deals is compared with that over as many games of which no two are dealt the same cards.
"""

import argparse
import json
from typing import Any

import numpy as np

from rummy_env.arena import Match, run
from rummy_env.arena.play import POINTS, Batch
from rummy_env.arena.statistics import Estimate, bootstrap_ratios

SEED = 1
TABLES = (("basic_rummy", 2), ("contract_rummy", 2), ("contract_rummy", 4))


def coverage(agent: str, variant: str, num_players: int, deals: int, repeats: int) -> float:
    """Share of matches between two copies of an agent (one that plays by chance) whose interval covers zero."""
    covered = 0
    for repeat in range(repeats):
        points = run(Match([agent, agent], variant, num_players, deals=deals, seed=SEED + repeat)).pairs[0].points
        covered += points.low <= 0 <= points.high
    return covered / repeats


def duplicate_gain(agents: list[str], variant: str, num_players: int, deals: int) -> dict[str, Any]:
    """Points a deal between two agents, over duplicate deals and over as many unrelated ones."""
    batch = Batch(Match(agents, variant, num_players, deals=deals, seed=SEED), 0, deals)
    batch.play()
    points = batch.outcomes()[:, POINTS].reshape(deals, -1)
    # Seating s of a unit is taken from the deal s units on: the same games, no two of a unit with the same cards.
    unrelated = np.stack([np.roll(column, -shift) for shift, column in enumerate(points.T)], axis=1)
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
    parser.add_argument("--copies", default="random", help="the agent that plays itself")
    parser.add_argument("--copies-deals", type=int, default=100, help="deals of each of these matches")
    parser.add_argument("--agents", nargs=2, default=["random", "greedy"], help="the agents that play duplicate deals")
    parser.add_argument("--deals", type=int, default=2000, help="duplicate deals at each table")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    arguments = parser.parse_args()

    figures: dict[str, Any] = {"coverage": {}, "duplicate_deals": {}}
    variant, num_players = TABLES[0]
    share = coverage(arguments.copies, variant, num_players, arguments.copies_deals, arguments.repeats)
    figures["coverage"] = {"repeats": arguments.repeats, "deals": arguments.copies_deals, "share": share}
    for variant, num_players in TABLES:
        gain = duplicate_gain(arguments.agents, variant, num_players, arguments.deals)
        figures["duplicate_deals"][f"{variant}/{num_players}"] = gain
    if arguments.json:
        print(json.dumps(figures, indent=2))
        return
    print(f"{share:.1%} of {arguments.repeats} intervals of two copies of {arguments.copies} cover zero")
    for table, gain in figures["duplicate_deals"].items():
        print(
            f"{table}: {' – '.join(arguments.agents)}, {arguments.deals} duplicate deals: interval "
            f"{gain['times_narrower']:.2f} times narrower, or {gain['times_fewer_games']:.2f} times fewer games"
        )


if __name__ == "__main__":
    main()
