# ruff: noqa: E402 -- what the extra brings is imported once it is known to be there
"""The Stable-Baselines3 environment: its kit, masks, monitoring, evaluation, training; skipped without the extra."""

import random
import sys
import warnings
from functools import partial

import gymnasium
import numpy as np
import pytest

from rummy_env import RuleSet
from rummy_env.agents import load_agent
from rummy_env.arena import Match, run
from rummy_env.envs.shaping import PotentialShaping, VectorPotentialShaping
from rummy_env.envs.vector import SeatVectorEnv
from rummy_env.errors import ArgumentError, MissingExtraError, RulesError
from tests.seat_play import BASIC, CONTRACT, every_combination, every_id, legal_actions

NEEDED = ("torch", "stable_baselines3", "sb3_contrib")
for name in NEEDED:
    pytest.importorskip(name, reason=f"{name} comes with the extra 'train'")

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env as stock_make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecCheckNan

from rummy_env.envs.sb3 import SeatVecEnv, evaluate, make_vec_env

torch.set_num_threads(1)
SMALL = {"n_steps": 64, "batch_size": 128, "n_epochs": 2, "policy_kwargs": {"net_arch": [32]}, "seed": 1}


@every_combination
def test_check_env(env_id, kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(env_id, **kwargs).unwrapped)


@every_combination
def test_equal_to_the_stock_batch(env_id, kwargs):
    """As `DummyVecEnv` over the single environment, observation by observation and information by information."""
    count, rng = 3, random.Random(4)
    env = make_vec_env(env_id, count, seed=4, **kwargs)
    stock = DummyVecEnv([lambda: Monitor(gymnasium.make(env_id, **kwargs))] * count)
    stock.seed(4)
    assert np.array_equal(env.reset(), stock.reset())
    assert [sorted(info) for info in env.reset_infos] == [sorted(info) for info in stock.reset_infos]
    for step in range(250):
        masks = get_action_masks(env)
        assert masks.dtype == np.bool_
        assert np.array_equal(masks, get_action_masks(stock))
        actions = legal_actions(masks, rng)
        if step % 100 == 99:
            actions[step % count] = masks[step % count].argmin()
        one, two = env.step(actions), stock.step(actions)
        for left, right in zip(one[:3], two[:3], strict=True):
            assert left.dtype == right.dtype
            assert np.array_equal(left, right)
        for own, theirs in zip(one[3], two[3], strict=True):
            assert_same_info(own, theirs)
    env.close()
    env.close()


def assert_same_info(own, theirs):
    ended = "episode" in theirs
    theirs = {key: value for key, value in theirs.items() if key != "TimeLimit.truncated" or ended}
    assert set(own) == set(theirs)
    for key, value in theirs.items():
        if key == "episode":
            assert (own[key]["r"], own[key]["l"]) == (pytest.approx(value["r"], abs=1e-5), value["l"])
        elif isinstance(value, np.ndarray) and (key != "action_mask" or not ended):
            assert np.array_equal(own[key], value)
        elif key != "action_mask":
            assert own[key] == value


@every_id
def test_attributes_and_methods(env_id):
    env = make_vec_env(env_id, 4, seed=1, render_mode="ansi")
    env.reset()
    assert is_masking_supported(env)
    assert is_masking_supported(VecCheckNan(env))
    assert not env.has_attr("nothing")
    assert env.get_attr("render_mode") == ["ansi"] * 4
    assert np.array_equal(env.get_attr("action_masks", indices=2)[0](), env.env_method("action_masks", indices=[2])[0])
    assert len(env.env_method("render")) == 4
    assert env.env_is_wrapped(Monitor) == [True] * 4
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False] * 4
    with pytest.raises(AttributeError, match="nothing"):
        env.env_method("nothing")
    with pytest.raises(AttributeError):
        env.get_attr("nothing")
    with pytest.raises(ArgumentError, match="share one environment"):
        env.set_attr("render_mode", None, indices=[1])
    env.set_attr("render_mode", None)
    assert env.env_method("render") == [None] * 4


