"""A deal of a recorded game as an animated picture; needs the extra ``render``."""

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any

import numpy as np

from rummy_env.errors import ArgumentError, MissingExtraError
from rummy_env.game import Game
from rummy_env.record import Record
from rummy_env.render.image import Move, render_image
from rummy_env.render.text import deal_text

DEALT_MOVES = 2
"""The cards as they were dealt are shown for as long as so many moves."""

HELD = 0.2
"""Share of the time by which the last table is shown longer than its moves ask for."""

_TABLES_SAMPLED = 16
"""The colours are chosen from no more tables than these, and the last one."""


def deal_tables(record: Record, deal: int = 1, viewer: int | None = None) -> Iterator[tuple[np.ndarray, int]]:
    """Pictures of a deal: as it was dealt, after every turn, and at its end, before the next one is dealt.

    Args:
        record: The game, which replays.
        deal: Which of its deals, from 1.
        viewer: As for `render_image`.

    Yields:
        A picture, as of `render_image`, and the number of moves since the one before.

    Raises:
        ArgumentError: The game has no such deal.
        IndexError: `viewer` is no seat.
        MissingExtraError: Pygame is not installed.
    """
    game, actions = record.start_game(), iter(record.actions)
    for begun in range(1, deal):
        if all(game.apply(action) is None for action in actions) or game.over is not None:
            raise ArgumentError(f"there is no deal {deal}: the game has {begun}")
    # Where a deal ends, a game has dealt the next one already; as the only deal of a game it stays on the table.
    only = game.rules.replace(game_end="single_deal", name=game.rules.name)
    table = Game.from_dict({**game.to_dict(), "rules": only, "deals_done": 0})
    yield render_image(table, viewer), 0
    moves: list[Move] = []
    told = 0
    for action in actions:
        moves.append((game.player, action))
        table.apply(action)
        summary = game.apply(action)
        if summary is not None or game.phase == "draw":
            headline = None if summary is None else deal_text(summary)
            yield render_image(table, viewer, moves, headline), len(moves) - told
            told = len(moves)
        if summary is not None:
            return


def write_animation(tables: Sequence[tuple[np.ndarray, int]], path: str | PathLike[str], seconds: float = 30) -> None:
    """Write tables as an animated GIF that begins anew when it is over.

    Args:
        tables: What `deal_tables` yields: pictures of one size, each with its number of moves, which it is shown for.
        path: The file; the same tables make the same bytes.
        seconds: Time from the first table to the end of the last.

    Raises:
        MissingExtraError: Pillow is not installed.
        OSError: The file cannot be written.
    """
    pillow = import_pillow()
    images = [image for image, _ in tables]
    # One palette for all, and no dithering: then what stays on the table is the same in all and costs nothing.
    sample = [*images[:: -(-len(images) // _TABLES_SAMPLED)], images[-1]]
    palette = pillow.fromarray(np.concatenate(sample)).quantize()
    first, *others = (pillow.fromarray(one).quantize(palette=palette, dither=pillow.Dither.NONE) for one in images)
    moves = np.array([count for _, count in tables])
    moves[0] = DEALT_MOVES
    times = seconds * (1 - HELD) * moves / moves.sum()
    times[-1] += seconds * HELD
    milliseconds = (10 * (100 * times).round()).astype(int).tolist()  # a GIF counts in hundredths of seconds
    first.save(path, "GIF", save_all=True, append_images=others, duration=milliseconds, loop=0)


def import_pillow() -> Any:
    """Pillow's module of images; `MissingExtraError` where it is not installed."""
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingExtraError(f"an animation needs Pillow ({error}): pip install 'rummy-env[render]'") from error
    return Image
