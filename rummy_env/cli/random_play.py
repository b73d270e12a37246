"""Random legal players: every legal action of a decision is as likely as any other."""

from collections.abc import Iterator

import numpy as np

from rummy_env.game import Game


def random_actions(game: Game, seed: int) -> Iterator[int]:
    """Legal actions for `game` up to its end; each has to be applied before the next is asked for.

    Args:
        game: The game, which the caller plays on.
        seed: Seed of the choices; the cards follow from the game's own.

    Yields:
        The id of one of the legal actions of the position that `game` is in.
    """
    random = np.random.default_rng(seed)
    while game.over is None:
        legal = game.legal_actions()
        yield legal[random.integers(len(legal))]
