"""Icons: symbols of ``icons.svg``, in a square from -100 to 100, and colours."""

import re
from pathlib import Path

from diamant_env.drawing.canvas import Colour

INK: Colour = (38, 30, 30)
GOLD: Colour = (247, 196, 62)
SEAT_COLOURS: tuple[Colour, ...] = (
    (222, 66, 60), (66, 128, 232), (240, 196, 44), (64, 168, 84),
    (238, 128, 30), (160, 92, 214), (62, 190, 204), (236, 124, 182),
)  # fmt: skip

SPRITES = Path(__file__).with_name("icons.svg").read_text(encoding="utf-8")
ICONS: dict[str, str] = dict(re.findall(r'<symbol id="([^"]+)"[^>]*>(.*?)</symbol>', SPRITES, re.DOTALL))
"""SVG elements of each icon by name; ``currentColor`` is the placeholder of the tint."""


def icon_of_trap(name: str) -> str:
    """Return the icon name of a trap, ``"unknown-trap"`` if it has no icon."""
    icon = name.replace(" ", "-")
    return icon if icon in ICONS else "unknown-trap"


def tinted(icon: str, tint: Colour) -> str:
    """Return the SVG elements of an icon in a colour."""
    return ICONS[icon].replace("currentColor", rgb(tint))


def rgb(colour: Colour) -> str:
    """Return a colour in SVG notation."""
    return "#{:02x}{:02x}{:02x}".format(*colour)
