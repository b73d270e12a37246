"""RLlib's environment hands every agent what the PettingZoo environment hands it."""

import random

import numpy as np
import pytest

pytest.importorskip("ray.rllib", reason="RLlib is not installed (extra: rllib)")

from rummy_env import basic_rummy_v0, contract_rummy_v0
from rummy_env.integrations.rllib import RummyMultiAgentEnv

pytestmark = pytest.mark.filterwarnings("default")


@pytest.mark.parametrize("module", [contract_rummy_v0, basic_rummy_v0])
def test_same_play_as_pettingzoo(module):
    name = module.raw_env.metadata["name"].replace("_v0", "-v0")
    env = RummyMultiAgentEnv({"env": f"rummy/{name}", "num_players": 3, "episode": "deal"})
    mirror = module.env(num_players=3, episode="deal")
    rng = random.Random(1)
    for seed in range(2):
        observations, _ = env.reset(seed=seed)
        mirror.reset(seed=seed)
        over = False
        while not over:
            (agent,) = observations
            seen, _, _, _, info = mirror.last()
            assert agent == mirror.agent_selection
            assert env.observation_spaces[agent].contains(observations[agent])
            np.testing.assert_array_equal(observations[agent]["observations"], seen["observation"])
            np.testing.assert_array_equal(observations[agent]["action_mask"], info["action_mask"])
            action = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
            mirror.step(action)
            observations, rewards, terminated, truncated, _ = env.step({agent: action})
            assert not any(truncated.values())
            over = terminated["__all__"]
            for other in mirror.agent_iter() if over else (mirror.agent_selection,):
                assert rewards.pop(other) == mirror.last()[1]
                assert terminated[other] == over
                if over:
                    mirror.step(None)
            assert not rewards
        assert set(observations) == set(env.possible_agents)
