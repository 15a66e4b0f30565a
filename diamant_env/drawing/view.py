"""What an environment shows: text, an array of pixels or a window."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env.drawing.scene import Scene
from diamant_env.drawing.text import render_text
from diamant_env.editions import Edition
from diamant_env.state import Game

RENDER_MODES = ("human", "rgb_array", "ansi")


class View:
    """A table in one of the `RENDER_MODES`. Pictures need pygame-ce, which is not imported for text.

    Args:
        mode: ``"human"`` opens a window at the first picture.

    Raises:
        ImportError: If the mode needs pygame-ce and it isn't installed.
    """

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self._window: Any = None
        if mode != "ansi":
            from diamant_env.drawing import picture
            from diamant_env.drawing.window import Window

            self._picture = picture
            self._window = Window("Diamant") if mode == "human" else None

    def render(self, game: Game, edition: Edition, scene: Scene, fps: float = 0) -> str | NDArray[np.uint8] | None:
        """Return the table as text or as a new uint8 (640, 960, 3), or show it, at most `fps` times a second."""
        if self.mode == "ansi":
            return render_text(game, edition, scene)
        table = self._picture.draw_table(game, edition, scene)
        if self._window is None:
            return self._picture.pixels_of(table)
        self._window.show(table, fps)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
