"""The analysis of hands: against slow answers, against what the engine calls legal, and on hands one can check."""

import doctest
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from played import TABLES, moments
from positions import BASIC, CONTRACT, TWO_PACKS, play, position

import rummy_env.analysis
from rummy_env.analysis import (
    best_partition,
    contract_distance,
    contract_outs,
    distances_after_discard,
    live_outs,
    partition_outs,
)
from rummy_env.cards import FACE_TEXT
from rummy_env.engine.compile import compile_rules
from rummy_env.engine.contract import can_meet
from rummy_env.engine.distance import contract_needs
from rummy_env.engine.hand_needs import hand_needs
from rummy_env.engine.partition import best_partition as partition_points
from rummy_env.engine.state import NONE
from rummy_env.errors import ArgumentError, NotationError
from tests.analysis import CONTRACTS, NOTEWORTHY, compare_chunk, planes

WILD_BASIC = BASIC.replace(num_jokers=4, ace_mode="both")


@pytest.mark.parametrize("seed", [1, 2])
def test_against_slow_answers(seed):
    seen, differences = compare_chunk(chunk=seed, seed=0)
    assert not differences
    assert all(seen[name] for name in NOTEWORTHY)


@given(st.randoms(use_true_random=False), st.sampled_from(CONTRACTS))
def test_the_distance_says_whether_the_contract_can_be_laid(chance, contract):
    deck = [*FACE_TEXT[:52] * 2, "JK", "JK", "JK"]
    hand = planes(chance.sample([face for face in deck if face[0] in "A23456JK"], 11))
    rules = compile_rules(TWO_PACKS.replace(contract_runs_suit_rule="not_adjacent"), 4)
    needs = np.zeros(3, np.int64)
    contract_needs(rules, *hand, *contract, needs)
    assert (needs[0] == 0) == can_meet(rules, *hand, *contract, 0, 0, NONE)


@given(st.randoms(use_true_random=False), st.sampled_from(CONTRACTS))
def test_a_card_more_or_less_changes_the_distance_by_no_more_than_one(chance, contract):
    hand = chance.sample([*FACE_TEXT, *FACE_TEXT], 11)
    distance, outs = contract_distance(hand, contract, TWO_PACKS), contract_outs(hand, contract, TWO_PACKS)
    for card, left in distances_after_discard(hand, contract, TWO_PACKS).items():
        rest = hand.copy()
        rest.remove(card)
        assert left == contract_distance(rest, contract, TWO_PACKS) and left in (distance, distance + 1)
    card = chance.choice(FACE_TEXT)
    assert contract_distance([*hand, card], contract, TWO_PACKS) == distance - (card in outs)


@pytest.mark.parametrize(
    ("hand", "contract", "distance"),
    [
        ("9C 9D 9H KC KD KS", (2, 0), 0),
        ("9C 9D 9H KC KD 2S", (2, 0), 1),
        ("9C 9D KC JK", (2, 0), 2),
        # 9H is in the set or in the run: it can't be in both.
        ("7H 8H 9H 9C 9D 2S", (1, 1), 1),
        ("7H 8H 9H 9C 9D 9S", (1, 1), 0),
        # Both runs of one suit: not with the usual rule.
        ("3H 4H 5H 9H TH JH", (0, 2), 3),
        ("AS 2S 3S QD KD AD", (0, 2), 0),
        ("KS AS 2S QD KD AD", (0, 2), 1),
        ("", (3, 0), 9),
    ],
)
def test_distances_one_can_count(hand, contract, distance):
    assert contract_distance(hand, contract) == distance
    assert contract_distance(hand.split(), contract) == distance


def test_which_meld_gets_which_natural():
    """Runs of two naturals each: A _ 3 and A 2 _ of clubs, 2 of diamonds with a card to come."""
    rules = {"preset": "contract_rummy", "contract_runs_suit_rule": "free", "min_naturals_per_meld": 2}
    assert contract_distance("AC AC QS 2C 3C 2D JK JK JK", (0, 3), rules) == 1


def test_the_number_of_a_contract():
    assert contract_distance("9C 9D 9H KC KD 2S", 1) == 1
    whole = "3C 4C 5C 6C 7D 8D 9D TD JH QH KH AH JK"
    assert contract_distance(whole, 7) == 0
    assert contract_distance(whole, 6) > 0
    # Three runs are there, but two kings find no place.
    assert contract_distance("3C 4C 5C 7D 8D 9D TD JH QH KH AH KS KC", 7) == 2


def test_outs_and_discards():
    hand = "6H 7H 9C 9D KS 2C"
    assert contract_distance(hand, (1, 1)) == 2
    assert contract_outs(hand, (1, 1)) == ["5H", "8H", "9H", "9S", "JK"]
    left = distances_after_discard(hand, (1, 1))
    assert {card for card, distance in left.items() if distance == 2} == {"KS", "2C"}
    assert contract_outs("5H 6H 7H 9C 9D 9S", (1, 1)) == []


def test_the_second_copy_is_spare():
    left = distances_after_discard("5H 5H 6H 7H", (0, 1), TWO_PACKS)
    assert left == {"5H": 0, "6H": 1, "7H": 1}


@pytest.mark.parametrize(
    ("hand", "melded"),
    [("AH 2H 3H QH KH 5C", 35), ("AH 2H 3H 4H QH KH 5C", 44), ("AH 2H 3H JH QH KH", 50), ("AH 2H 3H KH", 20)],
)
def test_an_ace_is_at_one_end_only(hand, melded):
    rules = BASIC.replace(ace_mode="both")
    assert partition_points(compile_rules(rules, 2), *planes(hand.split())) == melded
    assert best_partition(hand, rules).melded == melded


