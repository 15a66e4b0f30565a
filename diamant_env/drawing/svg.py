"""SVG canvas, icons, and the colours and types shared with `PixelCanvas`.

Icons are the symbols of ``icons.svg``, in a square from -100 to 100.
"""

import re
from pathlib import Path
from xml.sax.saxutils import escape

Colour = tuple[int, int, int]
Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, width, height

INK: Colour = (38, 30, 30)
GOLD: Colour = (247, 196, 62)
SEAT_COLOURS: tuple[Colour, ...] = (
    (222, 66, 60), (66, 128, 232), (240, 196, 44), (64, 168, 84),
    (238, 128, 30), (160, 92, 214), (62, 190, 204), (236, 124, 182),
)  # fmt: skip

_EM = 0.72  # font size in browsers relative to pygame's
_LETTER = 0.6  # mean character width of bold text in em
_ANCHORS = {"center": "middle", "midleft": "start", "midright": "end"}

SPRITES = Path(__file__).with_name("icons.svg").read_text(encoding="utf-8")
ICONS: dict[str, str] = dict(re.findall(r'<symbol id="([^"]+)"[^>]*>(.*?)</symbol>', SPRITES, re.DOTALL))
"""SVG elements of each icon by name; ``currentColor`` is the placeholder of the tint."""


def icon_of_trap(name: str) -> str:
    """Return the icon name of a trap, ``"unknown-trap"`` by default."""
    icon = name.replace(" ", "-")
    return icon if icon in ICONS else "unknown-trap"


def tinted(icon: str, tint: Colour) -> str:
    return ICONS[icon].replace("currentColor", rgb(tint))


def rgb(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


class SvgCanvas:
    """Canvas that collects SVG elements; its methods are those of `PixelCanvas`."""

    def __init__(self) -> None:
        self.elements: list[str] = []

    def rectangle(self, box: Box, colour: Colour, radius: float = 0, width: float = 0) -> None:
        # Borders are drawn inside the box.
        left, top, wide, high = box
        half = width / 2
        sides = f'x="{left + half:.5g}" y="{top + half:.5g}" width="{wide - width:.5g}" height="{high - width:.5g}"'
        paint = f'fill="none" stroke="{rgb(colour)}" stroke-width="{width:.3g}"' if width else f'fill="{rgb(colour)}"'
        self.elements.append(f'<rect {sides} rx="{max(0.0, radius - half):.3g}" {paint}/>')

    def icon(self, name: str, center: Point, radius: float, tint: Colour = (255, 255, 255)) -> None:
        place = f"translate({center[0]:.5g} {center[1]:.5g}) scale({radius / 100:.5g})"
        self.elements.append(f'<g transform="{place}">{tinted(name, tint)}</g>')

    def text(
        self, words: str, position: Point, size: float, colour: Colour, anchor: str = "center", fit: float = 0
    ) -> float:
        # The width is an estimate, since the browser chooses the font.
        em = size * _EM
        width = len(words) * em * _LETTER
        if 0 < fit < width:
            em, width = em * fit / width, fit
        place = f'x="{position[0]:.5g}" y="{position[1] + 0.36 * em:.5g}" text-anchor="{_ANCHORS[anchor]}"'
        font = f'font-size="{em:.4g}" font-family="sans-serif" font-weight="bold" fill="{rgb(colour)}"'
        self.elements.append(f"<text {place} {font}>{escape(words)}</text>")
        return width


def icons_svg() -> str:
    """Return an SVG document of all icons, explorer and tent also in each seat's colour (``explorer-0``, …)."""
    symbols = [
        f'<symbol id="{name}-{seat}" viewBox="-105 -105 210 210">{tinted(name, tint)}</symbol>'
        for seat, tint in enumerate(SEAT_COLOURS)
        for name in ("explorer", "tent")
    ]
    return SPRITES.replace("currentColor", "#ffffff").replace("</svg>", "".join(symbols) + "</svg>")
