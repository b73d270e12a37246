"""Agents by name, with parameters, from entry points; the random agent."""

from importlib.metadata import EntryPoint

import numpy as np
import pytest

from rummy_env import Game, agents
from rummy_env.agents import Agent, RandomAgent, agent_names, decide, load_agent, split_name
from rummy_env.envs.opponents import choose_actions
from rummy_env.errors import ArgumentError, SeedError
from tests.seat_play import Eager


def play(agent, count=200):
    mask = np.zeros(50, np.int8)
    mask[[3, 8, 49]] = 1
    return [agent.act(np.zeros(1, np.int8), mask, {}) for _ in range(count)]


def test_random_agent():
    agent, twin = RandomAgent(7), load_agent("random:seed=7")
    played = play(agent)
    assert played == play(twin)
    assert set(played) == {3, 8, 49}
    assert min(played.count(action) for action in set(played)) > 40
    agent.reset(7)
    assert play(agent) == played
    agent.reset(8)
    assert play(agent) != played


def test_an_agent_is_handed_back():
    agent = Eager()
    assert load_agent(agent) is agent
    assert isinstance(agent, Agent)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", ("a", {})),
        ("a:x=1", ("a", {"x": 1})),
        (r"C:\runs\best.npz", (r"C:\runs\best.npz", {})),
        ("a:x=0.5, y=true,z=w", ("a", {"x": 0.5, "y": True, "z": "w"})),
    ],
)
def test_names(text, expected):
    assert split_name(text) == expected


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("randm", "randm.*did you mean 'random'"),
        ("", "choose .*random"),
        ("random:", "malformed"),
        ("random:seed", "malformed"),
        ("random:speed=3", "speed"),
        (7, "7 is no agent"),
        (RandomAgent, "no agent"),
    ],
)
def test_refused(source, told):
    with pytest.raises(ArgumentError, match=told):
        load_agent(source)


def test_seed_of_an_agent():
    with pytest.raises(ArgumentError, match="from 0 to"):
        load_agent("random:seed=-1")
    with pytest.raises(SeedError):
        RandomAgent(-1)


def test_entry_points(monkeypatch):
    point = EntryPoint("eager", "tests.seat_play:Eager", agents.ENTRY_POINTS)
    monkeypatch.setattr(agents, "_entry_points", lambda: {"eager": point})
    assert isinstance(load_agent("eager"), Eager)
    assert agent_names() == ["eager", "random"]


@pytest.mark.parametrize("kind", ["plain", "planning"])
def test_decide_gives_the_observation_that_an_agent_asks_for(kind):
    game = Game("basic_rummy", 2, 3)
    given = []

    class Asking:
        observation = "planning"

        def act(self, observation, action_mask, info):
            given.append((observation, info["observation"], info["seat"]))
            return int(action_mask.argmax())

    action = decide(Asking(), Game("basic_rummy", 2, 3, observation=kind))
    observation, said, seat = given[0]
    assert np.array_equal(observation, Game("basic_rummy", 2, 3, observation="planning").observation(seat))
    assert (said, seat, action) == ("planning", game.player, game.legal_actions()[0])


@pytest.mark.parametrize("answers", [[0], 0, [0, 0, 0], np.zeros((2, 1), np.int64)])
def test_a_batch_is_answered_row_by_row(answers):
    class Hasty(Eager):
        def act_batch(self, observations, action_masks):
            return answers

    agent, rows = Hasty(), np.ones((2, 5), np.int8)
    with pytest.raises(ArgumentError, match="answered 2 rows with"):
        choose_actions([agent, agent], rows, rows, [{}, {}])
