"""The explorers, a column for each: the last decision, who is in the cave and who in camp, bags and chests."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from diamant_env.drawing.canvas import Canvas, Colour
from diamant_env.drawing.cards import FATAL
from diamant_env.drawing.icons import GOLD, ICONS, INK, draw_icon
from diamant_env.drawing.news import verdict
from diamant_env.drawing.render import Scene
from diamant_env.editions import Edition
from diamant_env.rules import OVER

SEATS_TOP = 358
SEAT_COLOURS: tuple[Colour, ...] = (
    (222, 66, 60), (66, 128, 232), (240, 196, 44), (64, 168, 84),
    (238, 128, 30), (160, 92, 214), (62, 190, 204), (236, 124, 182),
)  # fmt: skip
_CAVE_TOP, _CAMP_TOP, _BOTTOM, _RIGHT = 400, 490, 640, 960
_LABELS = 96  # width of what the rows are called
_WIDEST = 150
_TABLE, _CAVE, _CAMP = (70, 62, 74), (26, 22, 28), (62, 92, 62)
_WHITE, _GREY = (246, 242, 232), (176, 170, 168)
_TAGS: dict[str, Colour] = {"leave": (96, 170, 104), "continue": (214, 142, 58), "bust": FATAL}


def draw_seats(canvas: Canvas, game: np.record, edition: Edition, scene: Scene, shares: Sequence[float]) -> None:
    """Draw all columns; `shares` are the win shares, all 0 until the game is over."""
    for top, bottom, colour in (
        (SEATS_TOP, _CAVE_TOP, _TABLE), (_CAVE_TOP, _CAMP_TOP, _CAVE), (_CAMP_TOP, _BOTTOM, _CAMP),
    ):  # fmt: skip
        canvas.rectangle((0, top, _RIGHT, bottom - top), colour)
    _draw_labels(canvas, bool(game.phase == OVER))
    players = int(game.num_players)
    width = min(_WIDEST, (_RIGHT - _LABELS - 6) / players)
    left = _LABELS + (_RIGHT - _LABELS - 6 - width * players) / 2
    hidden = edition.hidden_chests and game.phase != OVER
    for seat in range(players):
        center = left + width * (seat + 0.5)
        if shares[seat] > 0:
            _draw_victory(canvas, center, width, shares[seat])
        _draw_decision(canvas, center, width, *verdict(game, scene, seat))
        _draw_explorer(canvas, game, center, seat)
        _draw_chest(canvas, game, center + 31, seat, bool(hidden))
        _draw_name(canvas, center, width, seat)


def _draw_labels(canvas: Canvas, over: bool) -> None:
    lines = [("last", 372), ("decision", 388), ("IN CAMP", 534), ("chest: safe", 556)]
    if not over:
        lines += [("IN THE CAVE", 434), ("bag: at risk", 456)]
    for words, y in lines:
        canvas.text(words, (12, y), 18, _WHITE if words.isupper() else _GREY, "midleft", _LABELS - 16)


def _draw_victory(canvas: Canvas, center: float, width: float, share: float) -> None:
    """Draw a golden column, the crown and the win share."""
    canvas.shade((center - width / 2 + 2, _CAVE_TOP + 4, width - 4, _BOTTOM - _CAVE_TOP - 8), GOLD, 90, 10)
    draw_icon(canvas, ICONS["crown"], (center, _CAVE_TOP + 30), 22)
    words = "winner" if share == 1 else f"win share {Fraction(share).limit_denominator(8)}"
    canvas.text(words, (center, _CAVE_TOP + 68), 22, _WHITE, fit=width - 10)


def _draw_decision(canvas: Canvas, center: float, width: float, decision: str, words: str) -> None:
    """Draw the decision that was just revealed, and what it brought or cost."""
    y = (SEATS_TOP + _CAVE_TOP) / 2
    if decision:
        canvas.rectangle((center - width / 2 + 5, y - 15, width - 10, 30), _TAGS[decision], 6)
    canvas.text(words, (center, y), 21, INK if decision else _GREY, fit=width - 16)


def _draw_explorer(canvas: Canvas, game: np.record, center: float, seat: int) -> None:
    """Draw the explorer in the cave with the bag, or in camp; the tent stands there in any case."""
    x, colour = center - 22, SEAT_COLOURS[seat]
    draw_icon(canvas, ICONS["tent"], (x, _CAMP_TOP + 56), 30, colour)
    if game.inside[seat]:
        y = _CAVE_TOP + 46
        canvas.glow((x + 20, y - 10), 40, (246, 170, 70))
        draw_icon(canvas, ICONS["torch"], (x + 24, y - 12), 15)
        draw_icon(canvas, ICONS["bag"], (center + 30, y - 8), 15)
        canvas.text(str(game.bag), (center + 30, y + 22), 26, _WHITE)
    else:
        y = _CAMP_TOP + 64
    draw_icon(canvas, ICONS["explorer"], (x, y), 34, colour)
    canvas.text(str(seat), (x, y + 7), 24, INK)


def _draw_chest(canvas: Canvas, game: np.record, center: float, seat: int, hidden: bool) -> None:
    """Draw the chest with its gems and relics, or closed if the table keeps chests secret."""
    draw_icon(canvas, ICONS["closed chest" if hidden else "open chest"], (center, _CAMP_TOP + 34), 19)
    if hidden:
        canvas.text("hidden", (center, _CAMP_TOP + 66), 18, _WHITE)
        return
    canvas.text(str(game.chest[seat]), (center, _CAMP_TOP + 68), 28, _WHITE)
    relics = int(game.relics[seat])
    for relic in range(relics):
        draw_icon(canvas, ICONS["relic"], (center + (relic - (relics - 1) / 2) * 11, _CAMP_TOP + 95), 10)


def _draw_name(canvas: Canvas, center: float, width: float, seat: int) -> None:
    canvas.rectangle((center - width / 2 + 4, _BOTTOM - 34, width - 8, 26), SEAT_COLOURS[seat], 8)
    canvas.text(f"player_{seat}", (center, _BOTTOM - 21), 22, INK, fit=width - 16)
