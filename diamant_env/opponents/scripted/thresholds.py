"""Agents with thresholds on integer features, and two constant agents."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import reduce
from math import ceil
from operator import or_
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import MAX_CARDS, MAX_GEMS, MAX_PLAYERS, MAX_TRAPS
from diamant_env.observation import Observations
from diamant_env.opponents.scripted.family import Scripted, haul, parameter, parameters


@dataclass
class RandomAgent(Scripted):
    """Leaves with a constant probability."""

    family: ClassVar[str] = "random"
    probability: float = parameter(0.2, 0, 1)

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        return np.full(len(episode_start), self.probability, np.float32)


@dataclass
class ContinueAgent(Scripted):
    """Never leaves."""

    family: ClassVar[str] = "continue"

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        return np.zeros(len(episode_start), np.float32)


class ThresholdAgent(Scripted):
    """Leaves as soon as one of its features reaches its parameter."""

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        fields = parameters(type(self))
        return reduce(or_, (field.metadata["number"](obs) >= ceil(getattr(self, field.name)) for field in fields))


def _bag(obs: Observations) -> NDArray:
    return obs["bag"]


def _traps(obs: Observations) -> NDArray:
    return obs["traps_on_path"].sum(axis=-1)


@dataclass
class CardsAgent(ThresholdAgent):
    """Leaves once `cards` cards are revealed."""

    family: ClassVar[str] = "cards"
    cards: float = parameter(7, 1, MAX_CARDS, lambda obs: obs["turn"])


@dataclass
class BagAgent(ThresholdAgent):
    """Leaves once the bag holds `gems` gems."""

    family: ClassVar[str] = "bag"
    gems: float = parameter(15, 0, MAX_GEMS, _bag)


@dataclass
class TrapsAgent(ThresholdAgent):
    """Leaves once `traps` kinds of trap are on the path."""

    family: ClassVar[str] = "traps"
    traps: float = parameter(3, 0, MAX_TRAPS, _traps)


@dataclass
class BagOrTrapsAgent(ThresholdAgent):
    """Leaves once the bag holds `gems` gems or `traps` kinds of trap are on the path."""

    family: ClassVar[str] = "bag-or-traps"
    gems: float = parameter(20, 0, MAX_GEMS, _bag)
    traps: float = parameter(3, 0, MAX_TRAPS, _traps)


@dataclass
class SoloGrabAgent(ThresholdAgent):
    """Leaves once the path is worth `lying` gems to a lone leaver or the bag holds `gems` gems."""

    family: ClassVar[str] = "solo-grab"
    lying: float = parameter(7, 0, MAX_GEMS, lambda obs: obs["path_gems"] + obs["path_relic_value"])
    gems: float = parameter(13, 0, MAX_GEMS, _bag)


@dataclass
class FollowAgent(ThresholdAgent):
    """Leaves once `rivals` rivals have left or bag and path hold `gems` gems."""

    family: ClassVar[str] = "follow"
    rivals: float = parameter(2, 1, MAX_PLAYERS - 1, lambda obs: obs["num_players"] - obs["num_inside"])
    gems: float = parameter(8, 0, MAX_GEMS, haul)


@dataclass
class MixtureAgent(Scripted):
    """Leaves once the bag holds a number of gems drawn for each game, an integer from `low` to `high`.

    Thresholds are stored per row and redrawn for each game that `episode_start` marks.
    """

    family: ClassVar[str] = "mixture"
    stateless: ClassVar[bool] = False
    low: float = parameter(10, 0, MAX_GEMS)
    high: float = parameter(20, 0, MAX_GEMS)
    thresholds: NDArray[np.float32] = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low > self.high or self.low % 1 or self.high % 1:
            raise ValueError(f"{self.family}: low={self.low:g}, high={self.high:g}; whole numbers, low <= high")
        self.seed(0)

    def seed(self, seed: int) -> None:
        """Reseed the random numbers and reset all thresholds."""
        self._random = np.random.default_rng(seed)
        self.thresholds = np.zeros(0, np.float32)

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        if len(episode_start) != len(self.thresholds):
            existing = self.thresholds[: len(episode_start)]
            self.thresholds = np.concatenate([existing, self._draw(len(episode_start) - len(existing))])
        self.thresholds[episode_start] = self._draw(int(np.count_nonzero(episode_start)))
        return super().act(obs, episode_start)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        return obs["bag"] >= self.thresholds

    def _draw(self, count: int) -> NDArray[np.float32]:
        return self._random.integers(int(self.low), int(self.high), count, endpoint=True).astype(np.float32)
