"""The table as a picture: everything that is public is in it, nothing of another hand; nothing is cut or covered."""

import copy
import pickle
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordVideo
from hypothesis import given
from hypothesis import strategies as st
from positions import TWO_PACKS, position

from rummy_env import Game, contract_rummy_v0
from rummy_env.envs.single import SeatEnv
from rummy_env.envs.vector import SeatVectorEnv
from rummy_env.errors import MissingExtraError
from rummy_env.render.image import SIZE, render_image
from rummy_env.render.layout import SMALLEST, Place, card_width, fan, hand_and_melds, index_height, index_width
from tests.seat_play import BASIC, every_id

pygame = pytest.importorskip("pygame")

PLACE = Place(3, 5, 460, 92)


def covered(cards, number, later):
    """Whether a later card lies on the index of card `number`."""
    x, y = cards.corners[number]
    other_x, other_y = cards.corners[later]
    inside_x = x - card_width(cards.height) < other_x < x + index_width(cards.height)
    return inside_x and y - cards.height < other_y < y + index_height(cards.height)


def assert_in_sight(cards, place):
    """No card reaches out of the place, and no index is covered by another card."""
    for number, (x, y) in enumerate(cards.corners):
        assert place.x <= x and x + card_width(cards.height) <= place.x + place.width
        assert place.y <= y and y + cards.height <= place.y + place.height
        assert not any(covered(cards, number, later) for later in range(number + 1, len(cards.corners)))


@given(st.integers(0, 108), st.integers(300, 940), st.integers(80, 240))
def test_a_fan_of_any_size_is_in_sight(count, width, height):
    place = Place(7, 9, width, height)
    cards = fan(count, place)
    assert len(cards.corners) == count
    assert cards.height > SMALLEST
    assert_in_sight(cards, place)


@given(st.integers(0, 60), st.lists(st.integers(3, 14), max_size=8), st.integers(88, 240))
def test_a_hand_and_melds_of_any_size_are_in_sight(hand, melds, height):
    place = Place(7, 9, 455, height)
    in_hand, on_table = hand_and_melds(hand, melds, place)
    assert len(on_table.corners) == sum(melds)
    assert_in_sight(in_hand, place)
    assert_in_sight(on_table, place)
    for x, y in on_table.corners:
        below = all(y >= other_y + in_hand.height for _, other_y in in_hand.corners)
        right = all(x >= other_x + card_width(in_hand.height) for other_x, _ in in_hand.corners)
        assert below or right


def test_few_cards_are_large():
    assert fan(10, PLACE).height > 70
    assert fan(2, PLACE).height == PLACE.height


def played(preset, players, steps=80):
    random = np.random.default_rng(8)
    game = Game(preset, players, 3)
    for _ in range(steps):
        game.apply(int(random.choice(game.legal_actions())))
    return game


@pytest.mark.parametrize(
    ("preset", "players"), [("contract_rummy", 2), ("contract_rummy", 4), ("contract_rummy", 8), ("basic_rummy", 3)]
)
def test_the_picture_of_a_seat_does_not_depend_on_hidden_cards(preset, players):
    game = played(preset, players)
    image = render_image(game)
    assert image.shape == (SIZE[1], SIZE[0], 3)
    assert image.dtype == np.uint8
    for viewer in range(players):
        own = render_image(game, viewer)
        assert np.array_equal(own, render_image(game.determinize(viewer, 5), viewer))
        assert not np.array_equal(own, image)


def table(**changes):
    public = {"down": "earlier", "melds": ["5H JK(6H) 7H", "0: 9C 9D 9H"], "pile": "KC KD 4S", "others": ["2S 3S"]}
    return position("6H 2C 3D", TWO_PACKS, **(public | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"pile": "KH KD 4S"},
        {"melds": ["5H 6H 7H", "0: 9C 9D 9H"]},
        {"melds": ["5H JK(6H) 7H", "0: 9C 9D 9S"]},
        {"melds": ["0: 5H JK(6H) 7H", "9C 9D 9H"]},
        {"others": ["2S 4S"]},
        {"others": ["2S 3S 4D"]},
        {"scores": [0, 5, 0, 0]},
        {"taken": "6H"},
        {"deal": 3},
        {"turn": 12},
    ],
    ids=str,
)
def test_whatever_is_on_the_table_is_in_the_picture(changes):
    assert not np.array_equal(render_image(table(**changes)), render_image(table()))


def test_the_last_moves_are_in_the_picture():
    game = table()
    moves = [(seat % 4, game.parse(f"discard {card}")) for seat, card in enumerate("2C 3C 4C 5C 6C 7C 8C".split())]
    assert not np.array_equal(render_image(game, moves=moves[:1]), render_image(game))
    assert np.array_equal(render_image(game, moves=moves), render_image(game, moves=moves[1:]))


def test_an_unknown_viewer_is_refused():
    with pytest.raises(IndexError, match="viewer 4"):
        render_image(table(), viewer=4)


def test_without_pygame_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    env = contract_rummy_v0.env(render_mode="rgb_array")
    env.reset(seed=1)
    with pytest.raises(MissingExtraError, match=r"rummy-env\[render\]"):
        env.render()


def test_every_picture_of_an_aec_game_shows_the_move_before():
    env = contract_rummy_v0.env(render_mode="rgb_array", viewer=0)
    env.reset(seed=1)
    before = env.render()
    env.step(env.game.legal_actions()[0])
    after = env.render()
    assert not np.array_equal(before, after)
    env.reset(seed=1)
    assert np.array_equal(env.render(), before)
    env.close()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_an_environment_with_an_open_window_can_be_copied(duplicate, monkeypatch):
    monkeypatch.setitem(contract_rummy_v0.raw_env.metadata, "render_fps", 1000)
    env = contract_rummy_v0.env(render_mode="human")
    env.reset(seed=1)
    other = duplicate(env)
    for twin in (env, other):
        twin.step(twin.game.legal_actions()[0])
        twin.close()
        twin.close()


def test_closing_the_window_interrupts():
    env = contract_rummy_v0.env(render_mode="human")
    env.reset(seed=1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    with pytest.raises(KeyboardInterrupt):
        env.render()
    assert not pygame.display.get_init()


@every_id
@pytest.mark.parametrize("mode", ["ansi", "rgb_array", "human"])
def test_check_env_in_every_mode(env_id, mode, monkeypatch):
    monkeypatch.setitem(SeatEnv.metadata, "render_fps", 1000)
    env = gymnasium.make(env_id, render_mode=mode)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


@every_id
def test_the_learner_may_be_the_viewer(env_id):
    env = gymnasium.make(env_id, render_mode="rgb_array", viewer="learner", seat=1)
    env.reset(seed=4)
    assert np.array_equal(env.render(), render_image(env.unwrapped.game, viewer=1))


def test_a_video_is_recorded(tmp_path):
    pytest.importorskip("moviepy")
    env = RecordVideo(gymnasium.make(BASIC, render_mode="rgb_array"), str(tmp_path / "video"))
    _, info = env.reset(seed=4)
    for _ in range(5):
        _, _, _, _, info = env.step(info["action_mask"].argmax())
    env.close()
    assert [path.suffix for path in (tmp_path / "video").iterdir()] == [".mp4"]


def test_a_batch_has_a_picture_of_each_game():
    envs = SeatVectorEnv(2, render_mode="rgb_array", viewer="learner")
    envs.reset(seed=4)
    first, second = envs.render()
    assert first.shape == second.shape == (SIZE[1], SIZE[0], 3)
    assert not np.array_equal(first, second)
