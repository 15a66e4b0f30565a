"""Agents that wait until one number, which is whole, is large enough."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import MAX_CARDS, MAX_GEMS, MAX_TRAPS
from diamant_env.observation import Observations
from diamant_env.opponents.scripted.family import Scripted, parameter


@dataclass
class RandomAgent(Scripted):
    """Leaves with the same probability at every decision."""

    family: ClassVar[str] = "random"
    probability: float = parameter(0.2, 0, 1)

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`."""
        return np.full(len(first), self.probability, np.float32)


@dataclass
class ContinueAgent(Scripted):
    """Never leaves, and so never banks anything."""

    family: ClassVar[str] = "continue"

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`."""
        return np.zeros(len(first), np.float32)


@dataclass
class CardsAgent(Scripted):
    """Leaves as soon as so many cards have been turned up."""

    family: ClassVar[str] = "cards"
    cards: float = parameter(7, 1, MAX_CARDS)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        """See `Scripted.leaves`."""
        return obs["turn"] >= ceil(self.cards)


@dataclass
class BagAgent(Scripted):
    """Leaves as soon as the bag holds so many gems."""

    family: ClassVar[str] = "bag"
    gems: float = parameter(15, 0, MAX_GEMS)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        """See `Scripted.leaves`."""
        return obs["bag"] >= ceil(self.gems)


@dataclass
class TrapsAgent(Scripted):
    """Leaves as soon as so many kinds of trap lie on the path."""

    family: ClassVar[str] = "traps"
    traps: float = parameter(3, 0, MAX_TRAPS)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        """See `Scripted.leaves`."""
        return obs["traps_on_path"].sum(axis=-1) >= ceil(self.traps)


@dataclass
class BagOrTrapsAgent(Scripted):
    """Leaves as soon as the bag holds so many gems or so many kinds of trap lie on the path."""

    family: ClassVar[str] = "bag-or-traps"
    gems: float = parameter(20, 0, MAX_GEMS)
    traps: float = parameter(3, 0, MAX_TRAPS)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        """See `Scripted.leaves`."""
        return (obs["bag"] >= ceil(self.gems)) | (obs["traps_on_path"].sum(axis=-1) >= ceil(self.traps))
