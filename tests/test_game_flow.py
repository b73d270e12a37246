"""From deal to deal: dealers, turns, whole games, dead deals, the recycled pile, and what everybody knows."""

import random

import pytest
from positions import (
    BASIC,
    CONTRACT,
    TWO_PACKS,
    actions,
    all_cards,
    finish,
    finish_deal,
    hand,
    idle_turn,
    play,
    position,
)

from rummy_env import Game
from rummy_env.errors import GameOverError

PRESETS = pytest.mark.parametrize("rules", [CONTRACT, TWO_PACKS, BASIC])


# Turns and deals


@PRESETS
@pytest.mark.parametrize("players", [3, 4, 5])
def test_a_deal_begins_left_of_the_dealer_with_an_upcard(rules, players):
    game = Game(rules, num_players=players, seed=players)
    start = game.to_dict()
    assert game.player == (start["dealer"] + 1) % players
    assert game.phase == "draw"
    assert len(start["discard"].split()) == 1
    assert actions(game) >= {"draw stock", "take top"}


def test_turns_go_round_clockwise():
    game = Game(CONTRACT, num_players=4, seed=3)
    first = game.player
    seats = []
    for _turn in range(6):
        seats.append(game.player)
        play(game, "draw stock")
        assert game.phase == "play" and game.player == seats[-1]
        play(game, min(actions(game, "discard")))
    assert seats == [(first + turn) % 4 for turn in range(6)]


@pytest.mark.parametrize("players", [3, 4, 6])
def test_a_whole_contract_game(players):
    """Seven deals: the dealer moves left, contracts follow in order, scores are the sums of the penalties."""
    game = Game(CONTRACT, num_players=players, seed=players)
    chance = random.Random(players)
    first_dealer = game.to_dict()["dealer"]
    totals = [0] * players
    for number in range(7):
        assert game.over is None
        assert game.deal == number + 1
        assert game.to_dict()["dealer"] == (first_dealer + number) % players
        assert [len(hand(game, seat)) for seat in range(players)] == [10 if number < 4 else 12] * players
        summary = finish_deal(game, chance)
        assert summary.contract == number + 1
        totals = [total + points for total, points in zip(totals, summary.points, strict=True)]
        assert game.scores == totals
        assert game.deals_done == number + 1
        assert game.last_deal == summary
    assert game.over == summary.reason
    assert game.winners() == [seat for seat in range(players) if totals[seat] == min(totals)]


def test_a_whole_basic_game():
    """Deals go on until somebody reaches the target; only the one who goes out scores."""
    game = Game(BASIC.replace(target_score=60), num_players=2, seed=5)
    first_dealer = game.to_dict()["dealer"]
    chance = random.Random(5)
    number = 0
    while game.over is None:
        assert max(game.scores) < 60
        assert game.deal == number + 1
        assert game.to_dict()["dealer"] == (first_dealer + number) % 2
        summary = finish_deal(game, chance)
        number += 1
        assert [seat for seat in range(2) if summary.points[seat]] == ([] if summary.out is None else [summary.out])
    assert max(game.scores) >= 60
    assert game.winners() == [game.scores.index(max(game.scores))]


def test_nothing_is_legal_once_the_game_is_over():
    game = Game(CONTRACT.replace(deals=(1,), max_turns_per_deal=1), num_players=3)
    idle_turn(game)
    assert game.over == "capped"
    assert game.legal_actions() == []
    with pytest.raises(GameOverError):
        game.apply(game.parse("draw stock"))


# Same seed, same game


@PRESETS
def test_the_seed_decides_the_game(rules):
    games = [Game(rules.replace(max_turns_per_deal=20), num_players=4, seed=seed) for seed in (1, 1, 2)]
    deals = [game.to_dict() for game in games]
    assert deals[0] == deals[1] != deals[2]
    first, again, other = (finish(game, seed=9) for game in games)
    assert first == again != other
    assert games[0].history == games[1].history
    assert games[0].to_dict() == games[1].to_dict()


@PRESETS
def test_no_card_is_lost(rules):
    game = Game(rules.replace(max_turns_per_deal=60), num_players=4, seed=11)
    deck = all_cards(game)
    chance = random.Random(11)
    for _decision in range(1500):
        if game.over is not None:
            break
        assert all_cards(game) == deck
        game.apply(chance.choice(game.legal_actions()))


# Dead deals


