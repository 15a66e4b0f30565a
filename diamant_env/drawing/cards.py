"""Drawing of cards, also as SVG, and of the path."""

import textwrap
from collections.abc import Container
from typing import TYPE_CHECKING

from diamant_env.drawing.render_history import relics_gone
from diamant_env.drawing.svg import INK, Box, Colour, SvgCanvas, icon_of_trap
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, Edition

if TYPE_CHECKING:  # SVG works without pygame
    from diamant_env.drawing.pixels import PixelCanvas

NEW: Colour = (255, 226, 120)  # border of the newest card
FATAL: Colour = (255, 70, 60)  # border of the two cards that ended an expedition
_LARGEST, _SMALLEST = 112, 20
_RATIO = 1.36  # height to width
_GAP = 10
_LINE, _MOST_LINES = 9, 3  # of a card's name: characters per line, lines
_TREASURE: Colour = (238, 228, 204)
_RELIC: Colour = (112, 74, 148)
_WHITE: Colour = (255, 255, 255)
# One per kind of trap, to distinguish traps without an icon.
TRAP_COLOURS: tuple[Colour, ...] = (
    (206, 190, 214), (238, 214, 132), (240, 178, 152), (166, 204, 226),
    (190, 216, 160), (236, 172, 196), (160, 214, 202), (214, 196, 168),
)  # fmt: skip


def draw_path(
    canvas: "PixelCanvas",
    box: Box,
    edition: Edition,
    path: list[int],
    marked: Container[int],
    colour: Colour,
    relics_on_path: int,
) -> None:
    """Draw the cards of a path row by row, as large as the box allows; positions in `marked` get a border."""
    left, top, width, height = box
    taken_relics = relics_gone(path, relics_on_path)
    card_width, columns, rows = _layout(len(path), width, height)
    card_height = card_width * _RATIO
    top += (height - rows * (card_height + _GAP) + _GAP) / 2
    for position, card in enumerate(path):
        row, column = divmod(position, columns)
        place = (left + column * (card_width + _GAP), top + row * (card_height + _GAP), card_width, card_height)
        if position in marked:
            border = max(3, card_width / 22)
            canvas.shade(_grown(place, border + 3), colour, 110, 10)
            canvas.rectangle(_grown(place, border), colour, 8)
        card_picture(canvas, place, card, edition.card_name(card), position + 1)
        if position in taken_relics:
            canvas.shade(place, INK, 150, card_width / 11)
            canvas.text("taken", (place[0] + card_width / 2, place[1] + card_height * 0.42), 24, _WHITE, fit=card_width)


def _layout(count: int, width: float, height: float) -> tuple[float, int, int]:
    """Return the largest card width at which `count` cards fit, and the numbers of columns and rows."""
    for size in range(_LARGEST, _SMALLEST - 1, -1):
        columns = max(1, int((width + _GAP) // (size + _GAP)))
        rows = -(-count // columns)
        if rows * (size * _RATIO + _GAP) - _GAP <= height:
            break
    return float(size), columns, rows


def card_picture(canvas: "PixelCanvas | SvgCanvas", box: Box, card: int, name: str, number: int | None = None) -> None:
    """Draw the face of a card, optionally with its number on the path."""
    left, top, width, height = box
    center = left + width / 2
    face, ink, icon = _face(card, name)
    canvas.rectangle(box, face, width / 11)
    canvas.rectangle(box, INK, width / 11, max(1, width / 50))
    if number is not None:
        canvas.text(str(number), (left + width * 0.07, top + width * 0.12), max(13, width * 0.18), ink, "midleft")
    if card < FIRST_TRAP:
        canvas.text(name, (center, top + height * 0.36), width * 0.72, ink, fit=width * 0.9)
        canvas.icon(icon, (center, top + height * 0.76), width * 0.2)
        return
    canvas.icon(icon, (center, top + height * 0.4), width * 0.34, _WHITE)
    lines = textwrap.wrap(name, max(_LINE, len(name) // _MOST_LINES + 3), max_lines=_MOST_LINES)
    step = 0.15 if len(lines) < _MOST_LINES else 0.1
    middle_of_all = 0.83 if len(lines) == 1 else 0.8  # higher for several lines, clear of the lower edge
    for row, line in enumerate(lines):
        middle = top + height * (middle_of_all + step * (row - (len(lines) - 1) / 2))
        canvas.text(line, (center, middle), max(13, width * step * 1.6), ink, fit=width * 0.94)


def card_svg(card: int, name: str) -> str:
    """Return the face of a card as an SVG document, 100 units wide and 136 high."""
    canvas = SvgCanvas()
    card_picture(canvas, (0, 0, 100, 136), card, name)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 136">{"".join(canvas.elements)}</svg>'


def _face(card: int, name: str) -> tuple[Colour, Colour, str]:
    """Return the background colour, text colour and icon of a card."""
    if card < FIRST_TRAP:
        return _TREASURE, INK, "gem"
    if card < FIRST_RELIC:
        return TRAP_COLOURS[card - FIRST_TRAP], INK, icon_of_trap(name)
    return _RELIC, _WHITE, "relic"


def _grown(box: Box, border: float) -> Box:
    left, top, width, height = box
    return (left - border, top - border, width + 2 * border, height + 2 * border)
