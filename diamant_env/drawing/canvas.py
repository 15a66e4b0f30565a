"""Protocol of drawing surfaces: pixels (`pixels.py`) or SVG (`svg.py`)."""

from typing import Protocol

Colour = tuple[int, int, int]
Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, width, height


class Canvas(Protocol):
    """A drawing surface, in pixels of the final picture."""

    def rectangle(self, box: Box, colour: Colour, radius: float = 0, width: float = 0) -> None:
        """Draw a rectangle, filled if `width` is 0."""

    def icon(self, name: str, center: Point, radius: float, tint: Colour = (255, 255, 255)) -> None:
        """Draw one of `ICONS` into the square with this center and half width `radius`."""

    def text(
        self, words: str, position: Point, size: float, colour: Colour, anchor: str = "center", fit: float = 0
    ) -> float:
        """Draw text with its anchor at `position`, shrunk to the width `fit` if positive; return the width.

        The anchor is ``"center"``, ``"midleft"`` or ``"midright"``.
        """
