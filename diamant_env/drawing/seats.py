"""Drawing of the players, a column each: last decision, cave or camp, bag and chest."""

from collections.abc import Iterator

from diamant_env.drawing.canvas import Colour
from diamant_env.drawing.cards import FATAL
from diamant_env.drawing.icons import GOLD, INK, SEAT_COLOURS
from diamant_env.drawing.narration import last_decision, winners
from diamant_env.drawing.pixels import PixelCanvas
from diamant_env.drawing.scene import Scene
from diamant_env.editions import Edition
from diamant_env.state import OVER, GameState

SEATS_TOP, BOTTOM, WIDTH = 358, 640, 960
_CAVE_TOP, _CAMP_TOP = 400, 490
_LABELS = 96  # width of the row labels
_WIDEST = 214  # four columns fill the picture
_DECISIONS, _CAVE, _CAMP = (70, 62, 74), (26, 22, 28), (62, 92, 62)
_WHITE, _GREY, _GREEN = (246, 242, 232), (208, 202, 198), (96, 170, 104)
_TAGS: dict[str, Colour] = {"leave": _GREEN, "continue": (214, 142, 58), "bust": FATAL}


def draw_seats(canvas: PixelCanvas, game: GameState, edition: Edition, scene: Scene) -> None:
    """Draw the columns of all seats."""
    for top, bottom, colour in (
        (SEATS_TOP, _CAVE_TOP, _DECISIONS), (_CAVE_TOP, _CAMP_TOP, _CAVE), (_CAMP_TOP, BOTTOM, _CAMP),
    ):  # fmt: skip
        canvas.rectangle((0, top, WIDTH, bottom - top), colour)
    over = bool(game.phase == OVER)
    _draw_labels(canvas, over)
    won = winners(game, edition)
    for seat, (center, width) in enumerate(_columns(int(game.num_players))):
        if seat in won:
            _draw_victory(canvas, center, width, "winner" if len(won) == 1 else f"win share 1/{len(won)}")
        _draw_decision(canvas, center, width, last_decision(game, scene, seat))
        _draw_explorer(canvas, game, center, seat)
        _draw_chest(canvas, game, center + 31, seat, edition.hidden_chests and not over)
        canvas.rectangle((center - width / 2 + 4, BOTTOM - 34, width - 8, 26), SEAT_COLOURS[seat], 8)
        canvas.text(f"player_{seat}", (center, BOTTOM - 21), 25, INK, fit=width - 16)


def _columns(players: int) -> Iterator[tuple[float, float]]:
    """Yield the center and the width of each seat's column."""
    room = WIDTH - _LABELS - 6
    width = min(_WIDEST, room / players)
    left = _LABELS + (room - width * players) / 2
    for seat in range(players):
        yield left + width * (seat + 0.5), width


def _draw_labels(canvas: PixelCanvas, over: bool) -> None:
    lines = [("decided", 380), ("CAMP", 532), ("chest: safe", 557)]
    if not over:
        lines += [("CAVE", 432), ("bag: at risk", 457)]
    for words, y in lines:
        canvas.text(words, (10, y), 24, _WHITE if words.isupper() else _GREY, "midleft", _LABELS - 12)


def _draw_victory(canvas: PixelCanvas, center: float, width: float, words: str) -> None:
    canvas.shade((center - width / 2 + 2, _CAVE_TOP + 4, width - 4, BOTTOM - _CAVE_TOP - 8), GOLD, 90, 10)
    canvas.icon("crown", (center, _CAVE_TOP + 30), 22)
    canvas.text(words, (center, _CAVE_TOP + 68), 25, _WHITE, fit=width - 10)


def _draw_decision(canvas: PixelCanvas, center: float, width: float, words: str) -> None:
    y = (SEATS_TOP + _CAVE_TOP) / 2
    tag = _TAGS.get(words.split()[0])
    if tag:
        canvas.rectangle((center - width / 2 + 5, y - 15, width - 10, 30), tag, 6)
    canvas.text(words, (center, y), 25, INK if tag else _GREY, fit=width - 16)


def _draw_explorer(canvas: PixelCanvas, game: GameState, center: float, seat: int) -> None:
    """Draw the tent, and the explorer in the cave with the bag, or in camp."""
    x, y, colour = center - 22, _CAMP_TOP + 64, SEAT_COLOURS[seat]
    canvas.icon("tent", (x, _CAMP_TOP + 56), 30, colour)
    if game.inside[seat]:
        y = _CAVE_TOP + 46
        canvas.glow((x + 20, y - 10), 40, (246, 170, 70))
        canvas.icon("torch", (x + 24, y - 12), 15)
        canvas.icon("bag", (center + 30, y - 8), 15)
        canvas.text(str(game.bag), (center + 30, y + 22), 26, _WHITE)
    canvas.icon("explorer", (x, y), 34, colour)
    canvas.text(str(seat), (x, y + 7), 24, INK)


def _draw_chest(canvas: PixelCanvas, game: GameState, center: float, seat: int, hidden: bool) -> None:
    canvas.icon("closed-chest" if hidden else "open-chest", (center, _CAMP_TOP + 34), 19)
    if hidden:
        canvas.text("hidden", (center, _CAMP_TOP + 66), 18, _WHITE)
    else:
        canvas.text(str(game.chest[seat]), (center, _CAMP_TOP + 68), 28, _WHITE)
    relics = int(game.relics[seat])
    for relic in range(relics):
        canvas.icon("relic", (center + (relic - (relics - 1) / 2) * 11, _CAMP_TOP + 95), 10)
