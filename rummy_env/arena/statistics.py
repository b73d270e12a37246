"""What differences between players are worth: bootstrap intervals, the exact sign test, Holm's correction."""

import math
from typing import NamedTuple

import numpy as np

RESAMPLES = 10_000
CONFIDENCE = 0.95
_CELLS = 4_000_000
"""Counts of a block of resamples that are in memory at once."""


class Estimate(NamedTuple):
    """A figure and the ends of its interval."""

    value: float
    low: float
    high: float


def bootstrap_ratios(
    numerators: np.ndarray,
    denominators: np.ndarray,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> list[Estimate | None]:
    """Ratios of sums over units, with percentile intervals of the bootstrap over whole units.

    All columns are resampled together, as the units of one match are the same cards for everybody.

    Args:
        numerators: shape ``(units, columns)``; at least two units.
        denominators: likewise, none negative; all 1 for plain means.
        seed: seed of the resampling.
        resamples: how often the units are drawn anew, with replacement.
        confidence: share of resamples inside the interval.

    Returns:
        An estimate for each column; None where the denominators sum up to 0.
    """
    units, columns = numerators.shape
    both = np.concatenate([numerators, denominators], axis=1)
    generator = np.random.default_rng(seed)
    block = max(1, min(resamples, _CELLS // units))
    sums = np.empty((resamples, 2 * columns))
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn = generator.integers(units, size=(rows, units)) + np.arange(rows)[:, None] * units
        counts = np.bincount(drawn.ravel(), minlength=rows * units).reshape(rows, units)
        sums[start : start + rows] = counts.astype(float) @ both
    tail = (1 - confidence) / 2
    totals = both.sum(axis=0)
    estimates: list[Estimate | None] = []
    for column in range(columns):
        defined = sums[:, columns + column] > 0  # a resample may hold none of a few decided deals
        if totals[columns + column] <= 0:
            estimates.append(None)
            continue
        ratios = sums[defined, column] / sums[defined, columns + column]
        low, high = np.quantile(ratios, [tail, 1 - tail])
        estimates.append(Estimate(float(totals[column] / totals[columns + column]), float(low), float(high)))
    return estimates


def sign_test(positive: int, negative: int) -> float:
    """Two-sided exact sign test: how likely signs at least as uneven are if both are equally likely; ties left out."""
    total, fewer = positive + negative, min(positive, negative)
    if total == 0:
        return 1.0
    steps = np.arange(1, fewer + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log(total - steps + 1.0) - np.log(steps))]) - total * math.log(2)
    return min(1.0, 2 * float(np.exp(logs).sum()))


def holm(p_values: list[float]) -> list[float]:
    """P-values of a table, corrected by Holm's step-down method for there being so many of them."""
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted
