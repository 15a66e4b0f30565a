"""What the drawing code draws on: the same shapes become pixels (`pixels.py`) or SVG (`svg.py`)."""

from collections.abc import Sequence
from typing import Protocol

Colour = tuple[int, int, int]
Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, width, height


class Canvas(Protocol):
    """A picture that is being drawn, in units of a pixel of the finished picture."""

    def rectangle(self, box: Box, colour: Colour, radius: float = 0, width: float = 0) -> None:
        """Draw a rectangle, filled if `width` is 0."""

    def circle(self, center: Point, radius: float, colour: Colour) -> None:
        """Draw a disc."""

    def ellipse(self, box: Box, colour: Colour) -> None:
        """Draw a filled ellipse in this box."""

    def polygon(self, points: Sequence[Point], colour: Colour) -> None:
        """Draw a filled polygon."""

    def line(self, points: Sequence[Point], colour: Colour, width: float) -> None:
        """Draw a line through the points, with round joints and ends."""

    def text(
        self, words: str, position: Point, size: float, colour: Colour, anchor: str = "center", fit: float = 0
    ) -> float:
        """Write words with their anchor at `position`, small enough for the width `fit` if positive; return the width.

        The anchor is ``"center"``, ``"midleft"`` or ``"midright"``.
        """
