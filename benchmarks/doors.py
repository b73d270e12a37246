"""Decisions a second of the learner in the single-agent environments, opponents' play included in the time.

Row names, with ``GAME/PLAYERS`` as in `throughput`; opponents play uniformly at random in compiled code:

- ``single/GAME/PLAYERS``: `reset`, a masked sample, `step`.
- ``make_vec/GAME/PLAYERS/N``: `step` of N games, the choice of actions not counted; ``…/two_threads`` on two threads.
- ``sb3/GAME/PLAYERS/N``: `step` and ``env_method("action_masks")`` of our `VecEnv`; ``sb3_dummy/…`` the same of
  `DummyVecEnv` over the single environment. Only where Stable-Baselines3 is installed.
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import gymnasium
import numpy as np

from benchmarks.measure import REPEATS, SEED, Row, best, measure
from rummy_env.envs import SEAT_ENVS

SIZES = (64, 1024, 8192)
SB3_SIZE = 64


def door_rows(preset: str, num_players: int, seconds: float, sizes: tuple[int, ...] = SIZES) -> Iterator[Row]:
    """The rows of one table."""
    env_id = next(key for key, variant in SEAT_ENVS.items() if variant == preset)
    table = f"{preset}/{num_players}"
    yield _single_row(f"single/{table}", env_id, num_players, seconds)
    for size in sizes:
        for threads, suffix in ((1, ""), (2, "/two_threads")):
            yield _vector_row(f"make_vec/{table}/{size}{suffix}", env_id, num_players, size, threads, seconds)
    if find_spec("stable_baselines3"):
        yield from _sb3_rows(table, env_id, num_players, seconds)


def _single_row(name: str, env_id: str, num_players: int, seconds: float) -> Row:
    env = gymnasium.make(env_id, num_players=num_players)
    _, info = env.reset(seed=SEED)

    def play(steps: int) -> int:
        nonlocal info
        for _ in range(steps):
            _, _, terminated, _, info = env.step(env.action_space.sample(info["action_mask"]))
            if terminated:
                _, info = env.reset()
        return steps

    return measure(name, play, seconds)


def _vector_row(name: str, env_id: str, num_players: int, size: int, threads: int, seconds: float) -> Row:
    env = gymnasium.make_vec(env_id, num_envs=size, num_players=num_players, num_threads=threads)
    _, infos = env.reset(seed=SEED)

    def step(actions: np.ndarray) -> np.ndarray:
        return env.step(actions)[-1]["action_mask"]

    row = _stepped(name, step, infos["action_mask"], seconds)
    env.close()
    return row


def _sb3_rows(table: str, env_id: str, num_players: int, seconds: float) -> Iterator[Row]:
    from stable_baselines3.common.vec_env import DummyVecEnv

    from rummy_env.envs.sb3 import make_vec_env

    def single() -> gymnasium.Env[Any, Any]:
        return gymnasium.make(env_id, num_players=num_players)

    for name, env in (
        ("sb3", make_vec_env(env_id, SB3_SIZE, seed=SEED, num_players=num_players)),
        ("sb3_dummy", DummyVecEnv([single] * SB3_SIZE)),
    ):
        env.seed(SEED)
        env.reset()

        def step(actions: np.ndarray, env: Any = env) -> np.ndarray:
            env.step(actions)
            return np.stack(env.env_method("action_masks"))

        yield _stepped(f"{name}/{table}/{SB3_SIZE}", step, np.stack(env.env_method("action_masks")), seconds)
        env.close()


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
