"""Decisions a second of the batch engine and of the environments, beside what this machine can merely write.

``python -m benchmarks.throughput [--json] [--seconds S] [--games N]``. All play is uniformly random over the legal
actions. Every figure is the best of `REPEATS` runs, as other work on the machine can only slow one down; decisions
are counted by the engine itself. Row names:

- ``batch/GAME/PLAYERS``: the batch engine on one core, mask and observation written for every decision;
  ``…/mask_only`` without the observation, ``…/planning`` with its planning blocks, ``…/two_threads`` with half the
  games on each of two threads.
- ``limit/GAME/PLAYERS``: mask and observation of the same sizes filled with a constant, and nothing else done.
- ``aec/GAME/PLAYERS``: `agent_iter`, `last`, a masked sample, `step`; ``…/mask_only`` with ``last(observe=False)``.
- ``single/…``, ``make_vec/…``, ``sb3/…``, ``sb3_dummy/…``, ``selfplay/…``: see `benchmarks.doors`.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.doors import SIZES, door_rows, skipped
from benchmarks.measure import REPEATS, SEED, Row, measure
from rummy_env import Game, RuleSet
from rummy_env.engine.batch import random_play, seed_stream, start_games
from rummy_env.engine.compile import compile_rules
from rummy_env.engine.state import NUM_BLOCKS, new_games

TABLES = (("basic_rummy", 2), ("contract_rummy", 4))
GAMES = 256

_STARTUP = """
from time import perf_counter
begin = perf_counter()
import rummy_env
imported = perf_counter()
from rummy_env import contract_rummy_v0
env = contract_rummy_v0.env()
env.reset(seed=1)
env.last()
env.step(env.game.legal_actions()[0])
print(imported - begin, perf_counter() - begin)
"""


class Batch:
    """Games of one table with all the arrays that random play writes."""

    def __init__(self, preset: str, num_players: int, count: int, observation: str = "plain") -> None:
        self.rules = compile_rules(RuleSet.preset(preset), num_players, observation)
        layout = Game(preset, num_players, observation=observation)
        self.games = new_games(count)
        self.words = np.zeros((count, NUM_BLOCKS), np.int64)
        self.masks = np.zeros((count, layout.layout.num_actions), np.int8)
        self.observations = np.zeros((count, layout.observation_layout.size), np.int8)
        self.streams = np.zeros((count, 4), np.int64)
        for index, stream in enumerate(self.streams):
            seed_stream(stream, SEED + index)
        start_games(self.rules, self.games, np.arange(SEED, SEED + count))

    def play(self, steps: int, observed: bool, part: slice = slice(None)) -> None:
        """Play `steps` decisions in each game of `part`."""
        arrays = (self.games, self.words, self.masks, self.observations, self.streams)
        random_play(self.rules, *(array[part] for array in arrays), steps, observed)

    def fill(self, steps: int) -> None:
        """Write every mask and observation `steps` times."""
        for step in range(steps):
            self.masks.fill(step & 1)
            self.observations.fill(step & 1)

    def decisions(self) -> int:
        """Decisions made so far, by the engine's count."""
        return int(self.games["decisions"].sum())


