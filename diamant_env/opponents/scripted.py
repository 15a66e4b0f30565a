"""The scripted baselines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from diamant_env.observation import Observations


@dataclass
class RandomAgent:
    """Leaves with the same probability at every decision."""

    probability: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.probability <= 1:
            raise ValueError(f"probability={self.probability}; between 0 and 1 is allowed")

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`."""
        return np.full(len(first), self.probability, np.float32)


@dataclass
class BagAgent:
    """Leaves as soon as the bag holds so many gems."""

    gems: float = 18

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`."""
        return (obs["bag"] >= self.gems).astype(np.float32)
