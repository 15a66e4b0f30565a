"""The whole table: expeditions, news, the path, the cave and the camp."""

from __future__ import annotations

import numpy as np
import pygame

from diamant_env.drawing.canvas import Box, Canvas, Colour
from diamant_env.drawing.cards import FATAL, NEW, draw_path
from diamant_env.drawing.icons import ICONS, draw_icon
from diamant_env.drawing.news import has_ended, what_came_up, what_was_decided
from diamant_env.drawing.render import Scene
from diamant_env.drawing.seats import SEATS_TOP, draw_seats
from diamant_env.editions import MAX_EXPEDITIONS, NO_CARD, Edition
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.engine.observation_writer import bust_chance
from diamant_env.rules import OVER, win_share

WIDTH, HEIGHT = 960, 640
_ROCK: Colour = (44, 40, 52)
_DARK: Colour = (30, 27, 36)
_WHITE: Colour = (246, 242, 232)
_GREY: Colour = (168, 162, 160)
_MARGIN = 18
_BANNER_TOP, _PATH_TOP, _LYING_TOP = 58, 118, 322
_NEXT_WIDTH = 156  # of the first card of the next expedition


def draw_table(game: np.record, edition: Edition, scene: Scene) -> pygame.Surface:
    """Return a picture of the table, WIDTH x HEIGHT: what is public, what was just decided and what it led to."""
    over = bool(game.phase == OVER)
    record = numbers_of(edition)
    shares = [float(win_share(game, record, seat)) if over else 0.0 for seat in range(game.num_players)]
    canvas = Canvas(WIDTH, HEIGHT, _ROCK)
    _draw_header(canvas, game, edition, over)
    _draw_banner(canvas, game, edition, scene, shares)
    _draw_paths(canvas, game, edition, scene)
    if not over:
        _draw_lying(canvas, game)
    draw_seats(canvas, game, edition, scene, shares)
    return canvas.finish()


def _draw_header(canvas: Canvas, game: np.record, edition: Edition, over: bool) -> None:
    """Draw the counter of expeditions, the card's number and the chance of a bust."""
    canvas.rectangle((0, 0, WIDTH, _BANNER_TOP), _DARK)
    title = "Game over" if over else f"Expedition {game.expedition} of {edition.expeditions}"
    left = _MARGIN + canvas.text(title, (_MARGIN, 29), 30, _WHITE, "midleft") + 28
    step = min(36, (640 - left) / MAX_EXPEDITIONS) if edition.expeditions > 7 else 36
    for expedition in range(1, edition.expeditions + 1):
        center = (left + (expedition - 1) * step, 29)
        done = over or expedition < game.expedition
        now = expedition == game.expedition and not over
        draw_icon(canvas, ICONS["entrance"], center, step * 0.42, (236, 178, 84) if now else (118, 110, 116))
        if done:
            draw_icon(canvas, ICONS["barricade"], center, step * 0.42)
    if not over:
        canvas.text(f"card {game.turn}", (712, 29), 24, _WHITE, "midright")
        _draw_chance(canvas, float(bust_chance(game)))


def _draw_chance(canvas: Canvas, chance: float) -> None:
    """Draw the chance that the next card ends the expedition, as a number and a bar."""
    canvas.text("bust with the next card", (742, 18), 18, _GREY, "midleft")
    canvas.text(f"{chance:.1%}", (WIDTH - _MARGIN, 18), 22, _WHITE, "midright")
    width = WIDTH - _MARGIN - 742
    canvas.rectangle((742, 34, width, 12), (70, 64, 74), 6)
    if chance > 0:
        canvas.rectangle((742, 34, max(12, width * chance), 12), FATAL, 6)


def _draw_banner(canvas: Canvas, game: np.record, edition: Edition, scene: Scene, shares: list[float]) -> None:
    """Write what happened: the decisions and what they led to, then the new card."""
    bust = game.bust_card != NO_CARD
    back: Colour = (120, 30, 32) if bust else (44, 86, 62) if has_ended(game, scene) else (62, 56, 72)
    canvas.rectangle((0, _BANNER_TOP, WIDTH, _PATH_TOP - _BANNER_TOP), back)
    room = WIDTH - 2 * _MARGIN
    canvas.text(what_was_decided(game, edition, scene), (_MARGIN, 75), 24, _WHITE, "midleft", room)
    canvas.text(what_came_up(game, edition, scene, shares), (_MARGIN, 101), 24, NEW, "midleft", room)


