"""Agents that wait until one whole number is large enough, and two that look at nothing."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from math import ceil
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import MAX_CARDS, MAX_GEMS, MAX_PLAYERS, MAX_TRAPS
from diamant_env.observation import Observations
from diamant_env.opponents.scripted.family import Scripted, haul, parameter, parameters


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


class ThresholdAgent(Scripted):
    """Leaves as soon as one of its numbers reaches its parameter."""

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        """See `Scripted.leaves`."""
        fields = parameters(type(self))
        return np.any([field.metadata["number"](obs) >= ceil(getattr(self, field.name)) for field in fields], axis=0)


def _bag(obs: Observations) -> NDArray:
    return obs["bag"]


def _traps(obs: Observations) -> NDArray:
    return obs["traps_on_path"].sum(axis=-1)


@dataclass
class CardsAgent(ThresholdAgent):
    """Leaves as soon as so many cards have been turned up."""

    family: ClassVar[str] = "cards"
    cards: float = parameter(7, 1, MAX_CARDS, lambda obs: obs["turn"])


@dataclass
class BagAgent(ThresholdAgent):
    """Leaves as soon as the bag holds so many gems."""

    family: ClassVar[str] = "bag"
    gems: float = parameter(15, 0, MAX_GEMS, _bag)


@dataclass
class TrapsAgent(ThresholdAgent):
    """Leaves as soon as so many kinds of trap lie on the path."""

    family: ClassVar[str] = "traps"
    traps: float = parameter(3, 0, MAX_TRAPS, _traps)


@dataclass
class BagOrTrapsAgent(ThresholdAgent):
    """Leaves as soon as the bag holds so many gems or so many kinds of trap lie on the path."""

    family: ClassVar[str] = "bag-or-traps"
    gems: float = parameter(20, 0, MAX_GEMS, _bag)
    traps: float = parameter(3, 0, MAX_TRAPS, _traps)


@dataclass
class SoloGrabAgent(ThresholdAgent):
    """Leaves as soon as the gems and relics on the path are worth so much to a lone leaver, else by its bag."""

    family: ClassVar[str] = "solo-grab"
    lying: float = parameter(7, 0, MAX_GEMS, lambda obs: obs["path_gems"] + obs["path_relic_value"])
    gems: float = parameter(13, 0, MAX_GEMS, _bag)


@dataclass
class FollowAgent(ThresholdAgent):
    """Follows the crowd: leaves once so many rivals have left this expedition, or with a haul of so many gems."""

    family: ClassVar[str] = "follow"
    rivals: float = parameter(2, 1, MAX_PLAYERS - 1, lambda obs: obs["num_players"] - obs["num_inside"])
    gems: float = parameter(8, 0, MAX_GEMS, haul)


@dataclass
class MixtureAgent(Scripted):
    """Leaves as soon as the bag holds as many gems as it drew for this game, a whole number from `low` to `high`.

    It remembers one threshold per row, drawn anew where `first` marks a new game. A row that it meets without
    `first` (it was seated in the middle of a game) gets one as well.
    """

    family: ClassVar[str] = "mixture"
    memoryless: ClassVar[bool] = False
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
            known = self.thresholds[: len(first)]  # of the rows that remain; rows that are new draw theirs
            self.thresholds = np.concatenate([known, self._draw(len(first) - len(known))])
        self.thresholds[first] = self._draw(int(np.count_nonzero(first)))
        return super().act(obs, first)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        """See `Scripted.leaves`."""
        return obs["bag"] >= self.thresholds

    def _draw(self, count: int) -> NDArray[np.float32]:
        return self._random.integers(int(self.low), int(self.high), count, endpoint=True).astype(np.float32)
