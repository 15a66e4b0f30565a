"""Window of an environment."""

from diamant_env.drawing.pixels import pygame


class Window:
    """A window for pictures; pictures shown after the user has closed it are dropped.

    Raises:
        OSError: If pygame finds no display.
    """

    def __init__(self, title: str) -> None:
        try:
            pygame.display.init()
        except pygame.error as error:
            raise OSError(f"no display for a window: {error}") from None
        self._title = title
        self._window: pygame.Window | None = None
        self._dismissed = False
        self._clock = pygame.time.Clock()

    def show(self, picture: pygame.Surface, fps: float = 0) -> None:
        """Show a picture, at most `fps` per second if positive."""
        if any(event.type in (pygame.QUIT, pygame.WINDOWCLOSE) for event in pygame.event.get()):
            self.close()
            self._dismissed = True
        if self._dismissed:
            return
        if self._window is None:
            self._window = pygame.Window(self._title, picture.get_size())
        self._window.get_surface().blit(picture, (0, 0))
        self._window.flip()
        if fps > 0:
            self._clock.tick(fps)

    def close(self) -> None:
        """Close the window; the next picture opens a new one."""
        if self._window is not None:
            self._window.destroy()
        self._window = None
        self._dismissed = False
