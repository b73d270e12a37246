"""Writing masks and numbers as 0/1 entries of an observation."""

import numpy as np

from rummy_env.engine.bits import lowest_bit, spread_eight
from rummy_env.engine.jit import kernel


def reached(steps: tuple[int, ...]) -> np.ndarray:
    """For every count from 0 to the last step: the mask of the steps it reaches."""
    return np.array(
        [sum(1 << index for index, step in enumerate(steps) if count >= step) for count in range(steps[-1] + 1)]
    )


@kernel
def set_bits(row, base, mask):
    """Set the entries of the bits of `mask`, counted from `base`: quickest for a few bits."""
    while mask:
        row[base + lowest_bit(mask)] = 1
        mask &= mask - 1


@kernel
def spread(row, base, mask):
    """Write 52 entries from `base` on, the bits of `mask`: quickest for many bits."""
    for first in range(0, 48, 8):
        spread_eight(row, base + first, mask >> first)
    spread_eight(row, base + 44, mask >> 44)


@kernel
def spread_faces(row, base, mask, faces):
    """Write an entry for each of 52 or 53 faces from `base` on."""
    spread(row, base, mask)
    if faces > 52:
        row[base + 52] = mask >> 52


@kernel
def more_than(row, base, limit, count):
    """Thermometer: entry k is set where `count` > k."""
    for k in range(min(limit, count)):
        row[base + k] = 1


@kernel
def at_least(row, base, reached, steps, count):
    """Thermometer of eight or more entries: entry k is set where `count` >= step k.

    `reached` has the entries as a mask for every count up to its last.
    """
    entries = reached[max(0, min(count, len(reached) - 1))]
    for first in range(0, steps - 7, 8):
        spread_eight(row, base + first, entries >> first)
    spread_eight(row, base + steps - 8, entries >> (steps - 8))
