"""What a seat sees: nothing hidden, in every kind of moment, for every seat; and the layout of what it sees."""

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from played import TABLES, moment, moments
from positions import BASIC, CONTRACT, TWO_PACKS, all_cards, cards, play, position

from rummy_env import Game, ObservationLayout
from rummy_env.cards import FACE_TEXT
from rummy_env.engine.blocks import HAND_SIZE_STEPS, STOCK_STEPS
from rummy_env.errors import RulesError, SeedError

PLAYED = pytest.mark.parametrize(("name", "eager"), list(itertools.product(TABLES, (False, True))))


def constructed() -> dict[str, Game]:
    """The special moments of a turn, each in a position made for it."""
    games = {
        "draw": position("5C 6C 7C 8D 8H 8S KD", phase="draw", pile="2C AD"),
        "play": position("5C 6C 7C 8D 8H 8S KD"),
        "taken": position("5C 6C 7C 8D 8H 8S", phase="draw", pile="2C AD"),
        "obliged": position("5C 6C 8D 8H 8S KD", phase="draw", pile="7C AD"),
        "laying": position("5C 6C 7C 8D 8H 8S KD"),
        "declared": position("5C JK 7C 8D 8H 8S KD"),
        "freed": position("6H 2D 3D", down="earlier", melds=["5H JK(6H) 7H", "9C 9D 9H"]),
        "down": position("6H 2D 3D", down="earlier", melds=["5H JK(6H) 7H", "9C 9D 9H"]),
    }
    play(games["taken"], "take top")
    play(games["obliged"], "take 7C")
    play(games["laying"], "meld 8D 8H 8S")
    play(games["declared"], "declare JK(6C)")
    play(games["freed"], "swap 6H")
    return games


def hidden_cards(game: Game, viewer: int) -> list[str]:
    """The cards that only the others hold, seat by seat, and the stock, each where it is."""
    now = game.to_dict()
    hands = [hand for seat, hand in enumerate(now["hands"]) if seat != viewer]
    return " ".join([*hands, now["stock"]]).split()


# Nothing hidden


def assert_nothing_hidden(game: Game, viewer: int, seed: int) -> Game:
    """Another deal of the hidden cards leaves all that the viewer sees as it was; returns it."""
    other = game.determinize(viewer, seed)
    assert np.array_equal(other.observation(viewer), game.observation(viewer))
    if game.player == viewer:
        assert other.legal_actions() == game.legal_actions()
    if game.over is None:
        assert other.action_mask().any()
    assert all_cards(other) == all_cards(game)
    before, after = game.to_dict(), other.to_dict()
    changed = {key for key in before if before[key] != after[key]}
    assert changed <= {"hands", "stock", "random"}
    assert after["hands"][viewer] == before["hands"][viewer]
    for seat, known in enumerate(before["memory"]["held"]):
        assert not Counter(known.split()) - Counter(after["hands"][seat].split())
        assert len(after["hands"][seat].split()) == len(before["hands"][seat].split())
    assert Game.from_dict(after).to_dict() == after
    return other


@PLAYED
def test_hidden_cards_are_nowhere_in_the_observation(name, eager):
    for number, game in enumerate(moments(name, eager)):
        before = game.to_dict()
        for viewer in range(game.num_players):
            assert_nothing_hidden(game, viewer, seed=number)
        assert game.to_dict() == before


@pytest.mark.parametrize("kind", ["draw", "play", "taken", "obliged", "laying", "declared", "freed", "down"])
def test_hidden_cards_in_every_kind_of_moment(kind):
    game = constructed()[kind]
    assert moment(game) == kind
    for viewer, seed in itertools.product(range(game.num_players), range(5)):
        assert_nothing_hidden(game, viewer, seed)


def test_the_end_of_a_game_shows_nothing_more():
    game = position("7C", BASIC.replace(game_end="single_deal"), players=3)
    play(game, "discard 7C")
    assert game.over == "out"
    for viewer in range(3):
        assert_nothing_hidden(game, viewer, seed=1)


def test_hidden_cards_do_differ():
    """A place keeps its card about as often as two random cards are the same."""
    game = Game(TWO_PACKS, num_players=4, seed=5)
    for viewer in range(4):
        hidden = hidden_cards(game, viewer)
        counts = Counter(hidden)
        chance = sum(count * count for count in counts.values()) / len(hidden) ** 2
        rounds = 200
        kept = sum(
            old == new
            for seed in range(rounds)
            for old, new in zip(hidden, hidden_cards(game.determinize(viewer, seed), viewer), strict=True)
        )
        # Hands are sorted, which keeps somewhat more in place than chance; unshuffled it would be 1.
        assert 0.5 * chance < kept / (rounds * len(hidden)) < 8 * chance


def test_every_hidden_card_may_be_anywhere():
    """Of 43 hidden cards ten are in a given hand: each is there in about 10 / 43 of the deals."""
    game = Game(CONTRACT, num_players=4, seed=5)
    rounds = 2000
    held = Counter()
    for seed in range(rounds):
        held.update(game.determinize(viewer=0, seed=seed).to_dict()["hands"][1].split())
    hidden = set(hidden_cards(game, 0))
    assert len(hidden) == 42 and set(held) == hidden
    expected = rounds * 10 / 42
    for card in hidden:
        assert abs(held[card] - expected) < 6 * expected**0.5


def test_known_cards_stay_with_their_holder():
    """Seat 0 took 7C and AD from the pile, and seat 1 and 2 know it: only they may move, by none."""
    game = position("5C 6C 8D 8H 8S KD", phase="draw", pile="7C AD", deal=2)
    play(game, "take 7C", "meld 5C 6C 7C", "meld 8D 8H 8S", "discard KD")
    assert game.to_dict()["memory"]["held"][0] == "AD"
    for seed in range(20):
        assert game.determinize(viewer=2, seed=seed).to_dict()["hands"][0] == "AD"


def test_another_player_in_the_middle_of_a_turn_can_finish_it():
    """Seat 0 must still lay a run with the two cards it has left beside a king, whatever else it may hold."""
    game = constructed()["laying"]
    for seed in range(10):
        other = game.determinize(viewer=1, seed=seed)
        assert {text.split()[0] for text in map(other.describe, other.legal_actions())} <= {"meld", "declare"}
        assert other.legal_actions()


def test_the_future_is_hidden_too():
    """The next deal and the next recycling follow from the seed, which nobody knows."""
    game = Game(BASIC, num_players=2, seed=5)
    assert len({game.determinize(0, seed).seed for seed in range(20)}) == 20
    assert len({str(game.determinize(0, seed).to_dict()["random"]) for seed in range(20)}) == 20


@PLAYED
def test_determinize_is_decided_by_its_seed(name, eager):
    game = moments(name, eager)[-1]
    for viewer in range(game.num_players):
        same = [game.determinize(viewer, seed=9).to_dict() for _ in range(2)]
        assert same[0] == same[1] != game.determinize(viewer, seed=10).to_dict()


@pytest.mark.parametrize("seat", [-1, 4, 100])
def test_a_seat_that_is_not_at_the_table(seat):
    game = Game(CONTRACT, num_players=4)
    with pytest.raises(IndexError, match=f"seat {seat} is not at the table"):
        game.observation(seat)
    with pytest.raises(IndexError, match=f"seat {seat} is not at the table"):
        game.determinize(viewer=seat, seed=0)
    with pytest.raises(SeedError):
        game.determinize(viewer=0, seed=-1)


# Seats are relative


def rotated(game: Game) -> Game:
    """The same position with everybody one seat further."""
    now, seats = game.to_dict(), game.num_players
    for key in ("hands", "down", "played_before", "scores"):
        now[key] = now[key][-1:] + now[key][:-1]
    now["memory"] = {key: per_seat[-1:] + per_seat[:-1] for key, per_seat in now["memory"].items()}
    now["player"], now["dealer"] = (now["player"] + 1) % seats, (now["dealer"] + 1) % seats
    for meld in now["melds"]:
        meld["owner"] = (meld["owner"] + 1) % seats
    return Game.from_dict(now)


@PLAYED
def test_the_numbers_of_the_seats_do_not_matter(name, eager):
    for game in moments(name, eager):
        other = rotated(game)
        assert other.legal_actions() == game.legal_actions()
        for seat in range(game.num_players):
            assert np.array_equal(other.observation((seat + 1) % game.num_players), game.observation(seat))
        views = [game.observation(seat).tobytes() for seat in range(game.num_players)]
        assert len(set(views)) == game.num_players


