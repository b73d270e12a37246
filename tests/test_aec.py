"""The PettingZoo environments: the library's own kit and the protocol of agents, observations and masks."""

import copy
import random
import warnings
from itertools import pairwise

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, render_test, seed_test

from rummy_env import basic_rummy_v0, contract_rummy_v0
from rummy_env.game import Game
from tests.aec_play import drain, every_combination, every_module, legal_action, play

ALLOWED_WARNINGS = (
    # The kit expects arrays, and exempts dictionaries with a mask only for a list of PettingZoo's own environments.
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    # A finished agent has no legal action, and the kit looks at its last observation.
    "Action mask numpy array is all zeros (no legal actions).",
)


@every_combination
def test_api(module, kwargs):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(module.env(**kwargs), num_cycles=200)
    assert {str(warning.message) for warning in caught} <= set(ALLOWED_WARNINGS)


@every_combination
def test_seed(module, kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seed_test(lambda: module.env(**kwargs), num_cycles=100)


@every_combination
def test_render(module, kwargs, monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setitem(module.raw_env.metadata, "render_fps", 1000)
    render_test(lambda render_mode: module.env(**kwargs, render_mode=render_mode))


@every_module
def test_long_seed(module):
    seed_test(module.env, num_cycles=1000)


def test_ansi_shows_the_table():
    env = contract_rummy_v0.env(render_mode="ansi")
    env.reset(seed=3)
    text = env.render()
    position = env.game.to_dict()
    assert all(hand in text for hand in position["hands"])
    assert "deal 1" in text


def test_no_render_mode():
    env = contract_rummy_v0.env()
    env.reset(seed=3)
    assert env.render() is None
    env.close()
    env.close()


@every_module
def test_agent_selection_follows_the_turn(module):
    """A turn is draw, placements, discard by one agent; then the next seat draws (P27)."""
    env = module.env()
    env.reset(seed=5)
    rng = random.Random(5)
    trace = []
    while len(trace) < 400 and not env.terminations[env.agent_selection]:
        action = legal_action(env, rng)
        kind = env.game.layout.decode(action).kind
        trace.append((env.agent_selection, env.game.phase, kind, env.game.deal))
        env.step(action)
    for (agent, _, kind, deal), (following, phase, _, next_deal) in pairwise(trace):
        if deal != next_deal:
            assert phase == "draw"
        elif kind == "discard":
            assert phase == "draw"
            assert env.possible_agents.index(following) == (int(agent[-1]) + 1) % env.num_players
        else:
            assert (following, phase) == (agent, "play")
    assert any(kind.startswith(("draw", "take")) for _, _, kind, _ in trace)
    assert any(kind == "discard" for _, _, kind, _ in trace)


@every_module
def test_same_game_as_the_game_class(module):
    env = module.env()
    env.reset(seed=11)
    game = Game(env.rules, env.num_players, seed=11)
    rng = random.Random(11)
    for _ in range(300):
        if game.over is not None:
            break
        action = legal_action(env, rng)
        assert env.agent_selection == f"player_{game.player}"
        env.step(action)
        game.apply(action)
        assert np.array_equal(env.state(), game.state())


@every_module
def test_observations_of_idle_agents(module):
    env = module.env()
    env.reset(seed=2)
    rng = random.Random(2)
    for _ in range(200):
        acting = env.agent_selection
        for seat, agent in enumerate(env.possible_agents):
            observation = env.observe(agent)
            assert env.observation_space(agent).contains(observation)
            assert np.array_equal(observation["observation"], env.game.observation(seat))
            assert np.array_equal(observation["action_mask"], env.infos[agent]["action_mask"])
            assert observation["action_mask"].any() == (agent == acting)
        env.step(legal_action(env, rng))


@every_module
def test_observe_after_the_end(module):
    env = module.env(episode="deal")
    env.reset(seed=4)
    play(env, random.Random(4))
    for _ in range(env.num_players + 1):
        for agent in env.possible_agents:
            observation = env.observe(agent)
            assert env.observation_space(agent).contains(observation)
            assert not observation["action_mask"].any()
        assert all(not info["action_mask"].any() for info in env.infos.values())
        if env.agents:
            env.step(None)
    assert env.state_space.contains(env.state())


@every_module
def test_masks_are_the_callers_own(module):
    env = module.env()
    env.reset(seed=1)
    agent = env.agent_selection
    expected = env.game.action_mask()
    observation, _, _, _, info = env.last()
    observation["action_mask"][:] = 0
    info.pop("action_mask")[:] = 0
    assert np.array_equal(env.observe(agent)["action_mask"], expected)
    env.step(int(expected.nonzero()[0][0]))
    assert env.infos[env.agent_selection]["action_mask"].any()


@every_module
def test_stored_infos_never_change(module):
    env = module.env(episode="deal")
    env.reset(seed=8)
    rng = random.Random(8)
    stored = []
    for _, _, _, info in env.decisions():
        stored.append((info, copy.deepcopy(info)))
        env.step(legal_action(env, rng))
    for info, before in stored:
        assert data_equivalence(info, before)


@every_module
def test_spaces(module):
    env = module.env()
    env.reset(seed=0)
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent).n == env.game.layout.num_actions
    assert env.state_space.contains(env.state())
    assert env.state().dtype == env.state_space.dtype


@every_module
def test_decisions_are_live_only(module):
    env = module.env(episode="deal")
    env.reset(seed=6)
    seen, _ = play(env, random.Random(6))
    assert len(seen) == len(env.game.history)
    assert all(observation["action_mask"].any() for _, observation, _, _ in seen)
    assert set(drain(env)) == set(env.possible_agents)


def test_numpy_actions():
    env = basic_rummy_v0.env()
    for kind in (np.int8, np.int32, np.int64, np.array):
        env.reset(seed=0)
        env.step(kind(env.game.legal_actions()[0]))
        assert len(env.game.history) == 1
