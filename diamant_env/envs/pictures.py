"""Rendering of environments as text, pictures or a window."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env.batch import Batch
from diamant_env.drawing.scene import Scene
from diamant_env.drawing.text import render_text

RENDER_MODES = ("human", "rgb_array", "ansi")


class Pictures:
    """Renderer of a batch's games; call `follow` after every turn.

    Args:
        mode: A render mode or None. pygame-ce is imported for pictures only.
        batch: The games.
        metadata: The environment's metadata: ``"render_modes"``, and ``"render_fps"``, the maximum turns per second in
            a window.
        not_started: The error of `draw` before the first reset.

    Attributes:
        scenes: The scene of each game.

    Raises:
        ValueError: If there is no such render mode.
        ImportError: If the mode needs pygame-ce and it isn't installed.
        OSError: If the mode is ``"human"`` and there is no display.
    """

    def __init__(self, mode: str | None, batch: Batch, metadata: dict[str, Any], not_started: type[Exception]) -> None:
        if mode is not None and mode not in metadata["render_modes"]:
            raise ValueError(f"unknown render_mode {mode!r}; allowed: None, {', '.join(metadata['render_modes'])}")
        self._mode, self._batch, self._not_started = mode, batch, not_started
        self._fps = metadata["render_fps"]
        self._window: Any = None
        self.scenes = [Scene() for _ in range(batch.num_games)]
        if mode in ("human", "rgb_array"):
            from diamant_env.drawing.picture import draw_table, pixels_of
            from diamant_env.drawing.window import Window

            self._draw_table, self._pixels_of = draw_table, pixels_of
            self._window = Window("Diamant") if mode == "human" else None

    def restart(self, games: Sequence[int] | NDArray[np.int64]) -> None:
        """Start new scenes for games that have just begun."""
        for game in games:
            self.scenes[game] = Scene()
        self.follow(games)

    def follow(self, games: Sequence[int] | NDArray[np.int64]) -> None:
        """Update the scenes of games after a start or a turn, and draw them in ``"human"`` mode."""
        if self._mode is not None:
            for game in games:
                self.scenes[game].follow(self._batch.games[game])
                if self._mode == "human":
                    self._draw(game, self._fps)

    def saved_scenes(self) -> list[Scene]:
        """Return a copy of `scenes`; the scenes themselves without a render mode, in which they never change."""
        return self.scenes if self._mode is None else copy.deepcopy(self.scenes)

    def draw(self) -> list[Any]:
        """Return every game's text or picture; redraw the window and return None in ``"human"`` mode."""
        return [None if self._mode is None else self._draw(game) for game in range(len(self.scenes))]

    def png(self) -> bytes:
        """Return the first game's picture as PNG."""
        from diamant_env.drawing.pixels import png_of

        return png_of(self.draw()[0])

    def close(self) -> None:
        """Close the window, if any."""
        if self._window is not None:
            self._window.close()

    def _draw(self, game: int, fps: float = 0) -> Any:
        record, scene = self._batch.games[game], self.scenes[game]
        if scene.before is None and not scene.path:
            raise self._not_started("no game to render: call reset() first")
        edition = self._batch.editions[record.edition]
        if self._mode == "ansi":
            return render_text(record, edition, scene)
        table = self._draw_table(record, edition, scene)
        if self._window is None:
            return self._pixels_of(table)
        self._window.show(table, fps)
        return None
