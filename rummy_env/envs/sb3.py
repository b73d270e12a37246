"""The Stable-Baselines3 face: `SeatVectorEnv` as a `VecEnv` with action masks, and an evaluation that insists on them.

Needs the extra ``train``: ``pip install "rummy-env[train]"``.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from time import perf_counter
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from rummy_env.envs import SEAT_ENVS
from rummy_env.envs.vector import SeatVectorEnv
from rummy_env.errors import ArgumentError, MissingExtraError

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv
except ImportError as error:
    raise MissingExtraError(
        f"rummy_env.envs.sb3 needs Stable-Baselines3 ({error}): pip install 'rummy-env[train]'"
    ) from error

Games = VectorEnv[np.ndarray, np.ndarray, np.ndarray]


def make_vec_env(
    env_id: str,
    num_envs: int = 64,
    seed: int | None = None,
    wrapper: Callable[[SeatVectorEnv], Games] | None = None,
    **arguments: Any,
) -> "SeatVecEnv":
    """A `VecEnv` of `num_envs` games on the batch engine.

    Args:
        env_id: ``"rummy/ContractRummy-v0"``, ``"rummy/BasicRummy-v0"``, or the preset alone, ``"contract_rummy"``.
        num_envs: Number of games.
        seed: Seed of the first reset; game i gets ``seed + i``.
        wrapper: Puts a wrapper around the batch, such as `VectorPotentialShaping`, whose `weight` `set_attr` sets.
        **arguments: Those of `SeatVectorEnv`, but for `autoreset_mode` and `copy`.

    Raises:
        ArgumentError: There is no such environment, or an argument is none of its choices.
        RulesError: The rules, the deals or the number of players don't fit together.
    """
    variant = SEAT_ENVS.get(env_id.removeprefix("rummy_env:"), env_id)
    if variant not in SEAT_ENVS.values():
        known = ", ".join([*SEAT_ENVS, *SEAT_ENVS.values()])
        raise ArgumentError(f"environment {env_id!r} is not known: choose {known}")
    vector = SeatVectorEnv(num_envs, variant, autoreset_mode=AutoresetMode.SAME_STEP, **arguments)
    env = SeatVecEnv(vector if wrapper is None else wrapper(vector))
    if seed is not None:
        env.seed(seed)
    return env


class SeatVecEnv(VecEnv):  # type: ignore[misc]
    """`vector`, which starts the next episode in the same step, as Stable-Baselines3 knows it.

    ``env_method("action_masks")`` answers from a buffer. ``infos[i]`` holds ``"action_mask"`` and, when an episode
    ends, ``"terminal_observation"``, all that `SeatEnv` tells then, and ``"episode"``: ``{"r": sum of rewards,
    "l": decisions, "t": seconds since this environment was made}``, as `Monitor` would. Where rewards are shaped,
    ``"unshaped_reward"`` is in every information, and ``"r"`` is the sum of these.

    Args:
        vector: A `SeatVectorEnv` or wrappers around one.
    """

    def __init__(self, vector: Games) -> None:
        games = vector.unwrapped
        if not isinstance(games, SeatVectorEnv):
            raise ArgumentError(f"vector is {vector}: expected a SeatVectorEnv, wrapped or not")
        if games.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise ArgumentError("vector must be made with autoreset_mode=AutoresetMode.SAME_STEP")
        if not games.copy:
            raise ArgumentError(
                "copy=False: Stable-Baselines3 keeps the last observations while it steps, so they must be fresh"
            )
        self.vector = vector
        self._games = games
        super().__init__(vector.num_envs, vector.single_observation_space, vector.single_action_space)
        self._actions: Any = None
        self._begin = perf_counter()
        self._returns = np.zeros(vector.num_envs)
        self._lengths = np.zeros(vector.num_envs, np.int64)

    def reset(self) -> np.ndarray:
        """Start an episode in every game; the information is in `reset_infos`."""
        if any(options != self._options[0] for options in self._options):
            raise ArgumentError("set_options: the games share one environment, so their options must be the same")
        observations, infos = self.vector.reset(seed=self._seeds, options=self._options[0])
        self.reset_infos = [_of_row(infos, row) for row in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = 0.0
        self._lengths[:] = 0
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        """Take note of the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Take the decisions: observations, rewards (float32), dones, one information per game."""
        observations, rewards, dones, _, infos = self.vector.step(self._actions)
        unshaped = infos.get("unshaped_reward")
        self._returns += rewards if unshaped is None else unshaped
        self._lengths += 1
        rows: list[dict[str, Any]] = [{"action_mask": mask} for mask in infos["action_mask"]]
        deals = infos.get("_deals")
        for row in np.flatnonzero(dones if deals is None else dones | deals).tolist():
            rows[row] = self._end_episode(infos, row) if dones[row] else _of_row(infos, row)
        if unshaped is not None:
            for own, reward in zip(rows, unshaped.tolist(), strict=True):
                own["unshaped_reward"] = reward
        return observations, rewards.astype(np.float32), dones, rows

    def _end_episode(self, infos: dict[str, Any], row: int) -> dict[str, Any]:
        monitored = {
            "r": round(float(self._returns[row]), 6),
            "l": int(self._lengths[row]),
            "t": round(perf_counter() - self._begin, 6),
        }
        self._returns[row], self._lengths[row] = 0.0, 0
        ended = _of_row(infos, row)
        return {
            **ended["final_info"],
            "terminal_observation": ended["final_obs"],
            "TimeLimit.truncated": False,
            "episode": monitored,
        }

    def close(self) -> None:
        """End the threads of the vector environment."""
        self.vector.close()

    def has_attr(self, attr_name: str) -> bool:
        """Whether the games have an attribute."""
        return hasattr(self._holder(attr_name), attr_name)

    def _holder(self, name: str) -> Games:
        """The outermost environment that has an attribute, or the innermost of all."""
        return self.vector if hasattr(self.vector, name) else self._games

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """An attribute of each game; all but `action_masks` are the same object for every game."""
        rows = self._get_indices(indices)
        if attr_name == "action_masks":
            return [partial(self._mask, row) for row in rows]
        return [getattr(self._holder(attr_name), attr_name)] * len(rows)

    def _mask(self, row: int) -> np.ndarray:
        return self._games.action_masks()[row]

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Set an attribute for all games; `ArgumentError` if only for some, as they share one environment."""
        self._need_all_games(attr_name, self._get_indices(indices))
        setattr(self._holder(attr_name), attr_name, value)

    def _need_all_games(self, name: str, rows: Collection[int]) -> None:
        if len(rows) != self.num_envs:
            raise ArgumentError(f"{name!r}: the games share one environment; set it for all of them")

    def env_method(
        self, method_name: str, *arguments: Any, indices: int | Iterable[int] | None = None, **keywords: Any
    ) -> list[Any]:
        """Results of ``action_masks`` or ``render`` per game, or ``set_deals`` for all; `AttributeError` for others."""
        rows = self._get_indices(indices)
        if method_name not in ("action_masks", "render", "set_deals"):
            raise AttributeError(
                f"the games have no method {method_name!r}: expected 'action_masks', 'render' or 'set_deals'"
            )
        if method_name == "set_deals":
            self._need_all_games(method_name, rows)
        results = getattr(self._games, method_name)(*arguments, **keywords)
        return [None if results is None else results[row] for row in rows]

    def get_images(self) -> Sequence[np.ndarray | None]:
        """A picture per game, with ``render_mode="rgb_array"``."""
        return self._games.render() or [None] * self.num_envs

    def env_is_wrapped(self, wrapper_class: type[Any], indices: int | Iterable[int] | None = None) -> list[bool]:
        """True for `Monitor`, whose work is built in, and False for all others."""
        return [wrapper_class is Monitor] * len(self._get_indices(indices))


