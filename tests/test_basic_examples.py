"""Basic Rummy by example: one narrated position per test, named by its row of the worked examples.

Two players unless a test says otherwise.
"""

from functools import partial

import pytest
from positions import BASIC, actions, can, discards, goes_out, hand, idle_turn, play, position

from rummy_env import Game

basic = partial(position, rules=BASIC, players=2)


@pytest.mark.parametrize(
    ("run", "ace_mode", "is_run"),
    [
        ("QS KS AS", "low", False),
        ("KS AS 2S", "low", False),
        ("QS KS AS", "both", True),
        ("KS AS 2S", "both", False),
    ],
)
def test_br01_the_ace_is_low_unless_both_is_agreed(run, ace_mode, is_run):
    """Which of these are runs? Q K A only with `ace_mode="both"`, the corner never."""
    game = basic(f"{run} 9D", rules=BASIC.replace(ace_mode=ace_mode))
    assert actions(game, "meld") == ({f"meld {run}"} if is_run else set())


def test_br02_five_players_get_six_cards():
    """Five players: hand and stock? Six each, 21 left."""
    game = Game(BASIC, num_players=5)
    assert [len(hand(game, seat)) for seat in range(5)] == [6] * 5
    assert len(game.to_dict()["stock"].split()) == 21


def test_br03_lay_offs_go_in_order():
    """On 3C 4C 5C, holding 6C 7C: lay off 7C? First 6C, then 7C."""
    game = basic("6C 7C 2D", melds=["3C 4C 5C"])
    assert actions(game, "lay off") == {"lay off 6C high"}
    assert can(game, "lay off 6C high", "lay off 7C high")


@pytest.mark.parametrize("needs_own", [False, True])
def test_br04_laying_off_before_having_melded(needs_own):
    """Melded nothing so far: lay off on another's meld? Yes, but not with `layoff_requires_own_meld=True`."""
    game = basic("6C 9D KS", rules=BASIC.replace(layoff_requires_own_meld=needs_own), melds=["3C 4C 5C"])
    assert can(game, "lay off 6C high") != needs_own


@pytest.mark.parametrize("limit", [None, 1])
def test_br05_two_melds_in_one_turn(limit):
    """Lay two melds in one turn? Yes, but not with `max_melds_per_turn=1`."""
    game = basic("3C 4C 5C 8D 8H 8S KD", rules=BASIC.replace(max_melds_per_turn=limit))
    assert can(game, "meld 3C 4C 5C", "meld 8D 8H 8S") == (limit is None)


def test_br06_the_card_taken_stays_for_a_turn():
    """Took 8D from the pile: discard it? Not this turn."""
    game = basic("2C 5H KS", phase="draw", pile="8D")
    play(game, "take top")
    assert actions(game) == discards("2C 5H KS")


def test_br07_a_lay_off_must_leave_a_card_that_may_go():
    """Holding 9C, took 4D: lay off 9C on the nines? No, 4D is banned and has no place; 9C is discarded."""
    game = basic("9C", phase="draw", pile="4D", melds=["9D 9H 9S"])
    play(game, "take top")
    assert actions(game) == discards("9C")


def test_br08_a_card_from_the_stock_may_go():
    """As BR07 with 4D from the stock: lay off 9C, discard 4D? Yes, out."""
    assert goes_out(basic("9C 4D", melds=["9D 9H 9S"]), "lay off 9C set", "discard 4D")


def test_br09_melding_the_last_cards():
    """The whole hand is 5H 6H 7H: meld it? Yes, out; with `final_discard="required"` one card is discarded instead."""
    assert goes_out(basic("5H 6H 7H"), "meld 5H 6H 7H")
    assert actions(basic("5H 6H 7H", rules=BASIC.replace(final_discard="required"))) == discards("5H 6H 7H")