def test_names_and_arguments():
    space = make_vec_env(BASIC, 2).observation_space
    assert all(make_vec_env(name, 2).observation_space == space for name in ("basic_rummy", f"rummy_env:{BASIC}"))
    with pytest.raises(ArgumentError, match=r"canasta.*ContractRummy"):
        make_vec_env("canasta")
    with pytest.raises(ArgumentError, match="num_envs=0"):
        make_vec_env(CONTRACT, 0)
    with pytest.raises(RulesError):
        make_vec_env(CONTRACT, 2, num_players=99)
    with pytest.raises(ArgumentError, match="copy=False"):
        make_vec_env(CONTRACT, 2, copy=False)
    with pytest.raises(ArgumentError, match="SAME_STEP"):
        SeatVecEnv(SeatVectorEnv(2))
    with pytest.raises(ArgumentError, match="expected a SeatVectorEnv"):
        SeatVecEnv(gymnasium.make_vec("CartPole-v1"))


def test_options():
    env = make_vec_env(BASIC, 2, seed=1, num_players=2)
    env.reset()
    position = env.vector._table.game(0).to_dict()
    env.set_options({"position": position})
    first = env.reset()
    assert np.array_equal(first[0], first[1])
    env.set_options([{"position": position}, {}])
    with pytest.raises(ArgumentError, match="must be the same"):
        env.reset()


@every_id
def test_shaped_rewards(env_id):
    """As in the stock batch over the shaped single environment; what is monitored are the rewards of the game."""
    shape = {"weight": 0.1, "gamma": 0.95}
    env = make_vec_env(env_id, 3, seed=4, episode="deal", wrapper=partial(VectorPotentialShaping, **shape))
    stock = DummyVecEnv([lambda: PotentialShaping(Monitor(gymnasium.make(env_id, episode="deal")), **shape)] * 3)
    stock.seed(4)
    env.reset()
    stock.reset()
    rng, ended = random.Random(4), 0
    for step in range(250):
        if step == 100:
            env.set_attr("weight", 0.02)
            stock.set_attr("weight", 0.02)
        actions = legal_actions(get_action_masks(env), rng)
        (_, one, _, infos), (_, two, _, expected) = env.step(actions), stock.step(actions)
        np.testing.assert_allclose(one, two, atol=1e-6)
        for own, theirs in zip(infos, expected, strict=True):
            assert own["unshaped_reward"] == theirs["unshaped_reward"]
            if "episode" in theirs:
                ended += 1
                assert own["episode"]["r"] == pytest.approx(theirs["episode"]["r"], abs=1e-5)
    assert ended
    assert env.get_attr("weight") == [0.02] * 3
    assert env.env_method("render") == [None] * 3


@every_id
def test_training_never_plays_an_illegal_action(env_id):
    env = make_vec_env(env_id, 16, seed=1, episode="deal")
    illegal, lengths = [], []

    def count(local, _):
        illegal.extend(info["illegal_action"] for info in local["infos"] if "illegal_action" in info)
        lengths.extend(info["episode"]["l"] for info in local["infos"] if "episode" in info)
        return True

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = MaskablePPO("MlpPolicy", env, **SMALL).learn(4096, callback=count)
    assert lengths
    assert not illegal
    result = evaluate(model, env, 10)
    assert (len(result.returns), result.illegal_actions) == (10, 0)
    assert result.lengths.min() > 0
    assert np.isfinite([result.mean, result.standard_error]).all()
    evaluate_policy(model, env, 4)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the engine's threads are idle when it forks
