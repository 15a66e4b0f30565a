"""The window of environments, one per process."""

from diamant_env.drawing.pixels import pygame

_CLOCK = pygame.time.Clock()


class Window:
    """The window for pictures; it drops pictures after the user has closed it. OSError without a display."""

    def __init__(self, title: str) -> None:
        try:
            pygame.display.init()
        except pygame.error as error:
            raise OSError(f"no display for a window: {error}") from None
        self._title, self._dismissed = title, False

    def show(self, picture: pygame.Surface, fps: float = 0) -> None:
        """Show a picture; wait to limit the rate to `fps` per second if positive."""
        pygame.display.init()  # another library may have called pygame.quit()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
            self._dismissed = True
        if self._dismissed:
            return
        surface = pygame.display.get_surface()
        if surface is None or surface.get_size() != picture.get_size():  # none yet, or that of another library
            surface = pygame.display.set_mode(picture.get_size())
            pygame.display.set_caption(self._title)
        surface.blit(picture, (0, 0))
        pygame.display.flip()
        if fps > 0:
            _CLOCK.tick(fps)

    def close(self) -> None:
        """Close the window; the next picture opens a new one."""
        pygame.display.quit()
        self._dismissed = False
