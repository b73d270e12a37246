"""Rummy for RLlib's new API stack: a `MultiAgentEnv` over the PettingZoo environments, with RLlib's names and types."""

from importlib import import_module
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict

try:
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
except ImportError as error:
    raise ImportError("RLlib is not installed: pip install 'rummy-env[rllib]'") from error

from rummy_env.envs import AEC_ENVS


class RummyMultiAgentEnv(MultiAgentEnv):  # type: ignore[misc]
    """One agent per seat; only the agent to act is observed, and it is paid what it got since it last acted.

    Observations are dictionaries of float32 arrays, ``"observations"`` and ``"action_mask"``, as RLlib's
    `ActionMaskingTorchRLModule` wants them. When the episode ends every agent gets its last reward.

    Args:
        config: ``"env"``, a PettingZoo id of this package (``"rummy/contract_rummy-v0"`` if absent); all other
            entries are arguments of that environment.
    """

    def __init__(self, config: Any = None) -> None:
        super().__init__()
        arguments = dict(config or {})
        module = import_module(AEC_ENVS[arguments.pop("env", "rummy/contract_rummy-v0")])
        self.env = module.env(**arguments)
        self.possible_agents = self.env.possible_agents
        self.agents = self.possible_agents[:]
        self.action_spaces = dict(self.env.action_spaces)
        self.observation_spaces = {
            agent: Dict(
                observations=Box(0, 1, space["observation"].shape, np.float32),
                action_mask=Box(0, 1, space["action_mask"].shape, np.float32),
            )
            for agent, space in self.env.observation_spaces.items()
        }

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode; the observation of the agent to act."""
        self.env.reset(seed=seed, options=options)
        self.agents = self.possible_agents[:]
        agent = self.env.agent_selection
        return {agent: self._observation(agent)}, {}

    def step(self, action_dict: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Take the action of the agent to act.

        Returns:
            Observations, rewards, terminations, truncations and information of the agent to act next, or of all where
            the episode has ended.
        """
        env = self.env
        env.step(action_dict[env.agent_selection])
        over = env.terminations[env.agent_selection]
        observations, rewards = {}, {}
        for agent in env.agent_iter() if over else (env.agent_selection,):
            observations[agent] = self._observation(agent)
            _, rewards[agent], _, _, _ = env.last(observe=False)
            if over:
                env.step(None)
        terminated = dict.fromkeys(observations, over) | {"__all__": over}
        truncated = dict.fromkeys(observations, False) | {"__all__": False}
        return observations, rewards, terminated, truncated, {agent: {} for agent in observations}

    def _observation(self, agent: str) -> dict[str, np.ndarray]:
        seen = self.env.observe(agent)
        return {
            "observations": seen["observation"].astype(np.float32),
            "action_mask": seen["action_mask"].astype(np.float32),
        }
