"""Duplicate deals: which agents meet, in which seats, over which cards.

A unit is what results are counted by: one deal, or one game. Every pair plays every unit in every seating, so the luck
of the cards falls on both sides alike, and all pairs play the same cards.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations, groupby

import numpy as np

from rummy_env.game import MAX_SEED


def pair_up(count: int, reference: int | None = None) -> list[tuple[int, int]]:
    """Pairs of agents that meet: all of them, or each with the agent of number `reference`, which comes second."""
    if reference is None:
        return list(combinations(range(count), 2))
    return [(agent, reference) for agent in range(count) if agent != reference]


def seatings(num_players: int) -> np.ndarray:
    """Every seating of the sides 0 and 1: int8, shape ``(k, num_players)``, the side in each seat.

    One seat of side 0 among side 1, in each seat of the table, then the reverse; two players only change places.
    """
    lone = np.eye(num_players, dtype=np.int8)
    return 1 - lone if num_players == 2 else np.concatenate([1 - lone, lone])


def lone_seats(seating: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the side that has one seat sits in each of `seatings`, and that side; of two players side 0.

    Returns:
        Seats and sides, int64, shape ``(k,)``.
    """
    sides = np.where(seating.sum(axis=1) == 1, 1, 0) if seating.shape[1] > 2 else np.zeros(len(seating), np.int64)
    return (seating == sides[:, None]).argmax(axis=1), sides


def unit_seed(seed: int, unit: int) -> int:
    """Seed of the game that unit number `unit` (from 0) is dealt from; it depends on nothing else.

    Seeds of different matches are unrelated, so what was tuned with one seed can be confirmed with another.
    """
    return int(np.random.SeedSequence((seed, unit)).generate_state(1, np.uint64)[0]) & MAX_SEED


def chunks(units: Iterable[int], size: int) -> Iterator[tuple[int, int]]:
    """Ascending units as ranges ``first, end`` of at most `size` neighbours."""
    for _, run in groupby(enumerate(units), key=lambda pair: pair[1] - pair[0]):
        neighbours = [unit for _, unit in run]
        for start in range(0, len(neighbours), size):
            part = neighbours[start : start + size]
            yield part[0], part[-1] + 1
