"""Exact counts of melds and actions, and the searches of the engine against naive enumeration."""

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from positions import BASIC, CONTRACT, position

from rummy_env import ActionLayout, RuleSet
from rummy_env.cards import FACE_TEXT, JOKER
from rummy_env.engine.compile import compile_rules
from rummy_env.engine.contract import can_meet, jokers_for_sets
from rummy_env.engine.melds import run_starts, run_window, set_starts, set_window
from rummy_env.engine.state import NONE

PLAYERS = 2
DECK = range(52)


def mask(faces: Iterator[int] | set[int] | tuple[int, ...]) -> int:
    return sum(1 << face for face in faces)


# Counts


def run_of_three(suit: int, low: int) -> tuple[int, ...]:
    """Faces at three positions of a suit; 14 is the ace again."""
    return tuple(13 * suit + (place - 1) % 13 for place in range(low, low + 3))


@pytest.mark.parametrize(("rules", "number"), [(BASIC, 44), (BASIC.replace(ace_mode="both"), 48), (CONTRACT, 48)])
def test_base_runs(rules, number):
    """Four suits with eleven runs of three each, twelve where the ace is high too."""
    starts = int(compile_rules(rules, 4)[0].run_starts)
    windows = {run_window(face) for face in DECK if (starts >> face) & 1}
    top = 13 if number == 44 else 14
    assert windows == {mask(run_of_three(suit, low)) for suit in range(4) for low in range(1, top - 1)}
    assert len(windows) == number


def test_base_sets():
    """Thirteen ranks with four triples each."""
    windows = {set_window(face) for face in DECK}
    assert windows == {
        mask(13 * suit + rank for suit in suits) for rank in range(13) for suits in itertools.combinations(range(4), 3)
    }
    assert len(windows) == 52


@pytest.mark.parametrize(("ranks", "suits", "runs"), [(7, 4, 20), (3, 4, 4), (13, 2, 24), (10, 3, 24)])
def test_base_runs_of_small_decks(ranks, suits, runs):
    """The ace is high only beside a king."""
    rules = CONTRACT.replace(
        deck_ranks=ranks, deck_suits=suits, num_decks=3, contracts=((0, 1),), hand_sizes=(3,), all_at_once_deals=()
    )
    assert int(compile_rules(rules, PLAYERS)[0].run_starts).bit_count() == runs


def test_every_three_cards_of_the_deck():
    """Of 22 100 triples 48 are runs and 52 are sets, each found under its own face."""
    starts = int(compile_rules(CONTRACT, 4)[0].run_starts)
    runs, sets = {}, {}
    for triple in itertools.combinations(DECK, 3):
        cards = mask(triple)
        if run_starts(cards, starts):
            runs[triple] = run_starts(cards, starts)
        if set_starts(cards):
            sets[triple] = set_starts(cards)
    assert len(runs) == 48 and len(sets) == 52
    assert all(run_window(start.bit_length() - 1) == mask(triple) for triple, start in runs.items())
    assert all(set_window(face.bit_length() - 1) == mask(triple) for triple, face in sets.items())
    assert sorted(runs.values()) == sorted(1 << face for face in DECK if face % 13 != 12)


@pytest.mark.parametrize(
    ("rules", "size"),
    [
        (CONTRACT, 472),
        (CONTRACT.replace(discard_pickup="top"), 472 - 53),
        (CONTRACT.replace(joker_swap_scope="none"), 472 - 52),
        (CONTRACT.replace(layoff_on_sets=False), 472 - 52),
        (CONTRACT.replace(num_jokers=0, joker_swap_scope="none"), 472 - 52 - 52 - 1 - 1),
        (BASIC, 314),
        (BASIC.replace(layoff_on_sets=False), 314 - 52),
        (BASIC.replace(discard_pickup="any"), 314 + 52),
        (BASIC.replace(num_jokers=2), 314 + 52 + 1),
        (BASIC.replace(num_jokers=2, discard_pickup="any"), 314 + 52 + 1 + 53),
    ],
)
def test_the_size_of_the_action_space(rules, size):
    assert ActionLayout.for_rules(rules).num_actions == size


