"""The environments write records: of every finished episode, of the game that would have been played without."""

import copy
import pickle
import random

import gymnasium
import numpy as np
import pytest

from rummy_env import Game, basic_rummy_v0
from rummy_env.agents import load_agent
from rummy_env.envs.selfplay import SelfPlayVectorEnv
from rummy_env.envs.vector import SeatVectorEnv
from rummy_env.errors import IllegalActionError
from rummy_env.record import read_records, replay
from tests.aec_play import every_module, play
from tests.seat_play import BASIC, CONTRACT, every_id


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.jsonl"


@every_module
def test_aec_episodes_are_recorded(module, path):
    env = module.env(episode="deal", record=path)
    played = []
    for seed in (3, 4):
        env.reset(seed=seed)
        play(env, random.Random(seed))
        played.append(env.game)
    records = list(read_records(path))
    assert [record.seed for record in records] == [3, 4]
    assert [replay(record).to_dict() for record in records] == [game.to_dict() for game in played]


def test_an_aec_episode_from_a_position_is_recorded_with_it(path):
    start = Game(basic_rummy_v0.env(episode="deal").rules, 2, 6).to_dict()
    env = basic_rummy_v0.env(episode="deal", record=path)
    env.reset(seed=1, options={"position": start})
    play(env, random.Random(1))
    (record,) = read_records(path)
    assert record.start is not None
    assert replay(record).to_dict() == env.game.to_dict()


def test_a_forfeited_aec_episode_is_recorded_up_to_the_illegal_action(path):
    env = basic_rummy_v0.env(record=path)
    env.reset(seed=1)
    env.step(int(env.infos[env.agent_selection]["action_mask"].argmin()))
    (record,) = read_records(path)
    assert record.actions == ()


def episodes(env, count, seed):
    """Observations, rewards and information of some episodes of random play."""
    choose, seen = np.random.default_rng(seed), []
    for number in range(count):
        observation, info = env.reset(seed=seed + number)
        terminated = False
        while not terminated:
            action = int(choose.choice(np.flatnonzero(info["action_mask"])))
            observation, reward, terminated, _, info = env.step(action)
            seen.append((observation.tobytes(), reward))
        seen.append((info["scores"].tolist(), info["seat"]))
    return seen


@every_id
@pytest.mark.parametrize("opponents", ["random", "greedy"])
def test_episodes_of_a_seat_are_recorded_and_the_same_as_without(env_id, opponents, path):
    arguments = {"num_players": 3, "episode": "deal", "seat": "random", "opponents": opponents}
    recorded = episodes(gymnasium.make(env_id, record=path, **arguments), 3, seed=7)
    assert recorded == episodes(gymnasium.make(env_id, **arguments), 3, seed=7)
    records = list(read_records(path))
    assert [record.seed for record in records] == [7, 8, 9]
    scores = [scores for scores, _ in (entry for entry in recorded if isinstance(entry[0], list))]
    assert [replay(record).scores for record in records] == scores


def test_a_forfeited_episode_of_a_seat_is_recorded_up_to_the_illegal_action(path):
    env = gymnasium.make(BASIC, record=path, seat=0)
    _, info = env.reset(seed=2)
    env.step(int(info["action_mask"].argmin()))
    (record,) = read_records(path)
    assert replay(record).player == 0


def test_an_episode_of_a_seat_from_a_position_is_recorded_with_it(path):
    env = gymnasium.make(BASIC, episode="deal", record=path)
    start = Game(env.unwrapped.rules, 2, 6).to_dict()
    _, info = env.reset(seed=1, options={"position": start})
    terminated = False
    while not terminated:
        _, _, terminated, _, info = env.step(int(info["action_mask"].argmax()))
    (record,) = read_records(path)
    assert record.start == start
    assert replay(record).scores == info["scores"].tolist()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_episodes_of_a_batch_are_recorded(mode, path):
    envs = SeatVectorEnv(3, episode="deal", autoreset_mode=mode, record=path, num_players=2)
    twins = SeatVectorEnv(3, episode="deal", autoreset_mode=mode, num_players=2)
    _, infos = envs.reset(seed=5)
    twins.reset(seed=5)
    choose, finished = np.random.default_rng(5), 0
    while finished < 5:
        masks = infos["action_mask"] + (infos["action_mask"].sum(axis=1) == 0)[:, None]
        actions = np.array([choose.choice(np.flatnonzero(mask)) for mask in masks])
        observations, rewards, terminated, _, infos = envs.step(actions)
        others = twins.step(actions)
        assert np.array_equal(observations, others[0])
        assert np.array_equal(rewards, others[1])
        finished += int(terminated.sum())
    records = list(read_records(path))
    assert len(records) == finished
    assert all(replay(record).over for record in records)


