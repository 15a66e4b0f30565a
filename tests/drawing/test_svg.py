"""Cards and icons as SVG: well-formed, complete, text within the frame."""

import xml.etree.ElementTree as ElementTree

from diamant_env.drawing.cards import card_svg
from diamant_env.drawing.svg import ICONS, SEAT_COLOURS, icons_svg
from diamant_env.editions import Edition
from tests.support.play import PUBLISHED, every

SVG = "{http://www.w3.org/2000/svg}"
LONG = Edition("marks", (5, 7), ("<&>\"'", "a trap whose name takes several lines of text"), expeditions=3)


@every([*PUBLISHED, LONG])
def test_cards_fit_and_differ(edition):
    faces = {}
    for card, name in edition.card_names.items():
        faces[name] = card_svg(card, name)
        words = list(ElementTree.fromstring(faces[name]).iter(f"{SVG}text"))
        assert " ".join(line.text for line in words).split() == name.split()
        # Descenders reach about 0.22 em below the baseline.
        assert max(float(line.get("y")) + 0.22 * float(line.get("font-size")) for line in words) < 130
    assert len(set(faces.values())) == len(edition.card_names)


def test_symbols_of_icons_and_seats():
    symbols = {symbol.get("id"): symbol for symbol in ElementTree.fromstring(icons_svg())}
    assert set(symbols) == {*ICONS, *(f"{name}-{seat}" for name in ("explorer", "tent") for seat in range(8))}
    for seat, (red, green, blue) in enumerate(SEAT_COLOURS):
        colour = f'fill="#{red:02x}{green:02x}{blue:02x}"'
        assert colour in ElementTree.tostring(symbols[f"tent-{seat}"], encoding="unicode")