# Naive enumeration

Meld = tuple[str, int, tuple[int, ...], tuple[int, ...]]
"""Kind, suit or rank, places (positions or suits), and the places of jokers."""


def faces_of(meld: Meld, places: tuple[int, ...] | None = None) -> list[int]:
    kind, key, own, _ = meld
    places = own if places is None else places
    return [13 * key + (place - 1) % 13 if kind == "run" else 13 * place + key for place in places]


@cache
def naturals(meld: Meld) -> Counter[int]:
    return Counter(faces_of(meld, tuple(set(meld[2]) - set(meld[3]))))


@cache
def cost(meld: Meld) -> Counter[int]:
    return naturals(meld) + Counter({JOKER: len(meld[3])})


def all_shapes(rules: RuleSet, longest: int) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    """Every run and set of three to `longest` cards, jokers aside."""
    top = 14 if rules.ace_mode == "both" and rules.deck_ranks == 13 else rules.deck_ranks
    for suit in range(rules.deck_suits):
        for low in range(1, top - 1):
            for high in range(low + 2, min(top, low + longest - 1) + 1):
                if rules.allow_double_ace_run or (low, high) != (1, 14):
                    yield "run", suit, tuple(range(low, high + 1))
    for rank in range(rules.deck_ranks):
        for size in range(3, min(longest, 4 if rules.layoff_on_sets else 3) + 1):
            for suits in itertools.combinations(range(rules.deck_suits), size):
                yield "set", rank, suits


def fits(rules: RuleSet, kind: str, places: tuple[int, ...], by_joker: tuple[int, ...]) -> bool:
    """Whether jokers may be there: no neighbours if the rules say so, and enough naturals to begin with."""
    if kind == "run":
        bases = [places[index : index + 3] for index in range(len(places) - 2)]
        if not rules.adjacent_jokers and any(place + 1 in by_joker for place in by_joker):
            return False
    else:
        bases = list(itertools.combinations(places, 3))
    return any(len(set(base) - set(by_joker)) >= rules.min_naturals_per_meld for base in bases)


def melds_from(rules: RuleSet, hand: Counter[int], longest: int) -> list[Meld]:
    """Every meld that the hand, a Counter of faces with jokers, can pay for."""
    found = []
    for kind, key, places in all_shapes(rules, longest):
        held = sum(1 for face in faces_of((kind, key, places, ())) if hand[face])
        for jokers in range(len(places) - held, hand[JOKER] + 1):
            for by_joker in itertools.combinations(places, jokers):
                meld = (kind, key, places, by_joker)
                if naturals(meld) <= hand and fits(rules, kind, places, by_joker):
                    found.append(meld)
    return found


def agree(rules: RuleSet, meld: Meld, others: list[Meld]) -> bool:
    """Whether the suit rule lets the meld lie beside the others."""
    runs = [other for other in others if meld[0] == other[0] == "run" and meld[1] == other[1]]
    if rules.contract_runs_suit_rule == "distinct":
        return not runs
    joined = any(meld[2][-1] + 1 == other[2][0] or other[2][-1] + 1 == meld[2][0] for other in runs)
    return rules.contract_runs_suit_rule == "free" or not joined


def contracts(
    rules: RuleSet, hand: Counter[int], sets: int, runs: int, chosen: list[Meld], options: list[Meld], everything: bool
) -> Iterator[list[Meld]]:
    """Every choice of so many sets and runs that the hand can pay for; `everything`: with no card left."""
    if sets == runs == 0:
        if not everything or not hand.total():
            yield chosen
        return
    pivot = min(face for face in hand if hand[face]) if everything and hand.total() else None
    for index, meld in enumerate(options):
        left = (sets - 1, runs) if meld[0] == "set" else (sets, runs - 1)
        used = cost(meld)
        if min(left) < 0 or (pivot is not None and pivot not in used):
            continue
        if used <= hand and agree(rules, meld, chosen):
            rest = options if everything else options[index:]
            yield from contracts(rules, hand - used, *left, [*chosen, meld], rest, everything)


