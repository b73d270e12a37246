"""What one seat sees of a game, in the form that compiled players and hand analysis work on."""

import numpy as np

from rummy_env.engine.legal import legal_actions
from rummy_env.engine.state import NUM_BLOCKS, OVER_NO, new_games
from rummy_env.engine.view import see
from rummy_env.rules import RuleSet


class View:
    """A copy of a game without anything that a seat cannot know.

    Args:
        rules: Rules of the game.
        compiled: The same for its number of players: `RULES`, shape ``(1,)``.
        games: `STATE`, shape ``(n,)``.
        i: Which of `games`.
        seat: The viewer.

    Attributes:
        rules: The `RuleSet`.
        compiled: `RULES`, shape ``(1,)``.
        seat: The viewer.
        state: `STATE`, shape ``(1,)``; see `rummy_env.engine.view`.
        words: int64, shape ``(1, NUM_BLOCKS)``: the legal actions of the viewer, 0 where it is not to move.
    """

    def __init__(self, rules: RuleSet, compiled: np.ndarray, games: np.ndarray, i: int, seat: int) -> None:
        self.rules = rules
        self.compiled = compiled
        self.seat = seat
        self.state = new_games(1)
        self.words = np.zeros((1, NUM_BLOCKS), np.int64)
        see(compiled, games, i, seat, self.state, 0)
        if self.state["player"][0] == seat and self.state["over"][0] == OVER_NO:
            legal_actions(compiled, self.state, 0, self.words, 0)

    @property
    def num_players(self) -> int:
        """Seats at the table."""
        return int(self.compiled["num_players"][0])
