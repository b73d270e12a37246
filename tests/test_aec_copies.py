"""Copies and pickles of the PettingZoo environments: all of the live state, all arguments."""

import copy
import pickle
import random

import pytest
from gymnasium.utils.env_checker import data_equivalence

from rummy_env import basic_rummy_v0, contract_rummy_v0
from rummy_env.rules import RuleSet
from tests.aec_play import every_module, play, play_until


@every_module
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("phase", ["draw", "play", "melds", "over"])
def test_identical_futures(module, duplicate, phase):
    """A copy in mid-game goes on exactly as the original, itself undisturbed (P39)."""
    env = module.env(episode="deal" if phase == "over" else "game")
    env.reset(seed=30)
    rng = random.Random(30)
    if phase == "over":
        play(env, rng)
    else:
        wanted = {
            "draw": lambda game: game.phase == "draw" and game.history,
            "play": lambda game: game.phase == "play",
            "melds": lambda game: game.phase == "play" and game.to_dict()["melds"],
        }[phase]
        play_until(env, wanted, rng)
    for agent in env.possible_agents:
        env.action_space(agent).seed(7)
    other = duplicate(env)
    assert other.rules == env.rules
    for _ in range(2):
        futures = []
        for twin in (env, other):
            steps = []
            for agent in twin.agent_iter(300):
                observation, reward, terminated, truncated, info = twin.last()
                finished = terminated or truncated
                action = None if finished else twin.action_space(agent).sample(observation["action_mask"])
                twin.step(action)
                steps.append((agent, observation, reward, terminated, info, action))
            futures.append((steps, twin.state()))
            twin.reset()
        assert data_equivalence(*futures)


@pytest.mark.parametrize(
    ("module", "kwargs"),
    [
        (contract_rummy_v0, {"num_players": 5}),
        (contract_rummy_v0, {"rules": "contract_rummy_two_packs"}),
        (contract_rummy_v0, {"rules": {"ace_value": 20}}),
        (contract_rummy_v0, {"rules": RuleSet.preset("contract_rummy").replace(joker_value=25)}),
        (contract_rummy_v0, {"episode": "deal"}),
        (contract_rummy_v0, {"deals": [3, 5]}),
        (contract_rummy_v0, {"reward": "win"}),
        (contract_rummy_v0, {"illegal_action": "raise"}),
        (contract_rummy_v0, {"render_mode": "ansi"}),
        (basic_rummy_v0, {"num_players": 6}),
    ],
    ids=str,
)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_every_argument_survives(module, kwargs, duplicate):
    """Also before the first reset (P40), and a reset changes none of them (P03)."""
    env = module.env(**kwargs)
    default = module.env()
    other = duplicate(env)
    names = ("num_players", "rules", "episode", "reward", "illegal_action", "render_mode")
    expected = {name: getattr(env, name) for name in names}
    assert expected != {name: getattr(default, name) for name in names}
    for twin in (env, other):
        for seed in (None, 5, None):
            assert {name: getattr(twin, name) for name in names} == expected
            assert twin.observation_spaces == env.observation_spaces
            assert twin.action_spaces == env.action_spaces
            twin.reset(seed=seed)
            assert twin.game.rules == expected["rules"]
    assert data_equivalence(env.observe("player_0"), other.observe("player_0"))
