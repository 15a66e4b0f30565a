"""Agents that compare what leaving now pays with what one more card pays, with exact card counting.

Notation: b the bag, g the gems and r the value of the relics on the path, n the players inside, p the exact chance
that the next card busts, s the exact gems that it brings each player inside on average (a bust brings 0).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from diamant_env.observation import Observations
from diamant_env.opponents.family import Scripted, parameter

_ONE = np.float32(1)


@dataclass
class ExpectedValueAgent(Scripted):
    """Leaves when one more card, after which it would leave, pays no more on average than leaving now.

    It counts on the part w (`weight`) of what lies on the path; a player alone inside counts on all of it. Leaving
    now pays b + w·(g + r), leaving after one more card (1 - p)·(b + w·(g + r)) + s, so it leaves where

        p · (b + w·(g + r)) >= s.

    What the next card adds to the path is left out. For a player alone at a table without relics this is one-step
    lookahead, which there equals optimal stopping.
    """

    family: ClassVar[str] = "ev"
    weight: float = parameter(0.75, 0, 10)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        """See `Scripted.leaves`."""
        weight = np.where(obs["num_inside"] == 1, _ONE, np.float32(self.weight))
        lying = obs["path_gems"] + obs["path_relic_value"]
        return obs["bust_chance"] * (obs["bag"] + weight * lying) >= obs["expected_share"]


@dataclass
class OthersStayAgent(Scripted):
    """Compares as `ev` does, assuming that each other player stays with the same probability.

    With q (`stay`) that probability, the other leavers and stayers are binomial, and with n players inside

        A(n, x) = E[1 / (1 + Binomial(n - 1, x))] = (1 - (1 - x)^n) / (n·x), and 1 where x = 0.

    Leaving now pays b + L(n) with L(n) = g·A(n, 1 - q) + r·q^(n-1): the part of the gems, and the relics if nobody
    else leaves. After one more card, (1 - p)·(b + q^(n-1)·L(n)) + s·n·A(n, q): what lies there is still there if
    nobody left, and those who stayed share the next treasure. It leaves where the first is at least the second. With
    q = 1 it is `ExpectedValueAgent` with a weight of 1.
    """

    family: ClassVar[str] = "ev-others-stay"
    stay: float = parameter(0.2, 0, 1)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        """See `Scripted.leaves`."""
        players = np.maximum(obs["num_inside"], _ONE)
        all_stay = np.float32(self.stay) ** (players - _ONE)
        path = obs["path_gems"] * _part(players, 1 - self.stay) + obs["path_relic_value"] * all_stay
        bag = obs["bag"]
        after = (_ONE - obs["bust_chance"]) * (bag + all_stay * path)
        after += obs["expected_share"] * players * _part(players, self.stay)
        return bag + path >= after


def _part(players: NDArray[np.float32], chance: float) -> NDArray[np.float32]:
    """Return the mean part of one among so many players, the others taking part with this chance."""
    if chance < 1e-6:
        return np.ones_like(players)
    return (_ONE - np.float32(1 - chance) ** players) / (players * np.float32(chance))
