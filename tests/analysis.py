"""Random hands on which the engine's analysis is held against the slow answers of `tests.brute_analysis`."""

import random
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from rummy_env import RuleSet
from rummy_env.cards import FACE_TEXT, parse_face
from rummy_env.engine.all_at_once import all_at_once_needs
from rummy_env.engine.compile import compile_rules
from rummy_env.engine.distance import contract_needs
from rummy_env.engine.partition import best_partition, meld_outs
from rummy_env.engine.partition_search import MELD_COLUMNS, search_partition
from tests.brute_analysis import all_at_once_distance, distance, melded_points

JOKER = "JK"
CONTRACTS = ((2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3))
CHUNK = 100
NOTEWORTHY = (
    *(f"contract {sets} + {runs}" for sets, runs in CONTRACTS),
    "equal cards",
    "joker limit binds",
    "distance 0",
    "distance 5 or more",
    "spare card",
    "card not spare",
    "out",
    "no out",
    "all at once",
    "all at once, distance 0",
    "partition with jokers",
    "partition with equal cards",
    "partition, all melded",
)


class Difference(NamedTuple):
    """A hand on which the engine and the slow answer differ."""

    hand: str
    question: str
    options: dict[str, Any]
    engine: object
    slow: object


class Planes(NamedTuple):
    """A hand as the engine takes it: naturals held at least 1, 2, 3 times, and jokers."""

    first: int
    second: int
    third: int
    jokers: int


def planes(hand: list[str]) -> Planes:
    copies = Counter(hand)
    masks = [sum(1 << parse_face(face) for face in copies if face != JOKER and copies[face] > k) for k in range(3)]
    return Planes(*masks, copies[JOKER])


def _deck(rng: random.Random, packs: int) -> list[str]:
    """Naturals to deal hands from: often only some of the pack, so that hands are close to melds."""
    ranks, suits = rng.choice([("A23456789TJQK", "CDHS"), ("A2349TJQK", "CDHS"), ("A23QK", "CDHS"), ("3456789", "CD")])
    return [face for face in FACE_TEXT[:52] if face[0] in ranks and face[1] in suits] * packs


def _hand(rng: random.Random, packs: int, jokers: int, size: int) -> list[str]:
    deck = _deck(rng, packs)
    rng.shuffle(deck)
    return deck[: size - jokers] + [JOKER] * jokers


def compare_chunk(chunk: int, seed: int) -> tuple[Counter[str], list[Difference]]:
    """Compare `CHUNK` hands of each kind; what was seen, and the differences."""
    rng = random.Random(f"{seed} {chunk}")
    seen: Counter[str] = Counter()
    differences = []
    for _ in range(CHUNK):
        seen["hands"] += 3
        differences += [*_compare_contract(rng, seen), *_compare_all_at_once(rng, seen), *_compare_partition(rng, seen)]
    return seen, differences


def _compare_needs(rng, seen, hand, question, options, needs, slow_distance):
    """Compare the distance and, where it agrees, some of the spare and of the helpful faces."""

    def difference(what: str, engine: object, slow: object) -> Difference:
        return Difference(" ".join(hand), f"{question}: {what}", options, engine, slow)

    asked = slow_distance(hand)
    if asked != needs[0]:
        return [difference("distance", int(needs[0]), asked)]
    found = []
    free, outs = int(needs[1]), int(needs[2])
    for face in rng.sample(sorted(set(hand)), min(3, len(set(hand)))):
        rest = hand.copy()
        rest.remove(face)
        spare = slow_distance(rest) <= asked
        seen["spare card" if spare else "card not spare"] += 1
        if spare != bool(free >> parse_face(face) & 1):
            found.append(difference(f"{face} is spare", not spare, spare))
    for face in [*rng.sample(FACE_TEXT[:52], 3), JOKER]:
        if hand.count(face) == 3 and face != JOKER:
            continue
        helps = slow_distance([*hand, face]) < asked
        seen["out" if helps else "no out"] += 1
        if helps != bool(outs >> parse_face(face) & 1):
            found.append(difference(f"{face} is an out", not helps, helps))
    return found


