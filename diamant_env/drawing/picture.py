"""Picture of a game: expeditions, headlines, path, and a column for each player. Needs pygame-ce."""

from collections.abc import Iterator

import numpy as np

from diamant_env.drawing.cards import FATAL, NEW, draw_path
from diamant_env.drawing.narration import Narrator, counted, last_decision, winners
from diamant_env.drawing.pixels import PixelCanvas, pygame
from diamant_env.drawing.render_history import RenderHistory
from diamant_env.drawing.svg import GOLD, INK, SEAT_COLOURS, Box, Colour
from diamant_env.editions import MAX_EXPEDITIONS, NO_CARD, Edition
from diamant_env.engine.observation_writer import bust_chance
from diamant_env.state import OVER, GameState

SEATS_TOP, BOTTOM, WIDTH = 358, 640, 960
_CAVE_TOP, _CAMP_TOP = 400, 490
_LABELS = 96  # width of the row labels
_WIDEST = 214  # four columns fill the picture
_DECISIONS, _CAVE, _CAMP = (70, 62, 74), (26, 22, 28), (62, 92, 62)
_GREEN = (96, 170, 104)
_TAGS: dict[str, Colour] = {"leave": _GREEN, "continue": (214, 142, 58), "bust": FATAL}
_ROCK: Colour = (44, 40, 52)
_DARK: Colour = (30, 27, 36)
_WHITE: Colour = (246, 242, 232)
_GREY: Colour = (208, 202, 198)
_MARGIN = 18
_BANNER_TOP, _PATH_TOP, _CONTENTS_TOP = 58, 118, 322
_CHANCE_LEFT = 690
_NEXT_WIDTH = 156  # width of the next expedition's first card


def draw_game(game: GameState, edition: Edition, history: RenderHistory) -> pygame.Surface:
    """Return a picture of a game, 960 pixels wide and 640 high."""
    over = bool(game.phase == OVER)
    canvas = PixelCanvas(WIDTH, BOTTOM, _ROCK)
    _draw_header(canvas, game, edition, over)
    _draw_banner(canvas, game, edition, history)
    _draw_paths(canvas, game, edition, history)
    if not over:
        _draw_path_contents(canvas, game)
    _draw_seats(canvas, game, edition, history)
    return canvas.finish()


def _draw_header(canvas: PixelCanvas, game: GameState, edition: Edition, over: bool) -> None:
    """Draw the counter of expeditions, the number of cards and the chance of a bust."""
    canvas.rectangle((0, 0, WIDTH, _BANNER_TOP), _DARK)
    title = "Game over" if over else f"Expedition {game.expedition} of {edition.expeditions}"
    left = _MARGIN + canvas.text(title, (_MARGIN, 29), 30, _WHITE, "midleft") + 28
    step = min(36, (580 - left) / MAX_EXPEDITIONS) if edition.expeditions > 7 else 36
    for expedition in range(1, edition.expeditions + 1):
        center = (left + (expedition - 1) * step, 29)
        done = over or expedition < game.expedition
        now = expedition == game.expedition and not over
        canvas.icon("entrance", center, step * 0.42, (236, 178, 84) if now else (118, 110, 116))
        if done:
            canvas.icon("barricade", center, step * 0.42)
    if not over:
        canvas.text(f"card {game.turn}", (_CHANCE_LEFT - 26, 29), 26, _WHITE, "midright")
        _draw_chance(canvas, float(bust_chance(game)))


def _draw_chance(canvas: PixelCanvas, chance: float) -> None:
    """Draw the chance that the next card ends the expedition, as a number and a bar."""
    left, width = _CHANCE_LEFT, WIDTH - _MARGIN - _CHANCE_LEFT
    canvas.text("bust with the next card", (left, 18), 23, _GREY, "midleft")
    canvas.text(f"{chance:.1%}", (WIDTH - _MARGIN, 18), 25, _WHITE, "midright")
    canvas.rectangle((left, 34, width, 12), (70, 64, 74), 6)
    if chance > 0:
        canvas.rectangle((left, 34, max(12, width * chance), 12), FATAL, 6)


