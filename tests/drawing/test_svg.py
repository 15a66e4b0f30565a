"""Cards and icons as SVG: well-formed, the same shapes as the picture has, and all within the frame."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from diamant_env.drawing.icons import ICONS, SEAT_COLOURS
from diamant_env.drawing.svg import SvgCanvas, card_svg, icons_svg
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, Edition
from tests.support.play import ODD, PUBLISHED, every

SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {f"{SVG}{name}" for name in ("rect", "circle", "ellipse", "polygon", "polyline", "text")}


@every(
    [
        *PUBLISHED,
        ODD,
        Edition("marks", (5, 7), ("<&>\"'", "a trap whose name takes several lines of text"), expeditions=3),
    ]
)
def test_every_card_of_every_edition(edition):
    faces = {}
    for card, name in edition.card_names.items():
        faces[name] = face = card_svg(card, name)
        root = ElementTree.fromstring(face)
        assert root.tag == f"{SVG}svg"
        assert root.get("viewBox") == "0 0 100 136"
        assert {element.tag for element in root} <= SHAPES
        written = " ".join(element.text for element in root if element.tag == f"{SVG}text")
        assert written == name if card < FIRST_TRAP or card >= FIRST_RELIC else written.split() == name.split()
        assert all("style" not in element.attrib for element in root)
        words = [element.attrib for element in root if element.tag == f"{SVG}text"]
        # Letters such as g reach about 0.22 em below their line.
        assert max(float(line["y"]) + 0.22 * float(line["font-size"]) for line in words) < 130
    assert len(set(faces.values())) == len(edition.card_names)


def test_words_fit_into_their_card():
    for words in ("17", "a very long name of a trap"):
        canvas = SvgCanvas()
        assert canvas.text(words, (50, 50), 40, (0, 0, 0), fit=90) <= 90
        anchors = {
            SvgCanvas().text("ab", (0, 0), 10, (0, 0, 0), anchor) for anchor in ("center", "midleft", "midright")
        }
        assert len(anchors) == 1
    assert re.findall(r'text-anchor="(\w+)"', canvas.elements[0]) == ["middle"]


def test_there_is_a_symbol_for_each_icon_and_each_seat():
    symbols = {symbol.get("id"): symbol for symbol in ElementTree.fromstring(icons_svg())}
    seats = {f"{name}-{seat}" for name in ("explorer", "tent") for seat in range(len(SEAT_COLOURS))}
    assert set(symbols) == {name.replace(" ", "-") for name in ICONS} | seats
    for symbol in symbols.values():
        assert len(symbol) >= 2
        assert {element.tag for element in symbol} <= SHAPES
    assert 'fill="#de423c"' in ElementTree.tostring(symbols["tent-0"], encoding="unicode")
    assert 'fill="#de423c"' not in ElementTree.tostring(symbols["tent-1"], encoding="unicode")


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (lambda canvas: canvas.circle((1, 2), 3, (255, 0, 16)), '<circle cx="1" cy="2" r="3" fill="#ff0010"/>'),
        (lambda canvas: canvas.ellipse((0, 0, 4, 2), (0, 0, 0)), '<ellipse cx="2.0" cy="1.0" rx="2.0" ry="1.0" '),
        (lambda canvas: canvas.polygon([(0, 1), (2, 3)], (0, 0, 0)), '<polygon points="0.00,1.00 2.00,3.00" '),
        (lambda canvas: canvas.line([(0, 1), (2, 3)], (0, 0, 0), 2), 'stroke-width="2" stroke-linecap="round" '),
        (lambda canvas: canvas.rectangle((0, 0, 9, 9), (0, 0, 0), 2), 'width="9" height="9" rx="2.0" fill="#0'),
        (
            lambda canvas: canvas.rectangle((0, 0, 9, 9), (0, 0, 0), 2, 1),
            'x="0.5" y="0.5" width="8" height="8" rx="1.5"',
        ),
        (lambda canvas: canvas.text("a<b", (0, 0), 10, (0, 0, 0)), ">a&lt;b</text>"),
    ],
)
def test_each_shape(draw, expected):
    canvas = SvgCanvas()
    draw(canvas)
    assert expected in canvas.elements[0]
