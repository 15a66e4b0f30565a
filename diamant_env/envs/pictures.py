"""What people look at while an environment plays: a text, a picture or a window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env.batch import Batch
from diamant_env.drawing.scene import Scene
from diamant_env.drawing.view import View


class Pictures:
    """The pictures of a batch's games; `follow` must be told of every turn.

    Args:
        mode: A render mode, or None for nothing.
        batch: The games.
        metadata: Of the environment: ``"render_modes"``, and ``"render_fps"``, the most turns a second in a window.
        not_started: The error that `draw` raises before the first reset.

    Attributes:
        scenes: What has happened in each game.

    Raises:
        ValueError: If there is no such render mode.
    """

    def __init__(self, mode: str | None, batch: Batch, metadata: dict[str, Any], not_started: type[Exception]) -> None:
        if mode is not None and mode not in metadata["render_modes"]:
            raise ValueError(f"unknown render_mode {mode!r}; allowed: None, {', '.join(metadata['render_modes'])}")
        self._batch = batch
        self._fps = metadata["render_fps"]
        self._not_started = not_started
        self._view = None if mode is None else View(mode)
        self.scenes = [Scene() for _ in range(batch.num_games)]

    def restart(self, games: Sequence[int] | NDArray[np.int64]) -> None:
        """Take note that games have just begun."""
        for game in games:
            self.scenes[game] = Scene()
        self.follow(games)

    def follow(self, games: Sequence[int] | NDArray[np.int64]) -> None:
        """Take note that games have begun or played a turn; a window shows it."""
        if self._view is not None:
            for game in games:
                self.scenes[game].follow(self._batch.games[game])
                if self._view.mode == "human":
                    self._draw(self._view, game, self._fps)

    def draw(self) -> list[Any]:
        """Return every game's text or picture; None without a render mode and with a window, which is drawn again."""
        view = self._view
        return [None if view is None else self._draw(view, game) for game in range(len(self.scenes))]

    def _draw(self, view: View, game: int, fps: float = 0) -> Any:
        record, scene = self._batch.games[game], self.scenes[game]
        if scene.before is None and not scene.path:
            raise self._not_started("render before reset: call reset() first")
        return view.render(record, self._batch.editions[record.edition], scene, fps)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._view is not None:
            self._view.close()