def test_a_partition():
    # Three nines are worth more than 7 8 9 of hearts.
    assert best_partition("7H 8H 9H 9C 9D KC") == (["9C 9D 9H"], "KC 7H 8H", 27, 25)
    assert best_partition("7H 8H 9H 9C 9D 9S KC") == (["9C 9D 9S", "7H 8H 9H"], "KC", 51, 10)
    assert best_partition("") == ([], "", 0, 0)
    assert partition_outs("5H 6H 9C 9D KS") == ["4H", "7H", "9H", "9S"]


@given(st.randoms(use_true_random=False))
def test_a_partition_is_one(chance):
    """Its melds can be laid, hold and leave what it says, and use every card once."""
    deck = [face for face in FACE_TEXT[:52] if face[0] in "A23QKJ"] + ["JK"] * 4
    hand = chance.sample(deck, 10)
    found = best_partition(hand, WILD_BASIC)
    points = compile_rules(WILD_BASIC, 2)[0].points
    used = Counter(found.rest.split())
    for meld in found.melds:
        used.update(card[:2] for card in meld.split())
        game = position(" ".join([*(card[:2] for card in meld.split()), "5C"]), WILD_BASIC, players=2, deal=1)
        base = meld.split()[:3]
        play(game, *(f"declare {card}" for card in base if len(card) > 2))
        play(game, f"meld {' '.join(card[3:5] if len(card) > 2 else card for card in base)}")
        assert len(game.to_dict()["melds"]) == 1
    assert used == Counter(hand)
    melded = sum(int(points[FACE_TEXT.index(card[:2])]) for meld in found.melds for card in meld.split())
    rest = sum(int(points[FACE_TEXT.index(card)]) for card in found.rest.split())
    assert (melded, rest) == (found.melded, found.deadwood)


@pytest.mark.parametrize(
    ("hand", "message"),
    [("9X", "is no card"), ("9C 9C 9C 9C", "is there 4 times"), ("JK", "not in the deck"), (["9C", 7], "is no card")],
)
def test_hands_that_are_none(hand, message):
    with pytest.raises(NotationError, match=message):
        best_partition(hand)


@pytest.mark.parametrize("contract", [0, 8, (6, 0), (0, -1)])
def test_contracts_that_are_none(contract):
    with pytest.raises(ArgumentError, match="contract="):
        contract_distance("9C", contract)


def test_doctests():
    result = doctest.testmod(rummy_env.analysis)
    assert result.attempted >= 3 and result.failed == 0


# In games


@pytest.mark.parametrize("name", TABLES)
def test_needs_of_a_seat(name):
    """They are those of its hand, and a hand that can lay the contract now is at distance 0."""
    needs = np.zeros(3, np.int64)
    for game in moments(name, eager=True):
        state = game._games[0]
        for seat in range(game.num_players):
            hand_needs(game._rules, game._games, 0, seat, needs)
            distance, free, outs = needs.tolist()
            held = sum(1 << face for face in range(53) if state.hands[seat, face])
            assert distance >= 0 and free & ~held == 0 and (outs == 0) == (distance == 0)
        hand_needs(game._rules, game._games, 0, game.player, needs)
        melds = {game.layout.decode(action).kind for action in game.legal_actions()} & {"meld_run", "meld_set"}
        if game.phase == "play" and state.num_melds == 0 and melds:
            assert needs[0] == 0


def test_where_everything_goes_down_at_once():
    hand = "3C 4C 5C 6C 7D 8D 9D TD JH QH KH AH 2S"
    needs = np.zeros(3, np.int64)
    game = position(hand, deal=7)
    hand_needs(game._rules, game._games, 0, 0, needs)
    assert needs[0] == 1
    game = position(hand.removesuffix(" 2S"), deal=7, phase="draw")
    hand_needs(game._rules, game._games, 0, 0, needs)
    assert needs[0] == 1 and int(needs[2]) >> FACE_TEXT.index("2C") & 1


def test_live_outs():
    hand = "6H 7H 9C 9D KS 2C"
    game = position(hand, phase="draw", pile="9S 3D")
    assert live_outs(game, 0) == {"5H": 1, "8H": 1, "9H": 1, "JK": 1}
    down = position(hand, down="earlier", melds=["3D 4D 5D"])
    assert live_outs(down, 0) == {}
    basic = position("5H 6H 9C 9D KS", BASIC, players=2, deal=1, phase="draw", pile="4H 3D")
    assert live_outs(basic, 0) == {"7H": 1, "9H": 1, "9S": 1}
    with pytest.raises(IndexError):
        live_outs(basic, 2)


@pytest.mark.parametrize("name", TABLES)
def test_live_outs_hide_nothing(name):
    chance = random.Random(1)
    for game in moments(name, eager=False):
        for seat in range(game.num_players):
            live = live_outs(game, seat)
            assert live_outs(game.determinize(seat, chance.randrange(1000)), seat) == live
            assert all(1 <= copies <= max(game.table.num_packs, game.table.num_jokers) for copies in live.values())


def test_the_contract_of_a_deal():
    assert CONTRACT.contracts is not None
    game = position("9C 9D 9H KC KD KS 2C", deal=1)
    needs = np.zeros(3, np.int64)
    hand_needs(game._rules, game._games, 0, 0, needs)
    assert needs[0] == 0
    play(game, "meld 9C 9D 9H")
    hand_needs(game._rules, game._games, 0, 0, needs)
    assert needs[0] == 0 and int(needs[1]) == 1 << FACE_TEXT.index("2C")
