"""Tune the weights of a player by random search in the arena, and confirm the best on other deals.

python -m baselines.tune planner --variant basic_rummy --players 2 --against greedy --minutes 5 --seed 1 --write
"""

import argparse
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from baselines.tuned import Weight
from rummy_env import RuleSet
from rummy_env.arena import Match, run

FOLDER = Path(__file__).parent / "weights"
RANDOM_SHARE = 0.35
"""Share of the time in which candidates are drawn anew; after it the best so far are varied."""
FINALISTS = 6
CONFIRMING = 5
"""So many times the deals of a candidate confirm a finalist."""


def margin(candidate: Any, arguments: argparse.Namespace, deals: int, seed: int) -> tuple[float, float, float]:
    """Points a deal by which a player is better than the opponents, on average, and the ends of the interval."""
    results = []
    for opponent in arguments.against:
        match = Match([candidate, opponent], arguments.variant, num_players=arguments.players, deals=deals, seed=seed)
        results.append(run(match, workers=1).pairs[0].points)
    width = sum(((result.high - result.low) / 2) ** 2 for result in results) ** 0.5 / len(results)
    mean = sum(result.value for result in results) / len(results)
    return mean, mean - width, mean + width


def drawn(weights: dict[str, Weight], rng: np.random.Generator) -> dict[str, float]:
    """Weights anywhere between their bounds."""
    return {name: float(rng.uniform(weight.low, weight.high)) for name, weight in weights.items()}


def varied(
    weights: dict[str, Weight], parent: dict[str, float], width: float, rng: np.random.Generator
) -> dict[str, float]:
    """Weights near those of `parent`."""
    child = dict(parent)
    for name, weight in weights.items():
        if rng.random() < 0.4:
            step = rng.normal() * width * (weight.high - weight.low)
            child[name] = float(np.clip(child[name] + step, weight.low, weight.high))
    return child


def search(player: Any, weights: dict[str, Weight], arguments: argparse.Namespace) -> list[dict[str, float]]:
    """The best candidates, on the deals of the first seed."""
    rng = np.random.default_rng(arguments.seed)
    scored: list[tuple[float, dict[str, float]]] = []
    start = time.monotonic()
    while (used := (time.monotonic() - start) / (60 * arguments.minutes)) < 1:
        if used < RANDOM_SHARE or not scored:
            candidate = drawn(weights, rng)
        else:
            parent = scored[int(rng.integers(min(FINALISTS, len(scored))))][1]
            candidate = varied(weights, parent, 0.2 * (1 - used) + 0.03, rng)
        scored.append((margin(player(**candidate), arguments, arguments.deals, arguments.seed)[0], candidate))
        scored.sort(key=lambda pair: -pair[0])
        print(f"\r{len(scored)} candidates, best {scored[0][0]:+.2f} points a deal", end="", file=sys.stderr)
    print(file=sys.stderr)
    return [{name: round(value, 3) for name, value in candidate.items()} for _, candidate in scored[:FINALISTS]]


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m baselines.tune", description=__doc__.splitlines()[0])
    parser.add_argument("player", choices=["planner", "cautious"])
    parser.add_argument("--variant", required=True, help="a preset or a YAML file")
    parser.add_argument("--players", type=int, required=True)
    parser.add_argument("--against", nargs="+", required=True, help="agents to be better than, on average")
    parser.add_argument("--deals", type=int, default=400, help="deals for each candidate and opponent")
    parser.add_argument("--minutes", type=float, default=5.0, help="time to search")
    parser.add_argument("--seed", type=int, default=1, help="seed of the search; the next one confirms")
    parser.add_argument("--write", action="store_true", help="keep the result in the folder weights")
    arguments = parser.parse_args()

    module = import_module(f"baselines.{arguments.player}")
    player, group = getattr(module, arguments.player.title()), _group(arguments.variant)
    weights = module.WEIGHTS
    finalists = search(player, weights, arguments)
    deals = CONFIRMING * arguments.deals
    confirmed = [(margin(player(**one), arguments, deals, arguments.seed + 1), one) for one in finalists]
    (value, low, high), best = max(confirmed, key=lambda pair: pair[0][0])
    report = {
        "weights": best,
        "provenance": {
            "command": "python -m baselines.tune " + " ".join(sys.argv[1:]),
            "points a deal": f"{value:+.2f} ({low:+.2f} to {high:+.2f})",
            "confirmed on": f"{deals} deals of seed {arguments.seed + 1}",
        },
    }
    print(yaml.safe_dump({group: report}, sort_keys=False))
    if arguments.write:
        _write(arguments.player, group, report)


def _group(variant: str) -> str:
    return "contracts" if RuleSet.load(variant).contracts else "free"


def _write(player: str, group: str, report: dict[str, Any]) -> None:
    path = FOLDER / f"{player}.yaml"
    stored = yaml.safe_load(path.read_text("utf-8")) if path.exists() else {}
    path.write_text(yaml.safe_dump({**stored, group: report}, sort_keys=False), "utf-8")


if __name__ == "__main__":
    main()
