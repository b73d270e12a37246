"""Tune the weights of a player by random search in the arena, and confirm the best on other deals.

python -m baselines.tune planner --variant basic_rummy --players 2 --against greedy --candidates 300 --seed 1 --write

The search begins with the weights that are stored now, so it can be carried on.
"""

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from baselines.tuned import Weight, tuned_weights
from rummy_env import RuleSet
from rummy_env.arena import Match, run
from rummy_env.arena.chunk import DEALS, POINTS
from rummy_env.arena.play import play_chunk

FOLDER = Path(__file__).parent / "weights"
RANDOM_SHARE = 0.35
"""Share of the candidates that are drawn anew; after them the best so far are varied."""
FINALISTS = 6
CONFIRMING = 5
"""So many times the deals of a candidate confirm a finalist."""


def margin(candidate: Any, arguments: argparse.Namespace, deals: int, seed: int) -> tuple[float, float, float]:
    """Points a deal by which a player is better than the opponents, on average, and the ends of the interval."""
    results = [run(match).pairs[0].points for match in _matches(candidate, arguments, deals, seed)]
    width = sum(((result.high - result.low) / 2) ** 2 for result in results) ** 0.5 / len(results)
    mean = sum(result.value for result in results) / len(results)
    return mean, mean - width, mean + width


def score(candidate: Any, arguments: argparse.Namespace) -> float:
    """The margin alone, on the deals of the search."""
    matches = _matches(candidate, arguments, arguments.deals, arguments.seed)
    outcomes = np.array([play_chunk(match, 0, match.units).outcomes.sum(axis=(0, 1)) for match in matches])
    return float((outcomes[:, POINTS] / outcomes[:, DEALS]).mean())


def _matches(candidate: Any, arguments: argparse.Namespace, deals: int, seed: int) -> list[Match]:
    return [
        Match([candidate, opponent], arguments.variant, num_players=arguments.players, deals=deals, seed=seed)
        for opponent in arguments.against
    ]


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
    stored = tuned_weights(arguments.player)[_group(arguments.variant)]
    scored: list[tuple[float, dict[str, float]]] = []
    for number in range(arguments.candidates):
        used = number / arguments.candidates
        if number == 0:
            candidate = stored
        elif used < RANDOM_SHARE:
            candidate = drawn(weights, rng)
        else:
            parent = scored[int(rng.integers(min(FINALISTS, len(scored))))][1]
            candidate = varied(weights, parent, 0.2 * (1 - used) + 0.03, rng)
        scored.append((score(player(**candidate), arguments), candidate))
        scored.sort(key=lambda pair: -pair[0])
        print(f"\r{number + 1} candidates, best {scored[0][0]:+.2f} points a deal", end="", file=sys.stderr)
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
    parser.add_argument("--candidates", type=int, default=300, help="weights to try")
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
