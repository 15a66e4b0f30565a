"""Windows of environments."""

from typing import ClassVar
from weakref import WeakSet

from diamant_env.drawing.pixels import pygame


class Window:
    """A window for pictures; pictures shown after the user has closed it are dropped.

    Raises:
        OSError: If pygame finds no display.
    """

    _all: ClassVar["WeakSet[Window]"] = WeakSet()  # events come to whichever window asks first

    def __init__(self, title: str) -> None:
        try:
            pygame.display.init()
        except pygame.error as error:
            raise OSError(f"no display for a window: {error}") from None
        self._title = title
        self._window: pygame.Window | None = None
        self._dismissed = False
        self._clock = pygame.time.Clock()
        self._all.add(self)

    def show(self, picture: pygame.Surface, fps: float = 0) -> None:
        """Show a picture, at most `fps` per second if positive."""
        if not pygame.display.get_init():  # another library has called pygame.quit()
            pygame.display.init()
        for event in pygame.event.get():
            for window in self._all:
                window._follow(event)
        if self._dismissed:
            return
        try:
            self._draw(picture)
        except pygame.error:  # the window was closed by pygame.quit()
            self._window = None
            self._draw(picture)
        if fps > 0:
            self._clock.tick(fps)

    def _draw(self, picture: pygame.Surface) -> None:
        if self._window is None:
            self._window = pygame.Window(self._title, picture.get_size())
        self._window.get_surface().blit(picture, (0, 0))
        self._window.flip()

    def close(self) -> None:
        """Close the window; the next picture opens a new one."""
        if self._window is not None:
            self._window.destroy()
        self._window = None
        self._dismissed = False

    def _follow(self, event: pygame.event.Event) -> None:
        """Close the window if the user has."""
        own = self._window is not None and getattr(event, "window", None) == self._window
        if event.type == pygame.QUIT or (event.type == pygame.WINDOWCLOSE and own):
            self.close()
            self._dismissed = True
