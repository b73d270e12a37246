"""The render modes of the environments."""

from collections.abc import Sequence

import numpy as np

from rummy_env.game import Game
from rummy_env.render.image import Move, render_image
from rummy_env.render.text import render_text
from rummy_env.render.window import Window

RENDER_MODES = ("ansi", "rgb_array", "human")
"""Text, a picture, a picture in a window; the last two need the extra ``render``."""

RENDER_FPS = 2


class Renderer:
    """Shows games in any of the modes, and may be copied and pickled, whatever is on the screen.

    Args:
        title: Title of the window.
        fps: Pictures a second that the window shows at most.
    """

    def __init__(self, title: str, fps: float = RENDER_FPS) -> None:
        self._window = Window(title, fps)

    def render(
        self, mode: str | None, game: Game, viewer: int | None = None, moves: Sequence[Move] = ()
    ) -> str | np.ndarray | None:
        """The table as a mode of `RENDER_MODES` says.

        Returns:
            What `render_text` or `render_image` give; None where the picture is in the window, or `mode` is None.

        Raises:
            MissingExtraError: The mode needs pygame, which is not installed.
        """
        if mode is None:
            return None
        if mode == "ansi":
            return render_text(game, viewer)
        image = render_image(game, viewer, moves)
        if mode == "rgb_array":
            return image
        self._window.show(image)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        self._window.close()
