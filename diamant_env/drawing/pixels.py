"""Pixel canvas with 2x supersampling, and the window of environments; needs pygame-ce."""

import functools
import io
import os

import numpy as np
from numpy.typing import NDArray

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
try:
    import pygame
except ImportError as error:
    raise ImportError('pictures need pygame-ce: pip install "diamant-env[render]"') from error

from diamant_env.drawing.svg import Box, Colour, Point, tinted

_SCALE = 2
_SMALLEST_TEXT = 7
_CLOCK = pygame.time.Clock()


class PixelCanvas:
    """A canvas on a pygame surface, in pixels of the final picture."""

    def __init__(self, width: int, height: int, colour: Colour) -> None:
        pygame.font.init()
        self._size = (width, height)
        self._surface = pygame.Surface((width * _SCALE, height * _SCALE), 0, 32)
        self._surface.fill(colour)
        self._fonts: dict[int, pygame.font.Font] = {}

    def rectangle(self, box: Box, colour: Colour, radius: float = 0, width: float = 0) -> None:
        """Draw a rectangle, filled if `width` is 0."""
        pygame.draw.rect(self._surface, colour, _rect(box), _pixels(width), _pixels(radius))

    def icon(self, name: str, center: Point, radius: float, tint: Colour = (255, 255, 255)) -> None:
        """Draw one of `ICONS` into the square with this center and half width `radius`."""
        image = _rasterised(name, _pixels(2.1 * radius), tint)
        x, y = _point(center)
        self._surface.blit(image, image.get_rect(center=(round(x), round(y))))

    def shade(self, box: Box, colour: Colour, opacity: int, radius: float = 0) -> None:
        """Overlay a box with a colour of opacity 0 to 255."""
        layer = pygame.Surface(_rect(box).size, pygame.SRCALPHA, 32)
        pygame.draw.rect(layer, (*colour, opacity), layer.get_rect(), 0, _pixels(radius))
        self._surface.blit(layer, _rect(box))

    def glow(self, center: Point, radius: float, colour: Colour) -> None:
        """Overlay a radial gradient."""
        size = _pixels(2 * radius)
        layer = pygame.Surface((size, size), pygame.SRCALPHA, 32)
        for ring in range(12):
            pygame.draw.circle(layer, (*colour, 8 + 7 * ring), (size / 2, size / 2), size / 2 * (1 - ring / 13))
        x, y = _point(center)
        self._surface.blit(layer, (x - size / 2, y - size / 2))

    def text(
        self, words: str, position: Point, size: float, colour: Colour, anchor: str = "center", fit: float = 0
    ) -> float:
        """Draw text with its anchor at `position`, shrunk to the width `fit` if positive; return the width."""
        pixels = _pixels(size)
        while fit and pixels > _SMALLEST_TEXT * _SCALE and self._font(pixels).size(words)[0] > fit * _SCALE:
            pixels -= 1
        image = self._font(pixels).render(words, True, colour)
        self._surface.blit(image, image.get_rect(**{anchor: _point(position)}))
        return image.get_width() / _SCALE

    def _font(self, pixels: int) -> pygame.font.Font:
        """Return the default font, cached per canvas since other libraries may quit pygame's fonts between pictures."""
        if pixels not in self._fonts:
            self._fonts[pixels] = pygame.font.Font(None, pixels)
        return self._fonts[pixels]

    def finish(self) -> pygame.Surface:
        """Return the picture at its final size."""
        return pygame.transform.smoothscale(self._surface, self._size)


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


def pixels_of(surface: pygame.Surface) -> NDArray[np.uint8]:
    """Return a surface as a new array, uint8 (height, width, 3)."""
    return np.ascontiguousarray(pygame.surfarray.array3d(surface).transpose(1, 0, 2))


@functools.cache
def _rasterised(icon: str, size: int, tint: Colour) -> pygame.Surface:
    document = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-105 -105 210 210">{tinted(icon, tint)}</svg>'
    return pygame.image.load_sized_svg(io.BytesIO(document.encode()), (size, size))


def _pixels(length: float) -> int:
    return round(length * _SCALE)


def _point(point: Point) -> Point:
    return (point[0] * _SCALE, point[1] * _SCALE)


def _rect(box: Box) -> pygame.Rect:
    left, top, width, height = box
    x, y = _pixels(left), _pixels(top)
    return pygame.Rect(x, y, _pixels(left + width) - x, _pixels(top + height) - y)
