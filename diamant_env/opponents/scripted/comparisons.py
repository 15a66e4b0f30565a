"""Scripted agents that compare the payoff of leaving now with that after one more card, or with a target.

Notation: b the bag, g the gems and r the value of the relics on the path, n the players inside, p the probability that
the next card busts, s its expected share per player inside in gems (0 in a bust).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import MAX_GEMS, MAX_PLAYERS
from diamant_env.observation import FIELDS, SLICES, Observations
from diamant_env.opponents.scripted.family import Scripted, haul, parameter

_KINDS = [field for field in FIELDS if field.name in ("treasures_left", "traps_left", "relics_left")]
_DECK = slice(SLICES[_KINDS[0].name].start, SLICES[_KINDS[-1].name].stop)
_COPIES = np.repeat([field.scale for field in _KINDS], [field.size for field in _KINDS])


@dataclass
class ExpectedValueAgent(Scripted):
    """One-step lookahead: leaves if one more card does not increase the expected bag + `weight` × path.

    A leaver expects the part w (`weight`) of the path, all of it if alone inside. Leaving now pays b + w·(g + r),
    leaving after one more card (1 - p)·(b + w·(g + r)) + s, so it leaves if

        p · (b + w·(g + r)) >= s.

    Gems that the next card adds to the path are ignored. For a single player without relics this is optimal stopping.
    """

    family: ClassVar[str] = "ev"
    weight: float = parameter(0.75, 0, 10)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        _, fatal, shared = next_card(obs)
        weight = np.where(obs["num_inside"] == 1, 1.0, self.weight)
        counted = obs["bag"] + weight * (obs["path_gems"] + obs["path_relic_value"])
        return at_least(fatal * counted, shared)


@dataclass
class OthersStayAgent(Scripted):
    """One-step lookahead as `ev`, but each rival stays with probability `stay`, independently.

    The numbers of leavers and stayers are binomial, and with n players inside

        A(n, x) = E[1 / (1 + Binomial(n - 1, x))] = (1 - (1 - x)^n) / (n·x), and 1 for x = 0.

    Leaving now pays b + L(n) with L(n) = g·A(n, 1 - q) + r·q^(n-1): a share of the gems, and the relics if alone.
    Leaving after one more card pays (1 - p)·(b + q^(n-1)·L(n)) + s·n·A(n, q): the path is intact if all stayed, and
    the stayers share the next treasure. It leaves if the first is at least the second. q = `stay` = 1 equals
    `ExpectedValueAgent` with a weight of 1.
    """

    family: ClassVar[str] = "ev-others-stay"
    stay: float = parameter(0.2, 0, 1)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        cards, fatal, shared = next_card(obs)
        players = np.maximum(obs["num_inside"], 1).astype(int)
        all_stay, of_path, of_treasure = _chances(self.stay)[:, players]
        bag, path = obs["bag"], of_path * obs["path_gems"] + all_stay * obs["path_relic_value"]
        after = (cards - fatal) * (bag + all_stay * path) + shared * players * of_treasure
        return at_least(cards * (bag + path), after)


@dataclass
class CatchUpAgent(Scripted):
    """Leaves once bag and path hold `gems` gems, more when behind and fewer when ahead.

    It leaves if they hold at least max(1, `gems` - `push`·lead / (expeditions left + 1)); the lead is its chest less
    the best rival's. A push of 1 spreads the deficit evenly over the remaining expeditions.
    """

    family: ClassVar[str] = "catch-up"
    gems: float = parameter(16, 0, MAX_GEMS)
    push: float = parameter(0.5, 0, 10)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        if obs["hidden_chests"].any():
            raise ValueError(f"{self} reads the rivals' chests, and this table hides them; seat another agent")
        held, remaining, lead = (x.astype(float) for x in (haul(obs), obs["expeditions_left"] + 1, obs["lead"]))
        return (held >= 1) & at_least(remaining * held, self.gems * remaining - self.push * lead)


@dataclass
class OpposeAgent(Scripted):
    """Leaves once bag and path hold `gems` gems plus `more` for each rival that has left."""

    family: ClassVar[str] = "oppose"
    gems: float = parameter(11, 0, MAX_GEMS)
    more: float = parameter(2, 0, MAX_GEMS)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        gone = (obs["num_players"] - obs["num_inside"]).astype(float)
        return at_least(haul(obs).astype(float), self.gems + self.more * gone)


def at_least(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether `left` >= `right` up to rounding errors, bool (rows,)."""
    return left >= right - 1e-9 * np.maximum(np.abs(right), 1)


def next_card(obs: Observations) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the cards in the deck, the fatal ones and the total share of all cards, whole numbers (rows,).

    The last two are recovered from the observed quotients p and s, which are float32.
    """
    cards = obs.flat[..., _DECK] @ _COPIES
    return cards, np.rint(obs["bust_chance"] * cards), np.rint(obs["expected_share"] * cards)


@functools.lru_cache
def _chances(stay: float) -> NDArray[np.float64]:
    """Return q^(n-1), A(n, 1-q) and A(n, q) by n, float64 (3, players + 1)."""
    counts = np.arange(MAX_PLAYERS + 1)
    return np.array([stay ** (counts - 1.0) if stay else counts == 1, _part(counts, 1 - stay), _part(counts, stay)])


def _part(players: NDArray[np.int64], chance: float) -> NDArray[np.float64]:
    """Return A(n, x) by n."""
    return (1 - (1 - chance) ** players) / (np.maximum(players, 1) * chance) if chance else np.ones(len(players))