def batch_rows(preset: str, num_players: int, count: int, seconds: float) -> Iterator[Row]:
    """The rows of the batch engine for one table, and its limit."""
    batch = Batch(preset, num_players, count)
    planning = Batch(preset, num_players, count, "planning")
    name = f"batch/{preset}/{num_players}"
    halves = (slice(None, count // 2), slice(count // 2, None))

    def counted(play: Callable[[int], object], batch: Batch = batch) -> Callable[[int], int]:
        def run(steps: int) -> int:
            before = batch.decisions()
            play(steps)
            return batch.decisions() - before

        return run

    def fill(steps: int) -> int:
        batch.fill(steps)
        return steps * count

    with ThreadPoolExecutor(2) as pool:

        def play_halves(steps: int) -> None:
            list(pool.map(lambda part: batch.play(steps, True, part), halves))

        yield measure(name, counted(lambda steps: batch.play(steps, True)), seconds)
        yield measure(f"{name}/mask_only", counted(lambda steps: batch.play(steps, False)), seconds)
        yield measure(f"{name}/planning", counted(lambda steps: planning.play(steps, True), planning), seconds)
        yield measure(f"{name}/two_threads", counted(play_halves), seconds)
    yield measure(f"limit/{preset}/{num_players}", fill, seconds)


def aec_rows(preset: str, num_players: int, seconds: float) -> Iterator[Row]:
    """The rows of the PettingZoo loop for one table."""
    env = import_module(f"rummy_env.{preset}_v0").env(num_players=num_players)
    env.reset(seed=SEED)

    def play(steps: int, observe: bool) -> int:
        decisions = -env.game.decisions
        while steps > 0:
            if not env.agents:
                decisions += env.game.decisions
                env.reset()
            for agent in env.agent_iter(steps):
                observation, _, terminated, truncated, info = env.last(observe)
                mask = (observation or info)["action_mask"]
                env.step(None if terminated or truncated else env.action_space(agent).sample(mask))
                steps -= 1
        return decisions + env.game.decisions

    name = f"aec/{preset}/{num_players}"
    yield measure(name, lambda steps: play(steps, True), seconds)
    yield measure(f"{name}/mask_only", lambda steps: play(steps, False), seconds)


def startup() -> dict[str, float]:
    """Seconds of ``import rummy_env``, and to the end of the first step, in a fresh process with a warm cache."""
    runs = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", _STARTUP], capture_output=True, text=True, check=True)
        runs.append([float(word) for word in done.stdout.split()])
    imported, stepped = (min(column) for column in zip(*runs, strict=True))
    return {"import_s": imported, "first_step_warm_s": stepped}


def report(count: int, seconds: float, sizes: tuple[int, ...] = SIZES) -> dict[str, Any]:
    """All figures, as plain JSON; `count` games in the batch of the engine, `sizes` in those of the environments."""
    rows: list[Row] = []
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    for preset, num_players in TABLES:
        rows += batch_rows(preset, num_players, count, seconds)
        rows += aec_rows(preset, num_players, seconds)
        rows += door_rows(preset, num_players, seconds, sizes)
    speed = {row.name: row.decisions_per_s for row in rows}
    return {
        "rows": [asdict(row) for row in rows],
        "two_threads_over_one": {
            f"{preset}/{num_players}": speed[f"batch/{preset}/{num_players}/two_threads"]
            / speed[f"batch/{preset}/{num_players}"]
            for preset, num_players in TABLES
        },
        "sb3_over_dummy": {
            table: row.decisions_per_s / speed[row.name.replace("sb3", "sb3_dummy", 1)]
            for row in rows
            for kind, _, table in [row.name.partition("/")]
            if kind == "sb3"
        },
        "skipped": skipped(),
        "startup": startup(),
        "machine": {
            "cpus": os.cpu_count(),
            "load_before": load,
            "processor": platform.processor() or platform.machine(),
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
        "settings": {"games": count, "seconds": seconds, "repeats": REPEATS},
    }


def main() -> None:
    """Run all measurements and print them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.throughput", description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--seconds", type=float, default=3.0, help="time spent on each row")
    parser.add_argument("--games", type=int, default=GAMES, help="games in a batch")
    arguments = parser.parse_args()
    if arguments.games < 2 or arguments.seconds <= 0:
        parser.error("--games must be at least 2, --seconds more than 0")
    figures = report(arguments.games, arguments.seconds)
    if arguments.json:
        print(json.dumps(figures, indent=2))
        return
    for row in figures["rows"]:
        print(f"{row['name']:50} {row['decisions_per_s']:14,.0f} decisions/s")
    for table, ratio in figures["two_threads_over_one"].items():
        print(f"{f'two threads over one, {table}':50} {ratio:14.2f} times")
    for table, ratio in figures["sb3_over_dummy"].items():
        print(f"{f'our VecEnv over DummyVecEnv, {table}':50} {ratio:14.2f} times")
    for rows, reason in figures["skipped"].items():
        print(f"{f'{rows} is left out':50} {reason}")
    for what, value in figures["startup"].items():
        print(f"{what.removesuffix('_s'):50} {value:14.2f} s")


if __name__ == "__main__":
    main()