def _of_row(infos: dict[str, Any], row: int) -> dict[str, Any]:
    """Information of one game out of Gymnasium's vector form."""
    own = {}
    for key, value in infos.items():
        if f"_{key}" in infos and infos[f"_{key}"][row]:
            own[key] = _of_row(value, row) if isinstance(value, dict) else value[row]
    return own


@dataclass(frozen=True)
class Evaluation:
    """Results of some episodes.

    Attributes:
        returns: float64, shape ``(episodes,)``: sums of rewards.
        lengths: int64, shape ``(episodes,)``: decisions.
        illegal_actions: How many episodes were forfeited by an action against the rules.
    """

    returns: np.ndarray
    lengths: np.ndarray
    illegal_actions: int

    @property
    def mean(self) -> float:
        """Mean return."""
        return float(self.returns.mean())

    @property
    def standard_error(self) -> float:
        """Standard error of the mean return; 0 for a single episode."""
        count = len(self.returns)
        return float(self.returns.std(ddof=1) / np.sqrt(count)) if count > 1 else 0.0


def evaluate(
    model: Any, env: VecEnv | gymnasium.Env[Any, Any], n_episodes: int = 100, deterministic: bool = True
) -> Evaluation:
    """Play `n_episodes` with `model`, split evenly over the games of `env` so that long episodes count as short ones.

    Args:
        model: A trained algorithm of Stable-Baselines3 or sb3-contrib.
        env: `VecEnv`, or a single Gymnasium environment.
        n_episodes: Number of episodes.
        deterministic: Whether the model plays its most probable action instead of drawing one.

    Raises:
        ArgumentError: The model takes action masks and `env` offers none, or `n_episodes` is below 1.
    """
    if n_episodes < 1:
        raise ArgumentError(f"n_episodes={n_episodes}: expected at least 1")
    vec_env = env if isinstance(env, VecEnv) else DummyVecEnv([lambda: env])
    maskable = "action_masks" in signature(model.predict).parameters
    if maskable and not vec_env.has_attr("action_masks"):
        raise ArgumentError("the model takes action masks, but env has no action_masks(): it would be judged unmasked")
    predict: Callable[..., Any] = partial(model.predict, deterministic=deterministic)

    count = vec_env.num_envs
    wanted = np.array([(n_episodes + row) // count for row in range(count)])
    running, lengths = np.zeros(count), np.zeros(count, np.int64)
    returns: list[float] = []
    decisions: list[int] = []
    illegal = 0
    observations = vec_env.reset()
    while wanted.any():
        masks = {"action_masks": np.stack(vec_env.env_method("action_masks"))} if maskable else {}
        observations, rewards, dones, infos = vec_env.step(predict(observations, **masks)[0])
        running += rewards
        lengths += 1
        for row in np.flatnonzero(dones & (wanted > 0)):
            returns.append(float(running[row]))
            decisions.append(int(lengths[row]))
            illegal += "illegal_action" in infos[row]
            wanted[row] -= 1
        running[dones], lengths[dones] = 0.0, 0
    return Evaluation(np.array(returns), np.array(decisions), illegal)