# The layout


@pytest.mark.parametrize(("rules", "players"), TABLES.values(), ids=TABLES)
def test_the_blocks_cover_the_vector(rules, players):
    layout = ObservationLayout.for_table(rules, players)
    offset = 0
    for block in layout.blocks:
        assert block.offset == offset and block.size == np.prod(block.shape) >= 1 and block.meaning
        offset += block.size
    assert offset == layout.size
    assert len({block.name for block in layout.blocks}) == len(layout.blocks)
    table = layout.table().splitlines()
    assert len(table) == 2 + len(layout.blocks)
    assert all(f"`{block.name}`" in line for block, line in zip(layout.blocks, table[2:], strict=True))
    vector = np.arange(layout.size)
    parts = layout.split(vector)
    assert {name: part.shape for name, part in parts.items()} == {block.name: block.shape for block in layout.blocks}
    assert np.array_equal(np.concatenate([part.ravel() for part in parts.values()]), vector)
    batch = layout.split(np.stack([vector, vector + 1]).reshape(2, 1, -1))
    assert all(batch[block.name].shape == (2, 1, *block.shape) for block in layout.blocks)
    assert all(np.shares_memory(part, vector) for part in parts.values())


def test_an_impossible_table_has_no_layout():
    with pytest.raises(RulesError):
        ObservationLayout.for_table(BASIC, 7)


def faces(entries: np.ndarray) -> list[str]:
    """The cards of a block (copies, faces) or (faces,)."""
    return sorted(FACE_TEXT[face] for *_, face in np.argwhere(entries))


def steps(thermometer: np.ndarray, count: int, of: tuple[int, ...]) -> bool:
    return thermometer.tolist() == [int(count >= step) for step in of]


@PLAYED
def test_some_blocks_say_what_the_position_says(name, eager):
    for game in moments(name, eager):
        now, seats = game.to_dict(), game.num_players
        table = [card for meld in now["melds"] for card in meld["cards"].split()]
        for viewer in range(seats):
            view = game.observation(viewer)
            assert view.dtype == np.int8 and view.shape == (game.observation_layout.size,)
            assert set(np.unique(view)) <= {0, 1}
            seen = game.observation_layout.split(view)
            jokers = int(seen["hand_jokers"].sum()) if game.table.num_jokers else 0
            assert faces(seen["hand"]) + ["JK"] * jokers == sorted(cards(now["hands"][viewer]), key=by_joker)
            assert faces(seen["top"]) == now["discard"].split()[-1:]
            assert faces(seen["table"]) == sorted(card for card in table if not card.startswith("JK"))
            assert seen["phase"].tolist() == [now["phase"] == "draw", now["phase"] == "play"]
            assert seen["to_move"].argmax() == (game.player - viewer) % seats and seen["to_move"].sum() == 1
            assert faces(seen["taken"]) == ([now["taken"]] if now["taken"] else [])
            for relative in range(seats):
                seat = (viewer + relative) % seats
                assert steps(seen["hand_size"][relative], len(now["hands"][seat].split()), HAND_SIZE_STEPS)
            assert steps(seen["stock_size"], len(now["stock"].split()), STOCK_STEPS)
            assert unseen(game, seen) == not_seen(game, viewer)


def by_joker(card: str) -> tuple[bool, str]:
    return card == "JK", card


def unseen(game: Game, seen: dict[str, np.ndarray]) -> Counter[str]:
    count = Counter(faces(seen["unseen"]))
    if game.table.num_jokers:
        count["JK"] = int(seen["unseen_jokers"].sum())
    return +count


def not_seen(game: Game, viewer: int) -> Counter[str]:
    """The stock, and what the others hold without its being known."""
    now = game.to_dict()
    hidden = Counter(now["stock"].split())
    for seat, hand in enumerate(now["hands"]):
        if seat != viewer:
            hidden += Counter(hand.split()) - Counter(now["memory"]["held"][seat].split())
    return hidden


def test_state_is_all_observations():
    game = Game(CONTRACT, num_players=4, seed=1)
    game.apply(random.Random(1).choice(game.legal_actions()))
    assert np.array_equal(game.state().reshape(4, -1), [game.observation(seat) for seat in range(4)])
