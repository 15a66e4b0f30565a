"""An environment that does nothing, with the shapes of ours: what is left of a training run without the engine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from diamant_env.sb3 import DiamantVecEnv

KEPT_TURNS = 64  # turns of a true game that are shown again and again


class IdleVecEnv(DiamantVecEnv):
    """Shows turns that the true engine played before training began, whatever is decided.

    The learner so meets as many decisions as with the engine, and the same arrays in the same copies.
    """

    def __init__(self, num_games: int, num_players: int = 4) -> None:
        super().__init__(num_games, num_players)
        self.seed(0)
        super().reset()
        random = np.random.default_rng(0)
        played = [
            super(IdleVecEnv, self).play((random.random(self.num_envs) < 0.15).astype(np.int8))
            for _ in range(KEPT_TURNS)
        ]
        self.turns = played
        self.random = [(random.random(self.num_envs) < 0.15).astype(np.int8) for _ in range(KEPT_TURNS)]
        self.position = 0
        self.engine_seconds = 0.0

    def reset(self) -> NDArray[np.float32]:
        """Return the first turn."""
        self._reset_seeds()
        return self.turns[0][0]

    def draw_decisions(self, leave_probability: NDArray[np.float32]) -> NDArray[np.int8]:
        """Return decisions drawn long ago."""
        return self.random[self.position]

    def play(self, actions: NDArray) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
        """Return the next turn."""
        self.position = (self.position + 1) % KEPT_TURNS
        return self.turns[self.position]