def self_play(env, steps):
    """Two rows at random, the last by an agent; what every step returned, and the finished games, played along."""
    agent, last = load_agent("greedy"), np.array([2])
    games = [Game(env.rules, env.num_players, int(seed)) for seed in env.seeds]
    returned, finished = [], []
    for _ in range(steps):
        actions = env.random_actions()
        actions[last] = env.agent_actions(agent, last)
        for game, action in zip(games, actions.tolist(), strict=True):
            game.apply(action)
        observations, rewards, terminated, _, _ = env.step(actions)
        returned.append((observations.tobytes(), rewards.tobytes(), terminated.tobytes()))
        for row in np.flatnonzero(terminated):
            finished.append(games[row].to_dict())
            games[row] = Game(env.rules, env.num_players, int(env.seeds[row]))
    return returned, finished


@pytest.mark.parametrize("preset", ["contract_rummy", "basic_rummy"])
def test_games_of_self_play_are_recorded_and_the_same_as_without(preset, path):
    arguments = {"rules": preset, "num_envs": 3, "num_players": 3, "episode": "deal"}
    env, plain = SelfPlayVectorEnv(record=path, **arguments), SelfPlayVectorEnv(**arguments)
    env.reset(seed=[4, 5, 6])
    plain.reset(seed=[4, 5, 6])
    returned, finished = self_play(env, 1500)
    assert returned == self_play(plain, 1500)[0]
    records = list(read_records(path))
    assert len(records) > 3
    assert [replay(record).to_dict() for record in records] == finished
    assert {4, 5, 6} < {record.seed for record in records}


def test_an_abandoned_or_refused_move_of_self_play_is_in_no_record(path):
    env = SelfPlayVectorEnv("basic_rummy", num_envs=3, episode="deal", record=path)
    env.reset(seed=1)
    self_play(env, 5)
    _, info = env.reset(seed=2)
    with pytest.raises(IllegalActionError):
        env.step(info["action_mask"].argmin(axis=1))
    _, finished = self_play(env, 500)
    assert [replay(record).to_dict() for record in read_records(path)] == finished != []


def test_self_play_with_other_deals_is_recorded_by_the_rules_of_each_game(path):
    env = SelfPlayVectorEnv("contract_rummy", num_envs=3, num_players=2, episode="deal", deals=[1, 2], record=path)
    env.set_deals([1])
    env.reset(seed=3)
    first = set(env.seeds.tolist())
    env.set_deals([2])
    for _ in range(2000):
        env.step(env.random_actions())
    records = list(read_records(path))
    asked = {record.seed: replay(record) and record.deals[0]["contract"] for record in records}
    assert len(records) > 3 == len(first)
    assert all(number == (1 if seed in first else 2) for seed, number in asked.items())


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_of_an_environment_records_its_own_games(duplicate, path):
    env = SelfPlayVectorEnv("basic_rummy", num_envs=3, episode="deal", record=path)
    env.reset(seed=7)
    for _ in range(20):
        env.step(env.random_actions())
    twin = duplicate(env)
    while not env.step(env.random_actions())[2].any():
        pass
    ended = list(read_records(path))
    for _ in range(20):
        env.step(env.random_actions())
    while not twin.step(twin.random_actions())[2].any():
        pass
    assert [record.digest for record in read_records(path)][-len(ended) :] == [record.digest for record in ended]
    assert all(replay(record).over for record in ended)


def test_a_recorded_episode_has_its_last_moves_for_pictures(path):
    env = gymnasium.make(CONTRACT, record=path)
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))
    moves = env.unwrapped._table.moves(0)
    assert 0 < len(moves) <= 6
    assert gymnasium.make(CONTRACT).unwrapped._table.moves(0) == []
