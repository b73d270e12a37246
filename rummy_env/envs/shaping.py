"""Reward shaping that leaves the best policies what they are: wrappers that add differences of a potential.

The potential of a state is ``-weight`` times what the learner's hand still costs, in cards: those that it lacks for its
contract, until that lies, and one for every ten points left in the hand; 0 at the end of an episode. Where melds may be
laid freely, as in Basic Rummy, the points of those in the hand don't count. The potential knows nothing that the
learner does not see.

A step from s to s' is paid ``gamma * potential(s') - potential(s)`` besides its reward (Ng, Harada and Russell, 1999).
Over an episode these payments add up, discounted by `gamma`, to minus the potential of the first state, whatever was
played: with the `gamma` of the learner no policy becomes better or worse than another.

`weight` may be changed at any time, towards 0 as a rule: each state keeps the potential that it had when it was
reached, so the payments still add up. With a weight of 0 nothing is computed.

In an episode of several deals the step that ends a deal leads to the hand of the next one, and is paid for both.
"""

from math import isfinite
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper

from rummy_env.envs.single import SeatEnv
from rummy_env.envs.vector import SeatVectorEnv
from rummy_env.errors import ArgumentError


class PotentialShaping(gymnasium.Wrapper[np.ndarray, np.int64, np.ndarray, np.int64], RecordConstructorArgs):
    """`SeatEnv` with shaped rewards; the reward of the game is ``info["unshaped_reward"]`` of every step.

    Args:
        env: ``gymnasium.make("rummy/ContractRummy-v0")`` or another such environment, wrapped or not.
        weight: Reward per card of the potential.
        gamma: Discount of the learner.

    Attributes:
        weight: As given; may be set at any time.

    Raises:
        ArgumentError: `env` is no `SeatEnv`, `weight` is not finite, or `gamma` is not above 0 and at most 1.
    """

    def __init__(self, env: gymnasium.Env[np.ndarray, np.int64], weight: float = 0.05, gamma: float = 1.0) -> None:
        RecordConstructorArgs.__init__(self, weight=weight, gamma=gamma)
        super().__init__(env)
        if not isinstance(env.unwrapped, SeatEnv):
            raise ArgumentError(f"env is {env}: expected gymnasium.make of a rummy environment")
        self.weight = _check_weight(weight)
        self._gamma = _check_gamma(gamma)
        self._seat_env = env.unwrapped
        self._before = 0.0

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        """As `SeatEnv.reset`."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._before = self._potential()
        return observation, info

    def step(self, action: np.int64) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """As `SeatEnv.step`, with the shaped reward."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        after = self._potential()
        shaped = float(reward) + (self._gamma * after - self._before)
        self._before = after
        return observation, shaped, terminated, truncated, {**info, "unshaped_reward": float(reward)}

    def _potential(self) -> float:
        return self.weight * self._seat_env.potential() if self.weight else 0.0


class VectorPotentialShaping(VectorWrapper[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]):
    """`SeatVectorEnv` with shaped rewards, those of `PotentialShaping` in every game.

    ``infos["unshaped_reward"]`` has the rewards of the game, float64 of shape ``(num_envs,)``, after every step and for
    all games, as the shaped ones. Where an episode starts nothing is paid.

    Args:
        env: ``gymnasium.make_vec("rummy/ContractRummy-v0")`` or another such environment, in either autoreset mode.
        weight: Reward per card of the potential.
        gamma: Discount of the learner.

    Attributes:
        weight: As given; may be set at any time.

    Raises:
        ArgumentError: `env` is no `SeatVectorEnv`, `weight` is not finite, or `gamma` is not above 0 and at most 1.
    """

    def __init__(
        self, env: VectorEnv[np.ndarray, np.ndarray, np.ndarray], weight: float = 0.05, gamma: float = 1.0
    ) -> None:
        super().__init__(env)
        if not isinstance(env.unwrapped, SeatVectorEnv):
            raise ArgumentError(f"env is {env}: expected gymnasium.make_vec of a rummy environment")
        self.weight = _check_weight(weight)
        self._gamma = _check_gamma(gamma)
        self._seat_env = env.unwrapped
        self._before = np.zeros(self.num_envs)
        self._starting = np.zeros(self.num_envs, np.bool_)

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        """As `SeatVectorEnv.reset`."""
        observations, infos = self.env.reset(seed=seed, options=options)
        self._before = self._potentials()
        self._starting = np.zeros(self.num_envs, np.bool_)
        return observations, infos

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """As `SeatVectorEnv.step`, with the shaped rewards."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        after = self._potentials()
        shaped = rewards + (self._gamma * np.where(terminated, 0.0, after) - self._before)
        shaped[self._starting] = rewards[self._starting]
        self._before = after
        if self._seat_env.autoreset_mode is AutoresetMode.NEXT_STEP:
            self._starting = terminated
        infos |= {"unshaped_reward": rewards, "_unshaped_reward": np.ones(self.num_envs, np.bool_)}
        return observations, shaped, terminated, truncated, infos

    def _potentials(self) -> np.ndarray:
        return self.weight * self._seat_env.potentials() if self.weight else np.zeros(self.num_envs)


def _check_weight(weight: float) -> float:
    if isfinite(weight):
        return weight
    raise ArgumentError(f"weight={weight}: expected a finite number")


def _check_gamma(gamma: float) -> float:
    if 0 < gamma <= 1:
        return gamma
    raise ArgumentError(f"gamma={gamma}: expected a number above 0, at most 1")
