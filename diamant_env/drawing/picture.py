"""What people look at: the table as a picture and in a window. Needs pygame-ce; nothing imports this unless asked."""

from __future__ import annotations

try:
    import pygame as _pygame  # noqa: F401
except ImportError as error:
    raise ImportError('pictures need pygame-ce: pip install "diamant-env[render]"') from error

from diamant_env.drawing.canvas import pixels_of
from diamant_env.drawing.table import HEIGHT, WIDTH, draw_table
from diamant_env.drawing.window import Window

__all__ = ["HEIGHT", "WIDTH", "Window", "draw_table", "pixels_of"]
