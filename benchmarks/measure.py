"""Timing a run, and the figure it makes."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

REPEATS = 5
SEED = 1


@dataclass(frozen=True)
class Row:
    """One figure: decisions made, seconds they took (both of the best run), and their quotient."""

    name: str
    decisions_per_s: float
    decisions: int
    seconds: float


def measure(name: str, run: Callable[[int], int], seconds: float) -> Row:
    """Time `run`, which takes a number of steps and tells the decisions it made, for about `seconds` in all."""
    steps, elapsed = 1, 0.0
    while elapsed < seconds / REPEATS / 4:
        steps *= 2
        begin = perf_counter()
        run(steps)
        elapsed = perf_counter() - begin
    steps = max(1, int(steps * seconds / REPEATS / elapsed))
    rows = []
    for _ in range(REPEATS):
        begin = perf_counter()
        decisions = run(steps)
        elapsed = perf_counter() - begin
        rows.append(Row(name, decisions / elapsed, decisions, elapsed))
    return best(rows)


def best(rows: list[Row]) -> Row:
    """The fastest of some runs: what disturbs a run only ever slows it."""
    return max(rows, key=lambda row: row.decisions_per_s)
