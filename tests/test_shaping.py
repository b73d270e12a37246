"""Shaped rewards: the potential, what it adds up to, and the same in every environment."""

import copy
import pickle
import random

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from rummy_env import Game
from rummy_env.engine.potential import potentials
from rummy_env.envs.selfplay import SelfPlayVectorEnv
from rummy_env.envs.shaping import PotentialShaping, VectorPotentialShaping
from rummy_env.errors import ArgumentError
from tests.positions import BASIC as BASIC_RULES
from tests.positions import CONTRACT as CONTRACT_RULES
from tests.positions import position
from tests.seat_play import BASIC, CONTRACT, arguments_id, legal_action, legal_actions

TABLES = [
    (CONTRACT, {"episode": "deal"}),
    (CONTRACT, {"num_players": 3, "deals": [2, 7], "seat": "random"}),
    (BASIC, {"num_players": 3, "episode": "deal", "seat": 2}),
    (BASIC, {"rules": "configs/rules/tiny_rummy.yaml", "reward": "win"}),
]
every_table = pytest.mark.parametrize(("env_id", "kwargs"), TABLES, ids=arguments_id)
every_mode = pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])


def potential(game, seat=0):
    values = np.empty(1)
    potentials(game._rules, game._games, np.array([seat], np.int8), values)
    return values[0]


@pytest.mark.parametrize(
    ("hand", "cards", "points"),
    [
        ("5H 6H 7H 9C 9D 9S KC", 0, 55),  # the contract could be laid
        ("5H 6H 7H 9C 9D KC 2S", 1, 48),
        ("5H 6H 7H 9C 9D JK 2S", 0, 53),
        ("5H 8H JH 2C 4D KS AS", 3, 54),
    ],
)
def test_before_the_contract_cards_that_lack_and_points_count(hand, cards, points):
    assert potential(position(hand, deal=2)) == pytest.approx(-(cards + points / 10))


def test_after_the_contract_points_count():
    assert potential(position("5H 6H 7H JH", deal=2, down="earlier")) == pytest.approx(-2.8)


@pytest.mark.parametrize(
    ("rules", "table"),
    [(BASIC_RULES, {"players": 2}), (CONTRACT_RULES.replace(extra_melds="any"), {"deal": 2, "down": "earlier"})],
)
def test_where_melds_are_free_the_points_outside_of_them_count(rules, table):
    assert potential(position("5H 6H 7H JH", rules, **table)) == pytest.approx(-1.0)
    game = position("5H 6H 7H 8H 8C 8D JH", rules, **table)
    assert potential(game) == pytest.approx(-1.0)
    for text in ("meld 5H 6H 7H", "meld 8C 8D 8H"):
        game.apply(game.parse(text))
        assert potential(game) == pytest.approx(-1.0)


def test_laying_the_contract_never_lowers_the_potential():
    game = position("5H 6H 7H 9C 9D JK KC 2S", deal=2)
    seen = [potential(game)]
    for text in ("declare 9S", "meld 9C 9D 9S", "meld 5H 6H 7H", "discard KC"):
        game.apply(game.parse(text))
        seen.append(potential(game))
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(-0.2)


@pytest.mark.parametrize("rules", ["contract_rummy", "contract_rummy_two_packs", "basic_rummy"])
def test_nothing_hidden_counts(rules):
    game, rng = Game(rules, 3, seed=5), random.Random(5)
    for step in range(150):
        for viewer in range(3):
            assert potential(game.determinize(viewer, step), viewer) == potential(game, viewer)
        game.apply(rng.choice(game.legal_actions()))


@every_table
@pytest.mark.parametrize("gamma", [1.0, 0.9])
def test_no_policy_gains(env_id, kwargs, gamma):
    """The discounted return of an episode grows by minus the first potential, whatever is played."""
    env = PotentialShaping(gymnasium.make(env_id, **kwargs), weight=0.1, gamma=gamma)
    firsts = set()
    for seed in range(6):
        _, info = env.reset(seed=seed % 2)
        first, rng = 0.1 * env.unwrapped.potential(), random.Random(seed)
        firsts.add(first)
        gained, discount, terminated = 0.0, 1.0, False
        while not terminated:
            _, reward, terminated, _, info = env.step(legal_action(info["action_mask"], rng))
            gained += discount * (reward - info["unshaped_reward"])
            discount *= gamma
        assert gained == pytest.approx(-first)
        assert env.unwrapped.potential() == 0
    assert len(firsts) == 2


def test_steps_are_paid_for_the_difference():
    env = PotentialShaping(gymnasium.make(CONTRACT, num_players=2, episode="deal"), weight=0.5, gamma=0.9)
    plain = gymnasium.make(CONTRACT, num_players=2, episode="deal")
    _, info = env.reset(seed=3)
    plain.reset(seed=3)
    before, rng, terminated = env.unwrapped.potential(), random.Random(3), False
    while not terminated:
        action = legal_action(info["action_mask"], rng)
        _, reward, terminated, _, info = env.step(action)
        after = env.unwrapped.potential()
        assert info["unshaped_reward"] == plain.step(action)[1]
        assert reward == pytest.approx(info["unshaped_reward"] + 0.5 * (0.9 * after - before))
        before = after


