"""Rendering of environments as text, pictures or a window."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env.batch import Batch
from diamant_env.drawing.render_history import RenderHistory
from diamant_env.drawing.text import render_text

RENDER_MODES = ("human", "rgb_array", "ansi")


class Renderer:
    """Renderer of a batch's games; call `update` after every turn. `draw` raises `not_started` before the first reset.

    pygame-ce is imported for a window or the first picture.
    """

    def __init__(self, mode: str | None, batch: Batch, metadata: dict[str, Any], not_started: type[Exception]) -> None:
        if mode is not None and mode not in metadata["render_modes"]:
            raise ValueError(f"unknown render_mode {mode!r}; allowed: None, {', '.join(metadata['render_modes'])}")
        self._mode, self._batch, self._not_started = mode, batch, not_started
        self._fps = metadata["render_fps"]
        self._window: Any = None
        # Of each game since its start; none without a mode.
        self.histories = [RenderHistory() for _ in range(batch.num_games)] if mode else []
        if mode == "human":
            from diamant_env.drawing.pixels import Window

            self._window = Window("Diamant")

    def restart(self, games: Sequence[int] | NDArray[np.int64]) -> None:
        """Start with the current states of these games."""
        if self._mode is not None:
            for game in games:
                self.histories[game] = RenderHistory()
            self.update(games)

    def update(self, games: Sequence[int] | NDArray[np.int64]) -> None:
        """Store the states of games after a start or a turn, and draw them in ``"human"`` mode."""
        if self._mode is not None:
            records = self._batch.games
            for game in games:
                self.histories[game].update(records[game])
                if self._mode == "human":
                    self._draw(game, self._fps)

    def draw(self) -> list[Any]:
        """Return every game's text or picture; redraw the window and return None in ``"human"`` mode."""
        return [None if self._mode is None else self._draw(game) for game in range(self._batch.num_games)]

    def close(self) -> None:
        if self._window is not None:
            self._window.close()

    def _draw(self, game: int, fps: float = 0) -> Any:
        history = self.histories[game]
        if (record := history.now) is None:
            raise self._not_started("no game to render: call reset() first")
        edition = self._batch.editions[record.edition]
        if self._mode == "ansi":
            return render_text(record, edition, history)
        # Imported here: make_vec_env of stable-baselines3 sets "rgb_array", but training needs no pygame-ce.
        from diamant_env.drawing.picture import draw_game
        from diamant_env.drawing.pixels import pixels_of

        picture = draw_game(record, edition, history)
        if self._window is None:
            return pixels_of(picture)
        self._window.show(picture, fps)
        return None
