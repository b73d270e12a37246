"""The table as text: everything public is there, and nothing of another hand."""

import re

import numpy as np
import pytest

from rummy_env import Game
from rummy_env.render.text import contract_text, render_text


def contract_position(**changes):
    """Deal 2 (a set and a run) at a table of three: player 1 is down and to play, an opponent's run holds a joker."""
    hands = ["2C 3C 9D KD", "8H 5S QS", "TC JC AH"]
    melds = [
        {"owner": 2, "kind": "run", "cards": "5H JK(6H) 7H"},
        {"owner": 1, "kind": "set", "cards": "9C 9H 9S"},
        {"owner": 1, "kind": "run", "cards": "2D 3D 4D"},
        {"owner": 2, "kind": "set", "cards": "KC KH KS"},
    ]
    pile = "4C 8D 4S"
    used = " ".join([*hands, pile, *(re.sub(r"JK\(..\)", "JK", meld["cards"]) for meld in melds)]).split()
    deck = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
    position = {
        "rules": "contract_rummy",
        "num_players": 3,
        "deal": 2,
        "player": 1,
        "phase": "play",
        "turn": 11,
        "hands": hands,
        "stock": " ".join(card for card in deck if card not in used),
        "discard": pile,
        "melds": melds,
        "down": ["no", "earlier", "earlier"],
        "taken": "QS",
        "scores": [31, 0, 12],
    }
    return Game.from_dict(position | changes)


def test_the_whole_table_with_all_cards():
    assert render_text(contract_position()).splitlines() == [
        "contract_rummy · deal 2 · contract 1 set + 1 run",
        "turn 12 · player_1 to play · may not discard QS",
        "stock 28 · pile 3: 4C 8D 4S",
        "",
        "  player_0   score 31   not down   4 cards: 2C 3C 9D KD",
        "> player_1   score 0    down       3 cards: 8H 5S QS",
        "  player_2   score 12   down       3 cards: TC JC AH",
        "",
        "melds of player_1: 9C 9H 9S | 2D 3D 4D",
        "melds of player_2: 5H JK(6H) 7H | KC KH KS",
    ]


def test_a_viewer_sees_only_the_own_hand():
    lines = render_text(contract_position(), viewer=2).splitlines()
    assert lines[4:7] == [
        "  player_0   score 31   not down   4 cards",
        "> player_1   score 0    down       3 cards",
        "  player_2   score 12   down       3 cards: TC JC AH",
    ]


@pytest.mark.parametrize("preset", ["contract_rummy", "basic_rummy"])
def test_the_view_of_a_seat_does_not_depend_on_hidden_cards(preset):
    random = np.random.default_rng(8)
    game = Game(preset, 4, 3)
    for _ in range(120):
        game.apply(int(random.choice(game.legal_actions())))
        for viewer in range(4):
            assert render_text(game, viewer) == render_text(game.determinize(viewer, 5), viewer)


def test_an_unknown_viewer_is_refused():
    with pytest.raises(IndexError, match="viewer 3"):
        render_text(contract_position(), viewer=3)


def test_duties_of_the_turn_are_told():
    assert "must place 8H" in render_text(contract_position(taken=None, obliged="8H"))
    game = contract_position(hands=["2C 3C 9D KD", "8H 6H QS", "TC JC AH"], stock=_stock_without("6H", "5S"))
    game.apply(game.parse("swap 6H"))
    assert "must declare the freed joker" in render_text(game)
    game.apply(game.parse("declare JK(4H)"))
    assert "must place JK(4H)" in render_text(game)


def _stock_without(taken, back):
    stock = contract_position().to_dict()["stock"].split()
    stock.remove(taken)
    return " ".join([back, *stock])


def test_a_contract_being_laid_and_a_hand_that_goes_down_at_once_are_told():
    game = Game({"preset": "contract_rummy", "deals": [7], "num_players": [3, 3]}, seed=1)
    assert "contract 3 runs, the whole hand at once" in render_text(game)
    laying = contract_position(
        down=["no", "no", "earlier"],
        melds=[
            {"owner": 2, "kind": "run", "cards": "5H JK(6H) 7H"},
            {"owner": 2, "kind": "set", "cards": "KC KH KS"},
            {"owner": 1, "kind": "set", "cards": "9C 9H 9S"},
        ],
        hands=["2C 3C 9D KD", "2D 3D 4D 8H 5S QS", "TC JC AH"],
        laying={"sets": 0, "runs": 1},
    )
    assert "still to lay: 1 run" in render_text(laying)


def test_a_game_without_contracts_has_no_word_of_them():
    text = render_text(Game("basic_rummy", 2, 4))
    assert "contract" not in text
    assert "down" not in text
    assert text.endswith("no melds")


def test_a_long_pile_is_cut_at_the_bottom():
    cards = [rank + suit for suit in "CD" for rank in "A23456789TJQK"]
    game = Game("basic_rummy", 2, 4)
    position = game.to_dict()
    for key in ("memory", "random"):
        del position[key]
    position["hands"] = ["AH 2H", "AS 2S"]
    position["discard"] = " ".join(cards)
    position["stock"] = " ".join(rank + suit for suit in "HS" for rank in "3456789TJQK")
    assert f"pile 26: … {' '.join(cards[-12:])}" in render_text(Game.from_dict(position))


def test_a_finished_game_names_the_winners():
    random = np.random.default_rng(2)
    game = Game({"preset": "basic_rummy", "game_end": "n_deals", "n_deals": 1}, 2, 8)
    while game.over is None:
        game.apply(int(random.choice(game.legal_actions())))
    text = render_text(game)
    assert "game over" in text
    for seat in game.winners():
        assert f"player_{seat}" in text.splitlines()[1]
    assert ">" not in text


def test_colours_are_on_top_of_the_same_text():
    game = contract_position()
    coloured = render_text(game, colour=True)
    assert "\033[31m9D\033[0m" in coloured
    assert "\033[35mJK(6H)\033[0m" in coloured
    assert re.sub(r"\033\[\d+m", "", coloured) == render_text(game)


@pytest.mark.parametrize(
    ("sets", "runs", "words"), [(2, 0, "2 sets"), (1, 1, "1 set + 1 run"), (0, 3, "3 runs"), (0, 0, "nothing")]
)
def test_contracts_in_words(sets, runs, words):
    assert contract_text(sets, runs) == words
