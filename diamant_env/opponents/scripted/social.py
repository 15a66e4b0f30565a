"""Agents that look at the other players: what they leave lying, how far ahead they are, when they go."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import MAX_GEMS, MAX_PLAYERS
from diamant_env.observation import Observations
from diamant_env.opponents.scripted.family import Scripted, haul, needs_chests, parameter
from diamant_env.opponents.scripted.whole_numbers import WholeNumbers, in_whole_numbers


@dataclass
class SoloGrabAgent(Scripted):
    """Leaves as soon as the gems and relics on the path are worth so much to a lone leaver, else by its bag."""

    family: ClassVar[str] = "solo-grab"
    lying: float = parameter(7, 0, MAX_GEMS)
    gems: float = parameter(13, 0, MAX_GEMS)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        """See `Scripted.leaves`."""
        return (obs["path_gems"] + obs["path_relic_value"] >= ceil(self.lying)) | (obs["bag"] >= ceil(self.gems))


@dataclass
class CatchUpAgent(Scripted):
    """Asks a bigger haul of itself when behind and a smaller one when ahead, the more so the fewer expeditions remain.

    It leaves where the haul is at least `gems` - `push`·lead / (expeditions left + 1), and at least 1; the lead is
    its chest less the best rival's. A push of 1 asks, each expedition, for an equal part of what it lacks on top.
    """

    family: ClassVar[str] = "catch-up"
    gems: float = parameter(16, 0, MAX_GEMS)
    push: float = parameter(0.5, 0, 10)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        """See `Scripted.leaves`."""
        needs_chests(obs, self)
        one, gems, push = in_whole_numbers(self.gems, self.push)
        whole = WholeNumbers(obs, max(one, gems, push))
        held, remaining = haul(whole), whole["expeditions_left"] + 1
        return (held >= 1) & (one * remaining * held >= gems * remaining - push * whole["lead"])


@dataclass
class FollowAgent(Scripted):
    """Follows the crowd: leaves once so many rivals have left this expedition, or with a haul of so many gems."""

    family: ClassVar[str] = "follow"
    rivals: float = parameter(2, 1, MAX_PLAYERS - 1)
    gems: float = parameter(8, 0, MAX_GEMS)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        """See `Scripted.leaves`."""
        return (obs["num_players"] - obs["num_inside"] >= ceil(self.rivals)) | (haul(obs) >= ceil(self.gems))


@dataclass
class OpposeAgent(Scripted):
    """Opposes the crowd: leaves with a small haul while all stay, and asks so many gems more for each that has left."""

    family: ClassVar[str] = "oppose"
    gems: float = parameter(11, 0, MAX_GEMS)
    more: float = parameter(2, 0, MAX_GEMS)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        """See `Scripted.leaves`."""
        one, gems, more = in_whole_numbers(self.gems, self.more)
        whole = WholeNumbers(obs, max(one, gems, more))
        gone = whole["num_players"] - whole["num_inside"]
        return one * haul(whole) >= gems + more * gone
