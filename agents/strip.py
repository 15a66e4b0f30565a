"""The table as a picture with a strip below: who sits in which seat and how likely each was to leave."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from diamant_env.drawing.render import Scene
from diamant_env.editions import Edition

_NAMES, _CHANCES = 32, 64  # height of the strip with names alone and with probabilities
_LABELS, _WIDEST = 96, 150  # the columns of the seats, as the picture of the table has them
_DARK, _BAR, _BACK = (30, 27, 36), (96, 170, 104), (70, 64, 74)
_WHITE, _GREY = (246, 242, 232), (176, 170, 168)


def load_pictures() -> Any:
    """Import what draws, without the greeting that pygame prints.

    Raises:
        ImportError: If pygame-ce is missing; the message says how to install it.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    from diamant_env.drawing import picture

    return picture


def draw(
    game: np.record, edition: Edition, scene: Scene, names: Sequence[str], leave: Sequence[float | None] | None = None
) -> Any:
    """Return a picture, a `pygame.Surface`, of the table and of who sits there.

    Args:
        game: The record.
        edition: What is played.
        scene: Has followed the game.
        names: By seat; with none there is no strip.
        leave: Probability of LEAVE by seat, None for who need not decide; by default the strip shows names alone.
    """
    table = load_pictures().draw_table(game, edition, scene)
    if not names:
        return table
    import pygame

    width, height = table.get_size()
    strip = _draw_strip(width, names, leave)
    both = pygame.Surface((width, height + strip.get_height()), 0, 32)
    both.blit(table, (0, 0))
    both.blit(strip, (0, height))
    return both


def _draw_strip(width: int, names: Sequence[str], leave: Sequence[float | None] | None) -> Any:
    from diamant_env.drawing.canvas import Canvas

    canvas = Canvas(width, _NAMES if leave is None else _CHANCES, _DARK)
    canvas.text("agent", (12, 16), 18, _GREY, "midleft")
    column = min(_WIDEST, (width - _LABELS - 6) / len(names))
    left = _LABELS + (width - _LABELS - 6 - column * len(names)) / 2
    for seat, name in enumerate(names):
        canvas.text(name, (left + column * (seat + 0.5), 16), 20, _WHITE, "center", column - 8)
    if leave is not None:
        canvas.text("will leave", (12, 44), 18, _GREY, "midleft")
        for seat, chance in enumerate(leave):
            if chance is not None:
                _draw_chance(canvas, left + column * seat + 6, column - 12, chance)
    return canvas.finish()


def _draw_chance(canvas: Any, left: float, width: float, chance: float) -> None:
    canvas.rectangle((left, 32, width, 24), _BACK, 4)
    if chance > 0:
        canvas.rectangle((left, 32, max(8.0, width * chance), 24), _BAR, 4)
    canvas.text(f"{chance:.1%}", (left + width / 2, 44), 20, _WHITE)