def planes(hand: Counter[int]) -> tuple[int, int, int]:
    """Masks of the naturals held at least once, twice, three times."""
    first, second, third = (mask(face for face in DECK if hand[face] >= copies) for copies in (1, 2, 3))
    return first, second, third


# Against the engine

OPTIONS = [
    {},
    {"contract_runs_suit_rule": "not_adjacent"},
    {"contract_runs_suit_rule": "free"},
    {"contract_runs_suit_rule": "free", "min_naturals_per_meld": 2},
    {"contract_runs_suit_rule": "not_adjacent", "adjacent_jokers": False},
    {"contract_runs_suit_rule": "free", "adjacent_jokers": False, "min_naturals_per_meld": 2},
    {"contract_runs_suit_rule": "not_adjacent", "min_naturals_per_meld": 3},
    {"contract_runs_suit_rule": "free", "ace_mode": "low"},
    {"contract_runs_suit_rule": "not_adjacent", "deck_ranks": 6, "deck_suits": 3},
]
CHANGES = pytest.mark.parametrize(
    "changes", OPTIONS, ids=lambda changes: " ".join(map(str, changes.values())) or "default"
)


def rules_with(changes: dict, packs: int, contract: tuple[int, int], all_at_once: bool = False, **more) -> RuleSet:
    return CONTRACT.replace(
        num_decks=packs,
        num_jokers=6,
        contracts=(contract,),
        hand_sizes=(max(5, 3 * sum(contract)),),
        all_at_once_deals=(1,) if all_at_once else (),
        **changes,
        **more,
    )


