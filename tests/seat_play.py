"""What the tests of the single-agent environments share: ids, tables of arguments, opponents, ways to play."""

from itertools import product

import numpy as np
import pytest

from rummy_env import ActionLayout
from rummy_env.agents import RandomAgent
from rummy_env.envs import SEAT_ENVS

CONTRACT, BASIC = SEAT_ENVS

every_id = pytest.mark.parametrize("env_id", SEAT_ENVS, ids=SEAT_ENVS.get)


class Interpreted:
    """An agent asked from Python, whatever it is made of."""

    def __init__(self, agent):
        self.agent = agent

    def reset(self, seed):
        self.agent.reset(seed)

    def act(self, observation, action_mask, info):
        return self.agent.act(observation, action_mask, info)


class Eager:
    """Places a card wherever it may, so that it goes out soon; else takes the first legal action. Keeps no state."""

    def act(self, observation, action_mask, info):
        """A placement where there is one."""
        layout = ActionLayout.for_rules(info["rules"], info["num_players"])
        legal = action_mask.nonzero()[0].tolist()
        placing = [a for a in legal if layout.decode(a).kind.startswith(("meld", "layoff"))]
        return (placing or legal)[0]


class Lowest:
    """The legal action of the lowest id, asked for many games at once."""

    asked = 0

    def act(self, observation, action_mask, info):
        """The lowest."""
        return int(action_mask.argmax())

    def act_batch(self, observations, action_masks):
        """The lowest of each game."""
        self.asked += 1
        return action_masks.argmax(axis=1)


TABLES = (
    (CONTRACT, {}),
    (CONTRACT, {"num_players": 3, "deals": [2, 7], "seat": "random"}),
    (CONTRACT, {"rules": "contract_rummy_two_packs", "num_players": 5, "seat": 4, "opponents": ["random"] * 4}),
    (BASIC, {}),
    (BASIC, {"num_players": 4, "seat": "random", "opponents": [Eager(), "random", RandomAgent()]}),
    (BASIC, {"num_players": 3, "rules": {"ace_mode": "both"}, "opponents": Lowest()}),
)

COMBINATIONS = [
    (env_id, {**kwargs, "episode": episode, "reward": reward})
    for (env_id, kwargs), episode, reward in product(TABLES, ("game", "deal"), ("score", "win"))
]


def arguments_id(value):
    """Short name of a set of arguments in the name of a test."""
    return SEAT_ENVS[value] if isinstance(value, str) else "-".join(map(_id, value.values()))


def _id(value):
    if isinstance(value, list):
        return "+".join(map(_id, value))
    return type(value).__name__ if hasattr(value, "act") else str(value)


every_combination = pytest.mark.parametrize(("env_id", "kwargs"), COMBINATIONS, ids=arguments_id)


def legal_action(mask, rng):
    """A random legal action; 0 where there is none."""
    legal = mask.nonzero()[0]
    return int(legal[int(rng.random() * len(legal))]) if len(legal) else 0


def legal_actions(masks, rng):
    """A random legal action per row; 0 where there is none."""
    return np.array([legal_action(mask, rng) for mask in masks])


def play_episode(env, rng, info):
    """Play a started episode to its end: the rewards, and the last information."""
    rewards, terminated = [], False
    while not terminated:
        _, reward, terminated, truncated, info = env.step(legal_action(info["action_mask"], rng))
        assert not truncated
        rewards.append(reward)
    return rewards, info