def test_br10_melding_all_but_the_required_discard():
    """`final_discard="required"`, holding 5H 6H 7H 2C: meld and discard 2C? Yes, out."""
    game = basic("5H 6H 7H 2C", rules=BASIC.replace(final_discard="required"))
    assert goes_out(game, "meld 5H 6H 7H", "discard 2C")


def test_br11_going_rummy_doubles():
    """Out in one turn with nothing played before, the others hold K 5 A / 9 9 / 7: 16 + 18 + 7 = 41, doubled 82."""
    game = basic("4C 5C 6C JC JD JH 8S 2D", players=4, melds=["8C 8D 8H"], others=["KC 5D AS", "9H 9S", "7D"])
    summary = play(game, "meld 4C 5C 6C", "meld JC JD JH", "lay off 8S set", "discard 2D")
    assert summary.rummy
    assert summary.hand_points == [0, 16, 18, 7]
    assert summary.points == [82, 0, 0, 0]


def test_br13_aces_count_15_where_they_may_be_high():
    """The hands of BR11 with `ace_mode="both"` and no rummy: 30 + 18 + 7 = 55."""
    game = basic(
        "2D",
        rules=BASIC.replace(ace_mode="both"),
        players=4,
        melds=["0: JC JD JH"],
        others=["KC 5D AS", "9H 9S", "7D"],
    )
    summary = play(game, "discard 2D")
    assert not summary.rummy
    assert summary.points == [55, 0, 0, 0]


def test_br14_a_set_in_hand_counts_in_full():
    """The loser holds 6C 6D 6H KS: 28."""
    summary = play(basic("2D", melds=["0: JC JD JH"], others=["6C 6D 6H KS"]), "discard 2D")
    assert summary.points == [28, 0]


def test_br15_melds_are_never_rearranged():
    """Move 2S from the twos to 3S 4S 5S, then lay off AS? No; AS fits nowhere."""
    game = basic("AS 9D", melds=["2C 2D 2H 2S", "3S 4S 5S"])
    assert actions(game) == discards("AS 9D")


def test_br17_the_target_ends_the_game():
    """At 148 of 150, winning a deal worth 6: over? Yes, at 154."""
    game = basic("2D", melds=["0: JC JD JH"], others=["6C"], scores=[148, 131])
    play(game, "discard 2D")
    assert game.over == "out"
    assert game.scores == [154, 131]
    assert game.winners() == [0]


@pytest.mark.parametrize("max_recycles", [0, None])
def test_br18_a_deal_without_a_legal_draw_is_void(max_recycles):
    """Empty stock: may the next player draw from it? Not with `max_recycles=0`; with no other draw the deal is void.

    Ten cards, A to 5 of clubs twice. The next player's only card is a 4C, so the discarded 4C would be one too many.
    """
    rules = BASIC.replace(num_decks=2, deck_ranks=5, deck_suits=1, hand_sizes=(2,), max_recycles=max_recycles)
    game = basic("4C 2C", rules=rules, others=["4C"], stock="", pile="AC AC 2C 3C 3C 5C 5C")
    summary = play(game, "discard 4C")
    if max_recycles == 0:
        assert (summary.reason, summary.out, summary.points) == ("blocked", None, [0, 0])
    else:
        assert summary is None
        assert actions(game) == {"draw stock"}


def test_br19_going_rummy_on_the_first_turn():
    """The first turn of the deal empties the hand: doubled? Yes."""
    game = basic("4C 5C 6C 7C JC JD JH 8S 8D 8H 2D", turn=0, others=["KC 5D"])
    play(game, "meld 4C 5C 6C", "lay off 7C high", "meld JC JD JH", "meld 8D 8H 8S")
    assert play(game, "discard 2D").points == [30, 0]


def test_the_ban_ends_with_the_turn():
    """8D taken from the pile may be discarded on the next turn."""
    game = basic("2C 5H KS", phase="draw", pile="8D")
    play(game, "take top", "discard 2C")
    idle_turn(game)
    assert can(game, "draw stock", "discard 8D")
