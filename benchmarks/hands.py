"""Microseconds for one exact answer about a hand, on one core: ``python -m benchmarks.hands [--json] [--seconds S]``.

Random hands, each asked in turn; every figure is the best of `REPEATS` runs. Row names:

- ``needs/SETS+RUNS/PACKS``: distance, spare cards and outs for a contract, of hands of the usual size and a card.
- ``whole/0+3/1``: the same where 13 cards must go down at once.
- ``partition/CARDS/PACKS`` and ``outs/CARDS/PACKS``: the best partition into melds, and the cards that would better it.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial

import numpy as np

from benchmarks.measure import SEED, Row, measure
from rummy_env import RuleSet
from rummy_env.cards import JOKER
from rummy_env.engine.all_at_once import all_at_once_needs
from rummy_env.engine.compile import compile_rules
from rummy_env.engine.distance import contract_needs
from rummy_env.engine.jit import kernel
from rummy_env.engine.partition import best_partition, meld_outs

CONTRACTS = ((2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3))
HANDS = 1000


@kernel
def _ask_needs(rules, hands, sets, runs, needs):
    for hand in range(len(hands)):
        contract_needs(rules, hands[hand, 0], hands[hand, 1], hands[hand, 2], hands[hand, 3], sets, runs, needs)


@kernel
def _ask_whole(rules, hands, runs, cards, needs):
    for hand in range(len(hands)):
        first, second, third, jokers = hands[hand, 0], hands[hand, 1], hands[hand, 2], hands[hand, 3]
        all_at_once_needs(rules, first, second, third, jokers, 0, runs, cards, needs)


@kernel
def _ask_partition(rules, hands, needs):
    for hand in range(len(hands)):
        needs[0] = best_partition(rules, hands[hand, 0], hands[hand, 1], hands[hand, 2], hands[hand, 3])


@kernel
def _ask_outs(rules, hands, needs):
    for hand in range(len(hands)):
        needs[0] = meld_outs(rules, hands[hand, 0], hands[hand, 1], hands[hand, 2], hands[hand, 3])


def random_hands(size: int, packs: int, jokers: int) -> np.ndarray:
    """`HANDS` hands of `size` cards, int64, shape (HANDS, 4): naturals held at least 1, 2, 3 times, and jokers."""
    rng = np.random.default_rng(SEED)
    deck = np.array([*range(JOKER)] * packs + [JOKER] * jokers)
    hands = np.zeros((HANDS, 4), np.int64)
    for hand in hands:
        counts = np.bincount(rng.choice(deck, size, replace=False), minlength=JOKER + 1)
        for copies in (1, 2, 3):
            hand[copies - 1] = sum(1 << face for face in range(JOKER) if counts[face] >= copies)
        hand[3] = counts[JOKER]
    return hands


def _row(name: str, ask: Callable[[], object], seconds: float) -> Row:
    def run(rounds: int) -> int:
        for _ in range(rounds):
            ask()
        return rounds * HANDS

    return measure(name, run, seconds)


def hand_rows(seconds: float) -> Iterator[Row]:
    """All rows, with answers a second as their speed."""
    needs = np.zeros(3, np.int64)
    for packs, jokers in ((1, 1), (2, 2)):
        rules = compile_rules(RuleSet.preset("contract_rummy"), 4 if packs == 1 else 5)
        for sets, runs in CONTRACTS:
            hands = random_hands(13 if sets + runs == 3 and runs else 11, packs, jokers)
            ask = partial(_ask_needs, rules, hands, sets, runs, needs)
            yield _row(f"needs/{sets}+{runs}/{packs}", ask, seconds)
        if packs == 1:
            ask = partial(_ask_whole, rules, random_hands(13, packs, jokers), 3, 13, needs)
            yield _row("whole/0+3/1", ask, seconds)
    for packs, size in ((1, 7), (1, 11), (1, 14), (2, 11)):
        rules = compile_rules(RuleSet.preset("basic_rummy").replace(num_decks=packs), 2)
        hands = random_hands(size, packs, 0)
        yield _row(f"partition/{size}/{packs}", partial(_ask_partition, rules, hands, needs), seconds)
        yield _row(f"outs/{size}/{packs}", partial(_ask_outs, rules, hands, needs), seconds)


def main() -> None:
    """Run all measurements and print them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hands", description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--seconds", type=float, default=1.0, help="time spent on each row")
    arguments = parser.parse_args()
    if arguments.seconds <= 0:
        parser.error("--seconds must be more than 0")
    rows = list(hand_rows(arguments.seconds))
    if arguments.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return
    for row in rows:
        print(f"{row.name:24} {1e6 / row.decisions_per_s:10.3f} µs")


if __name__ == "__main__":
    main()
