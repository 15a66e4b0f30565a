"""An agent that is not the same twice."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import MAX_GEMS
from diamant_env.observation import Observations
from diamant_env.opponents.scripted.family import Scripted, parameter


@dataclass
class MixtureAgent(Scripted):
    """Leaves as soon as the bag holds as many gems as it drew for this game, a whole number from `low` to `high`.

    It remembers one threshold per row, drawn anew where `first` marks a new game. A row that it meets without
    `first` (it was seated in the middle of a game) gets one as well.
    """

    family: ClassVar[str] = "mixture"
    low: float = parameter(10, 0, MAX_GEMS)
    high: float = parameter(20, 0, MAX_GEMS)
    thresholds: NDArray[np.float32] = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low > self.high or self.low % 1 or self.high % 1:
            raise ValueError(f"{self.family}: low={self.low:g}, high={self.high:g}; whole numbers, low <= high")
        self.seed(0)

    def seed(self, seed: int) -> None:
        """Start the random numbers anew and forget all thresholds."""
        self._random = np.random.default_rng(seed)
        self.thresholds = np.zeros(0, np.float32)

    def state(self) -> dict[str, Any]:
        """Return what it remembers, arrays and what JSON knows: the thresholds and the state of the random numbers."""
        return {"thresholds": self.thresholds.copy(), "random": self._random.bit_generator.state}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a value of `state`."""
        self._random.bit_generator.state = state["random"]
        self.thresholds = state["thresholds"].copy()

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`."""
        if len(first) != len(self.thresholds):
            self._resize(len(first))
        self.thresholds[first] = self._draw(int(np.count_nonzero(first)))
        return super().act(obs, first)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        """See `Scripted.leaves`."""
        return obs["bag"] >= self.thresholds

    def _resize(self, rows: int) -> None:
        """Keep the thresholds of the rows that remain; rows that are new draw theirs."""
        known = self.thresholds[:rows]
        self.thresholds = np.concatenate([known, self._draw(rows - len(known))])

    def _draw(self, count: int) -> NDArray[np.float32]:
        return self._random.integers(int(self.low), int(self.high), count, endpoint=True).astype(np.float32)
