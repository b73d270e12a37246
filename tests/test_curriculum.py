"""Episodes of a single deal, drawn with weights that may change between episodes, in every environment."""

from collections import Counter

import gymnasium
import numpy as np
import pytest

from rummy_env import Game, basic_rummy_v0, contract_rummy_v0
from rummy_env.envs.selfplay import SelfPlayVectorEnv
from rummy_env.envs.vector import SeatVectorEnv
from rummy_env.errors import ArgumentError, RulesError
from tests.seat_play import BASIC, CONTRACT, legal_actions

WEIGHTS = {1: 0.5, 2: 0.3, 7: 0.2}
PINNED = [7, 1, 7, 2, 2, 1, 7, 1, 1, 7, 1, 7]
DEAL = {"num_players": 3, "episode": "deal"}
MAKERS = {
    "aec": contract_rummy_v0.env,
    "single": lambda **arguments: gymnasium.make(CONTRACT, **arguments).unwrapped,
    "vector": lambda **arguments: gymnasium.make_vec(CONTRACT, num_envs=5, **arguments),
    "selfplay": lambda **arguments: SelfPlayVectorEnv("contract_rummy", 5, **arguments),
}
every_door = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def played(env, seed):
    """Seeds and deals of the games after a reset."""
    env.reset(seed=seed)
    if isinstance(env, SeatVectorEnv):
        games = [env._table.game(row) for row in range(env.num_envs)]
    elif isinstance(env, SelfPlayVectorEnv):
        games = [env.game(row) for row in range(env.num_envs)]
    else:
        games = [env.game]
    return [(game.seed, game.deal) for game in games]


@every_door
def test_the_seed_draws_the_same_deal_everywhere(make):
    env = make(deals=WEIGHTS, **DEAL)
    games = {seed: deal for first in range(0, 100, 5) for seed, deal in played(env, first)}
    assert set(games.values()) == {1, 2, 7}
    assert games == {seed: Game(env.rules, 3, seed).deal for seed in games}


def test_a_list_draws_as_it_always_has():
    env = MAKERS["aec"](deals=[1, 2, 7], **DEAL)
    assert [played(env, seed)[0][1] for seed in range(12)] == PINNED


@every_door
def test_weights_change_between_episodes(make):
    env, alone = make(deals=WEIGHTS, **DEAL), make(deals=[7], **DEAL)
    before = played(env, 3)
    env.set_deals({7: 1})
    assert played(env, 3) == played(alone, 3)
    env.set_deals([1, 2])
    assert {deal for seed in range(30) for _, deal in played(env, seed)} == {1, 2}
    env.set_deals(WEIGHTS)
    assert played(env, 3) == before


@every_door
def test_refused_weights(make):
    env = make(deals=WEIGHTS, **DEAL)
    rules = env.rules
    with pytest.raises(ArgumentError, match=r"3 is none of the deals \[1, 2, 7\]"):
        env.set_deals({1: 1, 3: 1})
    for wrong in ({}, {1: 0}, {1: -1}, {1: "often"}):
        with pytest.raises(RulesError, match="deal_weights"):
            env.set_deals(wrong)
    assert env.rules is rules
    with pytest.raises(ArgumentError, match=r"weights are for episode='deal'"):
        make(deals=WEIGHTS)
    with pytest.raises(ArgumentError, match="only episodes of one deal"):
        make(num_players=3).set_deals([1])


@pytest.mark.parametrize(
    "make",
    [
        basic_rummy_v0.env,
        lambda **arguments: gymnasium.make(BASIC, **arguments).unwrapped,
        lambda **arguments: SelfPlayVectorEnv("basic_rummy", **arguments),
    ],
    ids=["aec", "single", "selfplay"],
)
def test_games_without_contracts_have_none(make):
    with pytest.raises(RulesError, match=r"deals: .* without contracts"):
        make(episode="deal", deals=WEIGHTS)
    with pytest.raises(ArgumentError, match="with contracts"):
        make(episode="deal").set_deals(WEIGHTS)


def test_a_deal_listed_twice_has_its_weight_once():
    env = gymnasium.make(CONTRACT, deals=[1, 1, 2], **DEAL).unwrapped
    env.set_deals({1: 1, 2: 1})
    assert sum(played(env, seed)[0][1] == 1 for seed in range(400)) == pytest.approx(200, abs=40)


def test_games_that_are_played_go_on():
    """Of two batches the one whose weights change plays the same until a game ends, and the other deal after that."""
    envs = [SelfPlayVectorEnv("contract_rummy", 8, deals=WEIGHTS, **DEAL) for _ in range(2)]
    for env in envs:
        env.reset(seed=1)
    envs[1].set_deals({2: 1})
    going, deals = np.ones(8, bool), Counter()
    for _ in range(3000):
        actions = envs[0].random_actions()
        one = envs[0].step(actions)
        if going.all():
            two = envs[1].step(envs[1].random_actions())
            going &= ~two[2]
            assert np.array_equal(one[0][going], two[0][going])
            deals.update(envs[1].game(row).deal for row in np.flatnonzero(two[2]))
    assert set(deals) == {2}


def test_batches_go_on_with_the_new_weights():
    vector = gymnasium.make_vec(CONTRACT, num_envs=8, deals=WEIGHTS, autoreset_mode="SameStep", **DEAL)
    _, infos = vector.reset(seed=1)
    vector.set_deals({2: 1})
    rng, ended = np.random.default_rng(1), 0
    while ended < 8:
        *_, terminated, _, infos = vector.step(legal_actions(infos["action_mask"], rng))
        for row in np.flatnonzero(terminated):
            assert vector._table.game(row).deal == 2
            ended += 1


@pytest.mark.parametrize("env_class", ["ours", "stock"])
def test_stable_baselines3(env_class):
    pytest.importorskip("stable_baselines3", reason="stable_baselines3 comes with the extra 'train'")
    from stable_baselines3.common.vec_env import DummyVecEnv

    from rummy_env.envs.sb3 import make_vec_env

    arguments = {"deals": WEIGHTS, **DEAL}
    if env_class == "ours":
        env = make_vec_env(CONTRACT, 4, seed=1, **arguments)
        games = env.vector._table.game
        with pytest.raises(ArgumentError, match="share one environment"):
            env.env_method("set_deals", [1], indices=[0])
    else:
        env = DummyVecEnv([lambda: gymnasium.make(CONTRACT, **arguments)] * 4)

        def games(row):
            return env.envs[row].unwrapped.game

    env.env_method("set_deals", {7: 1})
    env.reset()
    assert {games(row).deal for row in range(4)} == {7}


@every_door
def test_the_observation_keeps_its_blocks(make):
    arguments = {"observation": "planning", **DEAL}
    env, alone = make(deals=WEIGHTS, **arguments), make(deals={1: 0, 2: 0, 7: 1}, **arguments)
    env.set_deals({7: 1})
    seen = []
    for one in (env, alone):
        result = one.reset(seed=2)
        seen.append(one.observe("player_0")["observation"] if result is None else result[0])
    assert np.array_equal(*seen)