def _compare_contract(rng: random.Random, seen: Counter[str]) -> list[Difference]:
    packs, contract = rng.choice([1, 1, 2, 3]), rng.choice(CONTRACTS)
    options = {
        "num_decks": packs,
        "num_jokers": 4,
        "contract_runs_suit_rule": rng.choice(["distinct", "not_adjacent", "free"]),
        "min_naturals_per_meld": rng.choice([1, 1, 2, 3]),
        "ace_mode": rng.choice(["both", "both", "low"]),
    }
    rules = RuleSet.preset("contract_rummy").replace(deck_policy="explicit", **options)
    hand = _hand(rng, packs, rng.choice([0, 0, 1, 2, 3, 4]), rng.randint(5, 13))
    needs = np.zeros(3, np.int64)
    held = planes(hand)
    contract_needs(compile_rules(rules, 3), *held, *contract, needs)
    seen[f"contract {contract[0]} + {contract[1]}"] += 1
    seen["equal cards"] += held.second != 0
    seen["distance 0"] += needs[0] == 0
    seen["distance 5 or more"] += needs[0] >= 5
    if held.jokers > 3 - rules.min_naturals_per_meld:
        unlimited = compile_rules(rules.replace(min_naturals_per_meld=1), 3)
        least = np.zeros(3, np.int64)
        contract_needs(unlimited, *held, *contract, least)
        seen["joker limit binds"] += least[0] < needs[0]
    fields = rules.to_dict()
    return _compare_needs(
        rng, seen, hand, f"contract {contract}", options, needs, lambda cards: distance(cards, contract, fields)
    )


def _compare_all_at_once(rng: random.Random, seen: Counter[str]) -> list[Difference]:
    options = {"ace_mode": rng.choice(["both", "low"])}
    rules = RuleSet.preset("contract_rummy").replace(**options)
    runs = rng.choice([2, 3, 3, 4])
    total = rng.randint(3 * runs, 14)
    packs = rng.choice([1, 2])
    deck = [face for face in FACE_TEXT[:52] if rng.random() < 0.6] * packs
    jokers = rng.choice([0, 1, 2])
    rng.shuffle(deck)
    hand = deck[: total - jokers - rng.choice([0, 1])] + [JOKER] * jokers
    if rng.random() < 0.3:
        hand = [f"{rank}{suit}" for suit in "CDHS"[:runs] for rank in "3456"][:total]
    needs = np.zeros(3, np.int64)
    all_at_once_needs(compile_rules(rules, 3), *planes(hand), 0, runs, total, needs)
    seen["all at once"] += 1
    seen["all at once, distance 0"] += needs[0] == 0
    fields = rules.to_dict()
    return _compare_needs(
        rng,
        seen,
        hand,
        f"{runs} runs of {total} cards",
        options,
        needs,
        lambda cards: all_at_once_distance(cards, runs, total, fields),
    )


def _compare_partition(rng: random.Random, seen: Counter[str]) -> list[Difference]:
    packs = rng.choice([1, 1, 2])
    options = {
        "num_decks": packs,
        "num_jokers": rng.choice([0, 1, 4]),
        "ace_mode": rng.choice(["both", "low"]),
        "ace_value": rng.choice([15, 1, 0]),
        "min_naturals_per_meld": rng.choice([1, 1, 2, 3]),
        "layoff_on_sets": rng.choice([True, True, False]),
        "allow_double_ace_run": rng.choice([True, False]),
    }
    rules = RuleSet.preset("basic_rummy").replace(deck_policy="explicit", **options)
    compiled, fields = compile_rules(rules, 2), rules.to_dict()
    points = {face: int(compiled[0].points[index]) for index, face in enumerate(FACE_TEXT)}
    hand = _hand(rng, packs, min(options["num_jokers"], rng.choice([0, 0, 1, 2, 3])), rng.randint(4, 13))
    held = planes(hand)
    asked, found = melded_points(hand, fields, points), best_partition(compiled, *held)
    seen["partition with jokers"] += held.jokers > 0
    seen["partition with equal cards"] += held.second != 0
    seen["partition, all melded"] += found == sum(points[face] for face in hand)

    def difference(what: str, engine: object, slow: object) -> Difference:
        return Difference(" ".join(hand), f"partition: {what}", options, engine, slow)

    if found != asked:
        return [difference("points", found, asked)]
    searched = search_partition(compiled, *held, np.zeros((8, MELD_COLUMNS), np.int64))[0]
    if searched != asked:
        return [difference("points by search", searched, asked)]
    differences, outs = [], meld_outs(compiled, *held)
    for face in [*rng.sample(FACE_TEXT[:52], 3), JOKER]:
        if hand.count(face) == packs if face != JOKER else options["num_jokers"] == 0:
            continue
        helps = melded_points([*hand, face], fields, points) > asked
        if helps != bool(outs >> parse_face(face) & 1):
            differences.append(difference(f"{face} is an out", not helps, helps))
    return differences