@pytest.mark.parametrize("weights", [[0.1, 0.05, 0.0], [0.0, 0.2]])
def test_the_weight_may_change_during_an_episode(weights):
    """Each state keeps the potential that it had when it was reached."""
    env = PotentialShaping(gymnasium.make(CONTRACT, episode="deal"), weight=weights[0])
    _, info = env.reset(seed=1)
    first, rng = weights[0] * env.unwrapped.potential(), random.Random(1)
    gained, steps, terminated = 0.0, 0, False
    while not terminated:
        env.set_wrapper_attr("weight", weights[min(steps // 10, len(weights) - 1)])
        _, reward, terminated, _, info = env.step(legal_action(info["action_mask"], rng))
        gained, steps = gained + reward - info["unshaped_reward"], steps + 1
    assert steps > 20
    assert gained == pytest.approx(-first)


def test_an_illegal_action_ends_the_episode_for_the_potential_too():
    env = PotentialShaping(gymnasium.make(CONTRACT), weight=0.1)
    _, info = env.reset(seed=1)
    before = 0.1 * env.unwrapped.potential()
    _, reward, terminated, _, info = env.step(int(info["action_mask"].argmin()))
    assert terminated
    assert (reward, info["unshaped_reward"]) == (pytest.approx(-1 - before), -1)


@every_mode
@every_table
def test_many_games_are_paid_as_single_ones(env_id, kwargs, mode):
    count, rng = 3, random.Random(8)
    batch = VectorPotentialShaping(
        gymnasium.make_vec(env_id, num_envs=count, autoreset_mode=mode, **kwargs), weight=0.1, gamma=0.95
    )
    single = SyncVectorEnv(
        [lambda: PotentialShaping(gymnasium.make(env_id, **kwargs), weight=0.1, gamma=0.95)] * count,
        autoreset_mode=mode,
    )
    infos = batch.reset(seed=8)[1]
    single.reset(seed=8)
    ended, started = 0, np.zeros(count, bool)
    for step in range(300):
        actions = legal_actions(infos["action_mask"], rng)
        if step % 100 == 99:
            actions[step % count] = infos["action_mask"][step % count].argmin()
        _, rewards, terminated, _, infos = batch.step(actions)
        _, expected, _, _, told = single.step(actions)
        assert np.array_equal(rewards, expected)
        unshaped = infos["unshaped_reward"]
        alive = ~(started if mode is AutoresetMode.NEXT_STEP else terminated)
        assert np.array_equal(unshaped[alive], told.get("unshaped_reward", np.zeros(count))[alive])
        if mode is AutoresetMode.SAME_STEP:
            for row in np.flatnonzero(terminated):
                assert unshaped[row] == told["final_info"]["unshaped_reward"][row]
        started = terminated
        ended += terminated.sum()
    assert ended
    batch.close()


@pytest.mark.parametrize("weight", [0.0, 0.2])
def test_a_weight_of_zero_changes_no_reward(weight):
    envs = VectorPotentialShaping(gymnasium.make_vec(BASIC, num_envs=4, episode="deal"), weight)
    _, infos = envs.reset(seed=1)
    same, rng = True, random.Random(1)
    for _ in range(50):
        _, rewards, _, _, infos = envs.step(legal_actions(infos["action_mask"], rng))
        same &= np.array_equal(rewards, infos["unshaped_reward"])
    assert same == (weight == 0)


@pytest.mark.parametrize(("rules", "seats"), [("contract_rummy", 4), ("basic_rummy", 2)])
def test_every_seat_of_self_play(rules, seats):
    """They are those of the games as they stand, and their differences add up over a game."""
    env = SelfPlayVectorEnv(rules, 200, seats, episode="deal", num_threads=2)
    env.reset(seed=4)
    before = first = env.potentials()
    assert (before.shape, before.dtype) == ((200, seats), np.float64)
    gained, ended = np.zeros((200, seats)), 0
    for step in range(400):
        _, _, terminated, _, _ = env.step(env.random_actions())
        after = env.potentials()
        gained += np.where(terminated[:, None], 0, after) - before
        np.testing.assert_allclose(gained[terminated], -first[terminated], atol=1e-9)
        gained[terminated], first = 0, np.where(terminated[:, None], after, first)
        before, ended = after, ended + terminated.sum()
        if step % 50 == 0:
            game = env.game(step % 7)
            assert after[step % 7].tolist() == [potential(game, seat) for seat in range(seats)]
    assert ended


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies(duplicate):
    env = PotentialShaping(gymnasium.make(CONTRACT, episode="deal"))
    _, info = env.reset(seed=2)
    twin, rng = duplicate(env), random.Random(2)
    for _ in range(40):
        action = legal_action(info["action_mask"], rng)
        _, reward, terminated, _, info = env.step(action)
        assert twin.step(action)[1] == reward
        if terminated:
            break


def test_made_again_from_its_specification():
    spec = PotentialShaping(gymnasium.make(CONTRACT), weight=0.3, gamma=0.9).spec
    assert gymnasium.make(spec).get_wrapper_attr("weight") == 0.3


@pytest.mark.parametrize("wrong", [{"weight": float("nan")}, {"weight": float("inf")}, {"gamma": 0}, {"gamma": 1.1}])
def test_bad_numbers(wrong):
    name = next(iter(wrong))
    with pytest.raises(ArgumentError, match=f"{name}="):
        PotentialShaping(gymnasium.make(BASIC), **wrong)
    with pytest.raises(ArgumentError, match=f"{name}="):
        VectorPotentialShaping(gymnasium.make_vec(BASIC), **wrong)


def test_other_environments():
    with pytest.raises(ArgumentError, match=r"gymnasium\.make of"):
        PotentialShaping(gymnasium.make("CartPole-v1"))
    with pytest.raises(ArgumentError, match=r"gymnasium\.make_vec of"):
        VectorPotentialShaping(gymnasium.make_vec(BASIC, vectorization_mode="sync"))
