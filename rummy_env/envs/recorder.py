"""Games that a batch plays, followed one by one so that they can be recorded."""

from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rummy_env.game import Game
from rummy_env.record import append_record
from rummy_env.render.image import MOVES_SHOWN, Move


class Recorder:
    """Plays every game of a batch along and appends it to a file when its episode is over.

    Args:
        path: The file.
        count: Games.

    Attributes:
        moves: The last moves of each game, oldest first.
    """

    def __init__(self, path: str | Path, count: int) -> None:
        self.moves: list[deque[Move]] = [deque(maxlen=MOVES_SHOWN) for _ in range(count)]
        self._path = path
        self._games: list[Game | None] = [None] * count
        self._starts: list[Mapping[str, Any] | None] = [None] * count

    def begin(self, row: int, game: Game, at_position: bool) -> None:
        """An episode begins in game `row`: with the seed of `game`, or at its position."""
        self.moves[row].clear()
        self._games[row] = game
        self._starts[row] = game.to_dict() if at_position else None

    def note(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Actions that are about to be applied in the games of `rows`; illegal ones, which forfeit, are left out."""
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            game = self._games[row]
            if game is not None and game.is_legal(action):
                self.moves[row].append((game.player, action))
                game.apply(action)

    def write(self, rows: np.ndarray) -> None:
        """The episodes of `rows` are over."""
        for row in rows.tolist():
            game = self._games[row]
            assert game is not None
            append_record(self._path, game, self._starts[row])
