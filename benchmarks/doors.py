"""Decisions a second in the environments; opponents' play is included in the time.

Row names, with ``GAME/PLAYERS`` as in `throughput`. The decisions are those of the learner, in self-play of all seats:

- ``single/GAME/PLAYERS``: `reset`, a masked sample, `step`.
- ``make_vec/GAME/PLAYERS/N``: `step` of N games, the choice of actions not counted; ``…/two_threads`` on two threads.
- ``sb3/GAME/PLAYERS/N``: `step` and ``env_method("action_masks")`` of our `VecEnv`; ``sb3_dummy/…`` the same of
  `DummyVecEnv` over the single environment.
- ``selfplay/GAME/PLAYERS/N``: `random_actions` and `step` of N games; ``…/two_threads`` on two threads.

Opponents play uniformly at random in compiled code; in rows that end in ``/greedy`` they are that compiled player, in
those that end in ``/python`` an object that chooses at random in Python, for all games of a batch at once.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import gymnasium
import numpy as np

from benchmarks.measure import REPEATS, SEED, Row, best, measure
from rummy_env.agents import agent_names
from rummy_env.envs import SEAT_ENVS
from rummy_env.envs.selfplay import SelfPlayVectorEnv

SIZES = (64, 1024, 8192)
SB3_SIZE = 64


class PythonAgent:
    """Plays uniformly among the legal actions, in Python."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(SEED)

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: Mapping[str, Any]) -> int:
        """A legal action."""
        return int(self._rng.choice(np.flatnonzero(action_mask)))

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """A legal action of every game."""
        return _legal_actions(action_masks, self._rng)


def skipped() -> dict[str, str]:
    """Rows that cannot be measured here, and why."""
    reasons = {}
    if not find_spec("stable_baselines3"):
        reasons["sb3"] = "Stable-Baselines3 is not installed"
    if "greedy" not in agent_names():
        reasons["…/greedy"] = "no player of that name is installed"
    return reasons


def door_rows(preset: str, num_players: int, seconds: float, sizes: tuple[int, ...] = SIZES) -> Iterator[Row]:
    """The rows of one table."""
    env_id = next(key for key, variant in SEAT_ENVS.items() if variant == preset)
    table = f"{preset}/{num_players}"
    left_out = skipped()
    for opponents, ending in (("random", ""), ("greedy", "/greedy"), (PythonAgent(), "/python")):
        if f"…{ending}" in left_out:
            continue
        arguments = {"num_players": num_players, "opponents": opponents}
        yield _single_row(f"single/{table}{ending}", env_id, arguments, seconds)
        for size in sizes:
            for threads, suffix in ((1, ""), (2, "/two_threads")):
                name = f"make_vec/{table}/{size}{suffix}{ending}"
                yield _vector_row(name, env_id, size, {**arguments, "num_threads": threads}, seconds)
        if "sb3" not in left_out:
            yield from _sb3_rows(f"{table}/{SB3_SIZE}{ending}", env_id, arguments, seconds)
    for size in sizes:
        for threads, suffix in ((1, ""), (2, "/two_threads")):
            env = SelfPlayVectorEnv(preset, size, num_players, num_threads=threads)
            yield _self_play_row(f"selfplay/{table}/{size}{suffix}", env, seconds)


def _single_row(name: str, env_id: str, arguments: dict[str, Any], seconds: float) -> Row:
    env = gymnasium.make(env_id, **arguments)
    _, info = env.reset(seed=SEED)

    def play(steps: int) -> int:
        nonlocal info
        for _ in range(steps):
            _, _, terminated, _, info = env.step(env.action_space.sample(info["action_mask"]))
            if terminated:
                _, info = env.reset()
        return steps

    return measure(name, play, seconds)


def _vector_row(name: str, env_id: str, size: int, arguments: dict[str, Any], seconds: float) -> Row:
    env = gymnasium.make_vec(env_id, num_envs=size, **arguments)
    _, infos = env.reset(seed=SEED)

    def step(actions: np.ndarray) -> np.ndarray:
        return env.step(actions)[-1]["action_mask"]

    row = _stepped(name, step, infos["action_mask"], seconds)
    env.close()
    return row


def _sb3_rows(table: str, env_id: str, arguments: dict[str, Any], seconds: float) -> Iterator[Row]:
    from stable_baselines3.common.vec_env import DummyVecEnv

    from rummy_env.envs.sb3 import make_vec_env

    def single() -> gymnasium.Env[Any, Any]:
        return gymnasium.make(env_id, **arguments)

    for name, env in (
        ("sb3", make_vec_env(env_id, SB3_SIZE, seed=SEED, **arguments)),
        ("sb3_dummy", DummyVecEnv([single] * SB3_SIZE)),
    ):
        env.seed(SEED)
        env.reset()

        def step(actions: np.ndarray, env: Any = env) -> np.ndarray:
            env.step(actions)
            return np.stack(env.env_method("action_masks"))

        yield _stepped(f"{name}/{table}", step, np.stack(env.env_method("action_masks")), seconds)
        env.close()


def _self_play_row(name: str, env: SelfPlayVectorEnv, seconds: float) -> Row:
    env.reset(seed=SEED)

    def play(steps: int) -> int:
        for _ in range(steps):
            env.step(env.random_actions())
        return steps * env.num_envs

    row = measure(name, play, seconds)
    env.close()
    return row


def _stepped(name: str, step: Callable[[np.ndarray], np.ndarray], masks: np.ndarray, seconds: float) -> Row:
    """Time `step`, which takes actions and gives the next masks, but not the choice of the actions."""
    rng = np.random.default_rng(SEED)
    rows = []
    for _ in range(REPEATS + 1):  # the first to warm up
        elapsed, decisions = 0.0, 0
        while elapsed < seconds / REPEATS:
            actions = _legal_actions(masks, rng)
            begin = perf_counter()
            masks = step(actions)
            elapsed += perf_counter() - begin
            decisions += len(actions)
        rows.append(Row(name, decisions / elapsed, decisions, elapsed))
    return best(rows[1:])


def _legal_actions(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action per row, 0 where an episode is over."""
    counts = masks.sum(axis=1, dtype=np.int64)
    legal = np.append(np.flatnonzero(masks) % masks.shape[1], 0)
    ranks = (rng.random(len(masks)) * counts).astype(np.int64)
    return np.where(counts > 0, legal[counts.cumsum() - counts + ranks], 0)
