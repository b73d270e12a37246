"""What came of a part of a match."""

from dataclasses import dataclass
from typing import Any

import numpy as np

POINTS, DEALS, WON, DECIDED, GAMES_WON, ALONE_WON, GAMES = range(7)
NUM_OUTCOMES = 7
"""What is kept of a game, for the first of a pair: its points (what the engine pays the lone seat, signed) · deals ·
deals in which one of its seats went out, and in which any did (a forfeit is a win shared by the others) · games won,
ties shared · those of them in which it sat alone · games."""


@dataclass(frozen=True)
class Chunk:
    """What came of the units `first` … `end` - 1.

    Attributes:
        outcomes: float64, shape ``(units, pairs, NUM_OUTCOMES)``, summed over the seatings.
        behaviour: int64, shape ``(agents, NUM_COUNTS)``.
        seconds: Seconds that each agent thought.
        deals: Fingerprint of the first deal of each unit.
        forfeits: Every forfeited game: ``agent``, ``opponent``, ``unit``, ``seed`` (of the game), ``contract``,
            ``deal`` (of the game, from 1), ``seating`` (labels by seat), ``seat``, ``action`` and ``reason``.
    """

    first: int
    end: int
    outcomes: np.ndarray
    behaviour: np.ndarray
    seconds: np.ndarray
    deals: list[str]
    forfeits: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """The chunk as plain JSON."""
        arrays = {name: value.tolist() for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return vars(self) | arrays

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Chunk":
        """The chunk that `to_dict` gave."""
        arrays = {"outcomes": np.float64, "behaviour": np.int64, "seconds": np.float64}
        return cls(**data | {name: np.array(data[name], dtype) for name, dtype in arrays.items()})
