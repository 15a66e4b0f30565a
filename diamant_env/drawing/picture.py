"""Picture of a game: expeditions, headlines, path, cave and camp. Needs pygame-ce."""

import numpy as np

from diamant_env.drawing.canvas import Box, Colour
from diamant_env.drawing.cards import FATAL, NEW, draw_path
from diamant_env.drawing.narration import Narrator, counted
from diamant_env.drawing.pixels import PixelCanvas, pygame
from diamant_env.drawing.scene import Scene
from diamant_env.drawing.seats import BOTTOM, SEATS_TOP, WIDTH, draw_seats
from diamant_env.editions import MAX_EXPEDITIONS, NO_CARD, Edition
from diamant_env.engine.observation_writer import bust_chance
from diamant_env.state import OVER, GameState

_ROCK: Colour = (44, 40, 52)
_DARK: Colour = (30, 27, 36)
_WHITE: Colour = (246, 242, 232)
_GREY: Colour = (208, 202, 198)
_MARGIN = 18
_BANNER_TOP, _PATH_TOP, _CONTENTS_TOP = 58, 118, 322
_CHANCE_LEFT = 690
_NEXT_WIDTH = 156  # width of the next expedition's first card


def draw_game(game: GameState, edition: Edition, scene: Scene) -> pygame.Surface:
    """Return a picture of a game, 960 pixels wide and 640 high."""
    over = bool(game.phase == OVER)
    canvas = PixelCanvas(WIDTH, BOTTOM, _ROCK)
    _draw_header(canvas, game, edition, over)
    _draw_banner(canvas, game, edition, scene)
    _draw_paths(canvas, game, edition, scene)
    if not over:
        _draw_path_contents(canvas, game)
    draw_seats(canvas, game, edition, scene)
    return canvas.finish()


def _draw_header(canvas: PixelCanvas, game: GameState, edition: Edition, over: bool) -> None:
    """Draw the counter of expeditions, the card's number and the chance of a bust."""
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


def _draw_banner(canvas: PixelCanvas, game: GameState, edition: Edition, scene: Scene) -> None:
    bust = game.bust_card != NO_CARD
    back: Colour = (120, 30, 32) if bust else (44, 86, 62) if scene.ended else (62, 56, 72)
    canvas.rectangle((0, _BANNER_TOP, WIDTH, _PATH_TOP - _BANNER_TOP), back)
    for line, y, colour in zip(Narrator(edition).headlines(game, scene), (75, 101), (_WHITE, NEW), strict=True):
        canvas.text(line, (_MARGIN, y), 26, colour, "midleft", WIDTH - 2 * _MARGIN)


def _draw_paths(canvas: PixelCanvas, game: GameState, edition: Edition, scene: Scene) -> None:
    """Draw the path; after the end of an expedition, its path and the first card of the next one."""
    height = _CONTENTS_TOP - _PATH_TOP
    if game.phase == OVER:
        _draw_ended_path(canvas, game, edition, scene, (0, _PATH_TOP, WIDTH, SEATS_TOP - _PATH_TOP))
        return
    box: Box = (_MARGIN, _PATH_TOP + 10, WIDTH - 2 * _MARGIN, height - 16)
    if scene.ended:
        split = WIDTH - _NEXT_WIDTH
        _draw_ended_path(canvas, game, edition, scene, (0, _PATH_TOP, split, height))
        box = _titled(canvas, (split, _PATH_TOP, _NEXT_WIDTH, height), f"Expedition {game.expedition}", _WHITE)
    draw_path(canvas, box, edition, scene.path, [len(scene.path) - 1], NEW, int(game.path_relics))


def _draw_ended_path(canvas: PixelCanvas, game: GameState, edition: Edition, scene: Scene, box: Box) -> None:
    """Draw the path of the expedition that has just ended, with the two cards that ended it."""
    ended = scene.ended_path(game)
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
    """Draw the gems and relics on the path."""
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