@pytest.mark.parametrize("start_method", ["fork", "spawn"])
def test_processes(start_method):
    env = stock_make_vec_env(
        f"rummy_env:{BASIC}",  # so that a process that starts afresh imports what registers it
        n_envs=2,
        seed=1,
        vec_env_cls=SubprocVecEnv,
        vec_env_kwargs={"start_method": start_method},
        env_kwargs={"episode": "deal", "render_mode": None},
    )
    model = MaskablePPO("MlpPolicy", env, **SMALL).learn(256)
    assert evaluate(model, env, 4).illegal_actions == 0
    env.close()


def test_pictures_of_all_games():
    """Where the stock helper asks for pictures, and in the batch."""
    pytest.importorskip("pygame")
    stock = stock_make_vec_env(BASIC, n_envs=1)
    stock.reset()
    batch = make_vec_env(BASIC, 2, seed=1, render_mode="rgb_array")
    batch.reset()
    assert [image.shape for image in (*stock.get_images(), *batch.get_images())] == [(640, 960, 3)] * 3
    assert make_vec_env(BASIC, 2, seed=1).get_images() == [None] * 2


class Unmasked(gymnasium.Wrapper):
    """Hides the masks."""

    def get_wrapper_attr(self, name):
        """All but the masks."""
        if name == "action_masks":
            raise AttributeError(name)
        return super().get_wrapper_attr(name)

    def has_wrapper_attr(self, name):
        """All but the masks."""
        return name != "action_masks" and super().has_wrapper_attr(name)


def test_evaluation_insists_on_masks():
    env = gymnasium.make(BASIC, episode="deal")
    model = MaskablePPO("MlpPolicy", env, **SMALL)
    assert evaluate(model, env, 2).illegal_actions == 0
    with pytest.raises(ArgumentError, match="unmasked"):
        evaluate(model, Unmasked(env), 2)
    with pytest.raises(ArgumentError, match="n_episodes=0"):
        evaluate(model, env, 0)


def test_evaluation_of_a_model_without_masks():
    env = make_vec_env(BASIC, 4, seed=1, episode="deal")
    result = evaluate(PPO("MlpPolicy", env, **SMALL), env, 6)
    assert len(result.returns) == 6
    assert (result.returns[result.returns == -1]).size >= result.illegal_actions > 0


def test_evaluation_counts_games_evenly():
    """Each game gives its share of the episodes, however short they are elsewhere."""
    env = make_vec_env(BASIC, 4, seed=1, episode="deal")
    model = MaskablePPO("MlpPolicy", env, **SMALL)
    assert len(evaluate(model, env, 3).returns) == 3
    assert len(evaluate(model, env, 9).returns) == 9


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "stable_baselines3.common.monitor", None)
    monkeypatch.delitem(sys.modules, "rummy_env.envs.sb3")
    with pytest.raises(MissingExtraError, match=r"rummy-env\[train\]"):
        __import__("rummy_env.envs.sb3")


@pytest.mark.parametrize("observation", ["plain", "planning"])
def test_a_saved_model_is_an_agent(observation, tmp_path):
    """By its file: in the arena, and as an opponent, on the observations that it was trained on."""
    env = make_vec_env(BASIC, 4, seed=1, episode="deal", observation=observation)
    MaskablePPO("MlpPolicy", env, **SMALL).save(tmp_path / "model.zip")
    agent = load_agent(str(tmp_path / "model.zip"))
    with pytest.raises(ArgumentError, match="cannot play basic_rummy with 3 players"):
        agent.prepare(RuleSet.preset("basic_rummy"), 3)
    report = run(Match([agent, "random"], "basic_rummy", 2, deals=4))
    assert agent.observation == observation and not report.forfeits
    with pytest.raises(ArgumentError, match="it takes observations of shape"):
        gymnasium.make(BASIC, opponents=agent)  # a whole game has other observations
    assert gymnasium.make(BASIC, opponents=agent, episode="deal").reset(seed=1)


def test_a_file_that_is_no_model(tmp_path):
    (tmp_path / "model.zip").write_text("model")
    with pytest.raises(ArgumentError, match="is no model of MaskablePPO"):
        load_agent(str(tmp_path / "model.zip"))
