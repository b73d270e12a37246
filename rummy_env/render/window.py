"""A window that shows pictures of a game; needs the extra ``render``."""

from typing import Any

import numpy as np

from rummy_env.render.cards import import_pygame


class Window:
    """A window that opens with the first picture; pygame has one at a time for the whole process.

    A copy, or what is unpickled, is a window of the same title that is not open.

    Args:
        title: Title of the window.
        fps: Pictures a second at most.
    """

    def __init__(self, title: str, fps: float) -> None:
        self.title = title
        self.fps = fps
        self._screen: Any = None
        self._clock: Any = None

    def show(self, image: np.ndarray) -> None:
        """Show a picture (uint8, shape ``(height, width, 3)``) for as long as `fps` says.

        Closing the window by hand interrupts the program as Ctrl-C does.

        Raises:
            KeyboardInterrupt: Somebody closed the window.
        """
        pygame = import_pygame()
        if self._screen is None:
            pygame.display.init()
            pygame.display.set_caption(self.title)
            self._screen = pygame.display.set_mode((image.shape[1], image.shape[0]))
            self._clock = pygame.time.Clock()
        if pygame.event.get(pygame.QUIT):
            self.close()
            raise KeyboardInterrupt("the window was closed")
        pygame.event.pump()
        pygame.surfarray.blit_array(self._screen, image.swapaxes(0, 1))
        pygame.display.flip()
        self._clock.tick(self.fps)

    def close(self) -> None:
        """Close the window, if it is open; the next picture opens it anew."""
        if self._screen is not None:
            import_pygame().display.quit()
            self._screen = self._clock = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_screen": None, "_clock": None}