def test_the_last_turn_of_a_capped_deal():
    """Going out with the last discard is going out; any other discard caps the deal."""
    rules = CONTRACT.replace(max_turns_per_deal=9)
    assert play(position("2D", rules, players=3, down="earlier", turn=8), "discard 2D").reason == "out"
    assert play(position("2D 3D", rules, players=3, down="earlier", turn=8), "discard 2D").reason == "capped"
    assert play(position("2D 3D", rules, players=3, down="earlier", turn=5), "discard 2D") is None


def test_a_blocked_deal():
    """Two packs, empty stock, no recycling: the next player's last card is a 4D, so the top 4D cannot be taken."""
    rules = TWO_PACKS.replace(max_recycles=0)
    game = position("4D 9C", rules, down="earlier", melds=["JC JD JH"], stock="", pile="2C", others=["4D"])
    summary = play(game, "discard 4D")
    assert (summary.reason, summary.out, summary.turns) == ("blocked", None, 9)
    assert summary.points == summary.hand_points
    assert summary.points[:2] == [9, 4]
    assert game.deal == 3


def test_a_dead_deal_is_followed_by_the_next():
    game = Game(CONTRACT.replace(max_turns_per_deal=2), num_players=3, seed=4)
    assert [summary.reason for summary in finish(game)] == ["capped"] * 7


# The recycled pile


def test_the_pile_is_recycled_as_often_as_asked():
    """A stock of one card: drawn, then five discards but the top are the stock, and so on."""
    game = position("2C 4D 6S 8H TC QD KS 3H 5D 9S", phase="draw", stock="KH", pile="2D 9C AH JS")
    sizes = []
    for _turn in range(10):
        now = game.to_dict()
        sizes.append((len(now["stock"].split()), len(now["discard"].split()), now["recycles"]))
        idle_turn(game)
    assert sizes[:6] == [(1, 4, 0), (0, 5, 0), (3, 2, 1), (2, 3, 1), (1, 4, 1), (0, 5, 1)]
    assert sizes[6] == (3, 2, 2)


def test_the_recycled_order_depends_on_the_random_stream_alone():
    pile = "AC 2C 3C 4C 6C 7C 8C 9C TC JC QC 5C"
    games = [position("AD 3D 5D 7D 9D JD KD 2H 4H 6H", phase="draw", stock="", pile=pile) for _copy in range(2)]
    for game in games:
        play(game, "draw stock")
    assert games[0].to_dict() == games[1].to_dict()
    assert games[0].to_dict()["stock"].split() != pile.split()[: len(games[0].to_dict()["stock"].split())]


# What everybody knows


def test_a_card_taken_is_known_until_it_is_seen_again():
    game = position("2C 4D 6S 8H TC QD KS 3H 5D 9S", phase="draw", pile="7H")
    play(game, "take top", "discard 2C")
    assert memory(game, "held") == ["7H"]
    for _other in range(3):
        idle_turn(game)
    play(game, "draw stock", "discard 7H")
    assert memory(game, "held") == []
    assert memory(game, "discarded") == ["2C", "7H"]


def test_a_deep_pick_up_is_known_but_for_the_cards_laid():
    game = position("9C 9D 7S 7H 7D 3C 5D JC QC 8S", deal=1, phase="draw", pile="4C 9H KD 2S")
    play(game, "take 9H")
    assert memory(game, "held") == ["2S", "9H", "KD"]
    play(game, "meld 9C 9D 9H", "meld 7D 7H 7S", "discard 2S")
    assert memory(game, "held") == ["KD"]


def test_a_card_left_lying_is_refused():
    game = position("2C 4D 6S 8H TC QD KS 3H 5D 9S", phase="draw", pile="AS 7H")
    play(game, "draw stock")
    assert memory(game, "refused") == ["7H"]


def test_a_new_deal_is_forgotten_history():
    game = Game(CONTRACT.replace(max_turns_per_deal=1), num_players=3, seed=6)
    seat = game.player
    play(game, "take top")
    play(game, min(actions(game, "discard")))
    assert game.deal == 2
    assert [memory(game, what, seat) for what in ("held", "discarded", "refused")] == [[], [], []]


def memory(game: Game, what: str, seat: int = 0) -> list[str]:
    """What is publicly known of a seat: cards "held", "discarded", "refused", sorted as texts."""
    return sorted(game.to_dict()["memory"][what][seat].split())
