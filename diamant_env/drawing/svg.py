"""Cards and icons as SVG, which a page scales as it likes. Nothing but Python is needed."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

from diamant_env.drawing.canvas import Box, Colour, Point
from diamant_env.drawing.cards import draw_card
from diamant_env.drawing.icons import ICONS, SEAT_COLOURS, draw_icon

_NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'
_WIDTH, _HEIGHT = 100, 136  # of a card
_EM = 0.72  # size of a letter in the fonts of a browser, where that of the picture is 1
_LETTER = 0.6  # width of a letter of bold text in em, on average
_ANCHORS = {"center": "middle", "midleft": "start", "midright": "end"}


class SvgCanvas:
    """A `Canvas` that writes down the elements of an SVG."""

    def __init__(self) -> None:
        self.elements: list[str] = []

    def rectangle(self, box: Box, colour: Colour, radius: float = 0, width: float = 0) -> None:
        """See `Canvas.rectangle`; a border lies inside the box."""
        left, top, wide, high = box
        paint = {"fill": "none", "stroke": _rgb(colour), "stroke_width": width} if width else {"fill": _rgb(colour)}
        half = width / 2
        sides = {"x": left + half, "y": top + half, "width": wide - width, "height": high - width}
        self._add("rect", **sides, rx=max(0.0, radius - half), **paint)

    def circle(self, center: Point, radius: float, colour: Colour) -> None:
        """See `Canvas.circle`."""
        self._add("circle", cx=center[0], cy=center[1], r=radius, fill=_rgb(colour))

    def ellipse(self, box: Box, colour: Colour) -> None:
        """See `Canvas.ellipse`."""
        left, top, width, height = box
        middle = {"cx": left + width / 2, "cy": top + height / 2}
        self._add("ellipse", **middle, rx=width / 2, ry=height / 2, fill=_rgb(colour))

    def polygon(self, points: Sequence[Point], colour: Colour) -> None:
        """See `Canvas.polygon`."""
        self._add("polygon", points=_listed(points), fill=_rgb(colour))

    def line(self, points: Sequence[Point], colour: Colour, width: float) -> None:
        """See `Canvas.line`."""
        ends = {"stroke_linecap": "round", "stroke_linejoin": "round"}
        self._add("polyline", points=_listed(points), fill="none", stroke=_rgb(colour), stroke_width=width, **ends)

    def text(
        self, words: str, position: Point, size: float, colour: Colour, anchor: str = "center", fit: float = 0
    ) -> float:
        """See `Canvas.text`; the width is a guess, since the font is the reader's."""
        em = size * _EM
        width = len(words) * em * _LETTER
        if 0 < fit < width:
            em, width = em * fit / width, fit
        font = {"font_size": em, "font_family": "sans-serif", "font_weight": "bold", "fill": _rgb(colour)}
        place = {"x": position[0], "y": position[1] + 0.36 * em, "text_anchor": _ANCHORS[anchor]}
        self._add("text", words, **place, **font)
        return width

    def _add(self, name: str, words: str = "", /, **attributes: object) -> None:
        written = "".join(
            f' {key.replace("_", "-")}="{round(value, 2) if isinstance(value, float) else value}"'
            for key, value in attributes.items()
        )
        self.elements.append(f"<{name}{written}>{escape(words)}</{name}>" if words else f"<{name}{written}/>")


def card_svg(card: int, name: str) -> str:
    """Return the face of a card with this number and name as a document, 100 units wide and 136 high."""
    canvas = SvgCanvas()
    draw_card(canvas, (0, 0, _WIDTH, _HEIGHT), card, name)
    return f'<svg {_NAMESPACE} viewBox="0 0 {_WIDTH} {_HEIGHT}">{"".join(canvas.elements)}</svg>'


def icons_svg() -> str:
    """Return a document with a symbol for each icon, by its name with - for spaces.

    The explorer and the tent are there once more in the colour of each seat, as ``explorer-0`` and so on.
    """
    seats = enumerate(SEAT_COLOURS)
    drawn = [(name, icon, (255, 255, 255)) for name, icon in ICONS.items()]
    drawn += [(f"{name} {seat}", ICONS[name], tint) for seat, tint in seats for name in ("explorer", "tent")]
    symbols = []
    for name, icon, tint in drawn:
        canvas = SvgCanvas()
        draw_icon(canvas, icon, (0, 0), 100, tint)
        lines = "".join(canvas.elements)
        symbols.append(f'<symbol id="{name.replace(" ", "-")}" viewBox="-105 -105 210 210">{lines}</symbol>')
    return f"<svg {_NAMESPACE}>{''.join(symbols)}</svg>"


def _rgb(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _listed(points: Sequence[Point]) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