def some_hand(
    rules: RuleSet, contract: tuple[int, int], longest: int, chance: random.Random, spare: int
) -> Counter[int]:
    """Cards of melds that might make up the contract, some of them jokers, one or two exchanged or added."""
    suits = chance.sample(range(rules.deck_suits), min(2, rules.deck_suits))
    shapes = [shape for shape in all_shapes(rules, longest) if shape[0] == "set" or shape[1] in suits]
    cards = []
    for kind, number in zip(("set", "run"), contract, strict=True):
        for _ in range(number):
            near = [shape for shape in shapes if shape[0] == kind]
            cards += faces_of((*chance.choice(near), ()))
    for _ in range(chance.randint(0, (3 - rules.min_naturals_per_meld) * sum(contract))):
        cards[chance.randrange(len(cards))] = JOKER
    deck = [face for face in DECK if face % 13 < rules.deck_ranks and face // 13 < rules.deck_suits]
    if chance.random() < 0.6:
        cards[chance.randrange(len(cards))] = chance.choice(deck)
    cards += chance.sample(deck, spare)
    limits = Counter(dict.fromkeys(deck, rules.num_decks)) + Counter({JOKER: 4})
    return Counter(cards) & limits


@CHANGES
@pytest.mark.parametrize("packs", [1, 3])
def test_jokers_for_sets(changes, packs):
    chance = random.Random(packs)
    outcomes = Counter()
    for number in range(30):
        sets = number % 3 + 1
        rules = rules_with(changes, packs, (sets, 0))
        hand = some_hand(rules, (sets, 0), 3, chance, spare=2)
        hand.pop(JOKER, None)
        must_hold = chance.choice((NONE, *hand))
        for jokers in range(5):
            with_jokers = hand + Counter({JOKER: jokers})
            options = melds_from(rules, with_jokers, 3)
            solutions = contracts(rules, with_jokers, sets, 0, [], options, False)
            possible = any(holds(solution, must_hold) for solution in solutions)
            needed = jokers_for_sets(compile_rules(rules, PLAYERS), *planes(hand), sets, must_hold)
            assert (needed <= jokers) == possible, (hand, sets, jokers, must_hold)
            outcomes[possible] += 1
    assert min(outcomes[True], outcomes[False]) > 10


def holds(solution: list[Meld], must_hold: int) -> bool:
    """Whether a card is laid: a natural as itself, the joker as anything."""
    if must_hold == JOKER:
        return any(meld[3] for meld in solution)
    return must_hold == NONE or any(naturals(meld)[must_hold] for meld in solution)


@CHANGES
@pytest.mark.parametrize("packs", [1, 2])
def test_can_meet(changes, packs):
    chance = random.Random(packs)
    outcomes = Counter()
    for sets, runs in [(1, 1), (0, 2), (2, 1), (1, 2), (0, 3)] * 6:
        rules = rules_with(changes, packs, (sets, runs))
        hand = some_hand(rules, (sets, runs), 3, chance, spare=chance.randint(0, 2))
        must_hold = chance.choice((NONE, *hand))
        options = melds_from(rules, hand, 3)
        laid: list[Meld] = []
        if runs > 1 and chance.random() < 0.3:
            laid = [("run", suit, places, ()) for kind, suit, places in all_shapes(rules, 3) if kind == "run"]
            laid = [chance.choice(laid)]
            runs -= 1
        solutions = contracts(rules, hand, sets, runs, laid, options, False)
        possible = any(holds(solution[len(laid) :], must_hold) for solution in solutions)
        path = sum(13 * meld[1] + meld[2][0] - 1 << 3 for meld in laid)
        found = can_meet(
            compile_rules(rules, PLAYERS), *planes(hand), hand[JOKER], sets, runs, path, len(laid), must_hold
        )
        assert found == possible, (hand, sets, runs, laid, must_hold)
        outcomes[possible] += 1
    assert min(outcomes[True], outcomes[False]) > 5


@CHANGES
@pytest.mark.parametrize("discard", ["forbidden", "optional", "required"])
def test_laying_everything(changes, discard):
    """Where all goes down at once, something may be laid iff the whole hand can be."""
    chance = random.Random(discard)
    outcomes = Counter()
    for contract in [(1, 1), (0, 2), (2, 1), (0, 3)] * 4:
        rules = rules_with(changes, 2, contract, all_at_once=True, all_at_once_discard=discard)
        hand = some_hand(rules, contract, 5, chance, spare=int(discard != "forbidden"))
        texts = [FACE_TEXT[face] for face in hand.elements()]
        game = position(" ".join(texts), rules, players=PLAYERS, deal=1)
        laid = {game.layout.decode(action).kind for action in game.legal_actions()} - {"discard"}
        assert bool(laid) == everything_goes(rules, hand, contract, discard), texts
        outcomes[bool(laid)] += 1
    assert min(outcomes[True], outcomes[False]) > 0


def everything_goes(rules: RuleSet, hand: Counter[int], contract: tuple[int, int], discard: str) -> bool:
    kept = [Counter()] if discard != "required" else []
    if discard != "forbidden":
        kept += [Counter({face: 1}) for face in hand]
    for left in kept:
        cards = hand - left
        if any(contracts(rules, cards, *contract, [], melds_from(rules, cards, 14), True)):
            return True
    return False


def test_the_naive_enumeration_knows_the_counts():
    """With every card in hand: 44 and 48 base runs, 52 triples, 13 sets of four, the longest run of fourteen."""
    hand = Counter(dict.fromkeys(DECK, 2))
    for rules, runs in ((BASIC.replace(num_jokers=2), 44), (CONTRACT, 48)):
        kinds = Counter(meld[0] for meld in melds_from(rules, hand, 3))
        assert kinds == {"run": runs, "set": 52}
    longer = Counter((meld[0], len(meld[2])) for meld in melds_from(CONTRACT, hand, 14))
    assert longer["set", 4] == 13 and longer["run", 4] == 44 and longer["run", 5] == 40 and longer["run", 14] == 4
    assert np.all([len(set(meld[2])) == len(meld[2]) for meld in melds_from(CONTRACT, hand, 14)])