def _draw_paths(canvas: Canvas, game: np.record, edition: Edition, scene: Scene) -> None:
    """Draw the path; where an expedition has just ended, its path and the first card of the next one."""
    height = _LYING_TOP - _PATH_TOP
    if game.phase == OVER:
        _draw_ended_path(canvas, game, edition, scene, (0, _PATH_TOP, WIDTH, SEATS_TOP - _PATH_TOP))
    elif has_ended(game, scene):
        split = WIDTH - _NEXT_WIDTH
        _draw_ended_path(canvas, game, edition, scene, (0, _PATH_TOP, split, height))
        _draw_first_card(canvas, game, edition, scene, (split, _PATH_TOP, _NEXT_WIDTH, height))
    else:
        box = (_MARGIN, _PATH_TOP + 10, WIDTH - 2 * _MARGIN, height - 16)
        draw_path(canvas, box, edition, scene.path, [len(scene.path) - 1], NEW, int(game.path_relics))


def _draw_ended_path(canvas: Canvas, game: np.record, edition: Edition, scene: Scene, box: Box) -> None:
    """Draw the path of the expedition that has just ended, with the two cards that ended it."""
    before, path, fatal = scene.before, scene.path_before, []
    if before is None:
        return
    if game.bust_card != NO_CARD:
        path = [*path, int(game.bust_card)]
        fatal = [position for position, card in enumerate(path) if card == game.bust_card]
    taken_now = int(game.relics.sum() - before.relics.sum())
    canvas.rectangle(box, _DARK)
    how = "bust" if fatal else "everyone back in camp"
    inner = _titled(canvas, box, f"Expedition {before.expedition}: {how}", FATAL if fatal else _GREY)
    draw_path(canvas, inner, edition, path, fatal, FATAL, int(before.path_relics) - taken_now)


def _draw_first_card(canvas: Canvas, game: np.record, edition: Edition, scene: Scene, box: Box) -> None:
    """Draw the first card of an expedition beside the path of the one before."""
    inner = _titled(canvas, box, f"Expedition {game.expedition}", _WHITE)
    draw_path(canvas, inner, edition, scene.path, [0], NEW, int(game.path_relics))


def _titled(canvas: Canvas, box: Box, title: str, colour: Colour) -> Box:
    """Write a title into a box and return what is left of it."""
    left, top, width, height = box
    canvas.text(title, (left + _MARGIN, top + 16), 20, colour, "midleft")
    return (left + _MARGIN, top + 34, width - 2 * _MARGIN, height - 44)


def _draw_lying(canvas: Canvas, game: np.record) -> None:
    """Draw the gems and relics that lie on the path."""
    y = (_LYING_TOP + SEATS_TOP) / 2
    canvas.rectangle((0, _LYING_TOP, WIDTH, SEATS_TOP - _LYING_TOP), (56, 50, 62))
    x = _MARGIN + canvas.text("Lying on the path:", (_MARGIN, y), 20, _GREY, "midleft") + 26
    draw_icon(canvas, ICONS["gem"], (x, y), 11)
    gems = "1 gem" if game.path_gems == 1 else f"{game.path_gems} gems"
    x += 18 + canvas.text(gems, (x + 18, y), 22, _WHITE, "midleft") + 34
    draw_icon(canvas, ICONS["relic"], (x, y), 12)
    count = "no relic" if game.path_relics == 0 else f"{game.path_relics} relic{'s' * bool(game.path_relics > 1)}"
    worth = f" worth {game.path_relic_value} to a lone leaver" if game.path_relics else ""
    canvas.text(count + worth, (x + 18, y), 22, _WHITE, "midleft")
    traps = int(np.count_nonzero(game.on_path))
    kinds = "no trap so far" if traps == 0 else f"{traps} kind{'s' * (traps > 1)} of trap so far"
    canvas.text(kinds, (WIDTH - _MARGIN, y), 20, _GREY, "midright")