def _draw_banner(canvas: PixelCanvas, game: GameState, edition: Edition, history: RenderHistory) -> None:
    bust = game.bust_card != NO_CARD
    back: Colour = (120, 30, 32) if bust else (44, 86, 62) if history.ended else (62, 56, 72)
    canvas.rectangle((0, _BANNER_TOP, WIDTH, _PATH_TOP - _BANNER_TOP), back)
    for line, y, colour in zip(Narrator(edition).headlines(game, history), (75, 101), (_WHITE, NEW), strict=True):
        canvas.text(line, (_MARGIN, y), 26, colour, "midleft", WIDTH - 2 * _MARGIN)


def _draw_paths(canvas: PixelCanvas, game: GameState, edition: Edition, history: RenderHistory) -> None:
    """Draw the path; after the end of an expedition, its path and the first card of the next one."""
    height = _CONTENTS_TOP - _PATH_TOP
    if game.phase == OVER:
        _draw_ended_path(canvas, game, edition, history, (0, _PATH_TOP, WIDTH, SEATS_TOP - _PATH_TOP))
        return
    box: Box = (_MARGIN, _PATH_TOP + 10, WIDTH - 2 * _MARGIN, height - 16)
    if history.ended:
        split = WIDTH - _NEXT_WIDTH
        _draw_ended_path(canvas, game, edition, history, (0, _PATH_TOP, split, height))
        box = _titled(canvas, (split, _PATH_TOP, _NEXT_WIDTH, height), f"Expedition {game.expedition}", _WHITE)
    draw_path(canvas, box, edition, history.path, [len(history.path) - 1], NEW, int(game.path_relics))


def _draw_ended_path(canvas: PixelCanvas, game: GameState, edition: Edition, history: RenderHistory, box: Box) -> None:
    """Draw the path of the expedition that has just ended, with the two cards that ended it."""
    ended = history.ended_path(game)
    if ended is None:
        return
    canvas.rectangle(box, _DARK)
    inner = _titled(canvas, box, ended.title, FATAL if ended.fatal else _GREY)
    draw_path(canvas, inner, edition, ended.cards, ended.fatal, FATAL, ended.relics_on_path)


def _titled(canvas: PixelCanvas, box: Box, title: str, colour: Colour) -> Box:
    """Draw a title into a box and return the remaining box."""
    left, top, width, height = box
    canvas.text(title, (left + _MARGIN, top + 16), 20, colour, "midleft")
    return (left + _MARGIN, top + 34, width - 2 * _MARGIN, height - 44)


def _draw_path_contents(canvas: PixelCanvas, game: GameState) -> None:
    y = (_CONTENTS_TOP + SEATS_TOP) / 2
    canvas.rectangle((0, _CONTENTS_TOP, WIDTH, SEATS_TOP - _CONTENTS_TOP), (56, 50, 62))
    x = _MARGIN + canvas.text("Lying on the path:", (_MARGIN, y), 24, _GREY, "midleft") + 26
    canvas.icon("gem", (x, y), 11)
    x += 18 + canvas.text(counted(game.path_gems, "gem"), (x + 18, y), 25, _WHITE, "midleft") + 34
    canvas.icon("relic", (x, y), 12)
    worth = f" worth {game.path_relic_value} to a lone leaver" if game.path_relics else ""
    canvas.text(counted(game.path_relics, "relic") + worth, (x + 18, y), 25, _WHITE, "midleft")
    traps = counted(int(np.count_nonzero(game.on_path)), "trap")
    canvas.text(f"{traps} so far", (WIDTH - _MARGIN, y), 24, _GREY, "midright")


def _draw_seats(canvas: PixelCanvas, game: GameState, edition: Edition, history: RenderHistory) -> None:
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
        _draw_decision(canvas, center, width, last_decision(game, history, seat))
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
