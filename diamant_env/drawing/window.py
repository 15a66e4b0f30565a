"""Window of an environment."""

import os

from diamant_env.drawing.pixels import pygame


class Window:
    """A window for pictures; pictures shown after the user has closed it are dropped.

    Raises:
        OSError: If there is no display.
    """

    def __init__(self, title: str) -> None:
        _open_display()
        self._title = title
        self._window: pygame.Window | None = None
        self._dismissed = False
        self._clock = pygame.time.Clock()

    def show(self, picture: pygame.Surface, fps: float = 0) -> None:
        """Show a picture, at most `fps` per second if positive."""
        self._read_events()
        if self._dismissed:
            return
        try:
            self._draw(picture)
        except pygame.error:  # another environment has quit pygame and with it this window
            self._window = None
            self._draw(picture)
        if fps > 0:
            self._clock.tick(fps)

    def _draw(self, picture: pygame.Surface) -> None:
        if self._window is None or not pygame.display.get_init():
            self._window = None
            _open_display()
            self._window = pygame.Window(self._title, picture.get_size())
        self._window.get_surface().blit(picture, (0, 0))
        self._window.flip()

    def _read_events(self) -> None:
        """Process window events; close events of other windows are posted back."""
        if not pygame.display.get_init():
            return
        for event in pygame.event.get():
            if event.type == pygame.QUIT or (
                event.type == pygame.WINDOWCLOSE and self._window is not None and event.window == self._window
            ):
                self.close()
                self._dismissed = True
            elif event.type == pygame.WINDOWCLOSE:
                pygame.event.post(event)

    def close(self) -> None:
        """Close the window; the next picture opens a new one."""
        if self._window is not None and pygame.display.get_init():
            self._window.destroy()
        self._window = None
        self._dismissed = False


def _open_display() -> None:
    """Initialise pygame's display.

    Raises:
        OSError: If there is no display: pygame fails, or SDL falls back to offscreen without SDL_VIDEODRIVER.
    """
    ours = not pygame.display.get_init()
    try:
        pygame.display.init()
    except pygame.error as error:
        raise OSError(f"no display for a window: {error}") from None
    if pygame.display.get_driver() == "offscreen" and not os.environ.get("SDL_VIDEODRIVER"):
        if ours:
            pygame.display.quit()
        raise OSError("no display for a window: SDL found none")
