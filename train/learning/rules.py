"""Opponents that play by random rules: simple strangers, none of which is a member of the pools that judge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from diamant_env.observation import Observations

# What a rule may look at, and the range that its limit is drawn from, in gems, turns, chances or players.
FACTS = {
    "bag": (3.0, 25.0),
    "path_gems": (2.0, 14.0),
    "path_relic_value": (3.0, 10.0),
    "bust_chance": (0.05, 0.45),
    "turn": (2.0, 10.0),
    "left": (1.0, 4.0),
}
_SLIP = np.float32(0.01)  # probability of doing the opposite
_TWO = 0.5  # chance that a rule looks at two facts


class RuleOpponent:
    """Leaves as soon as one of one or two facts reaches its limit; each seat has a constant rule of its own.

    Args:
        seed: Of the rules.
    """

    def __init__(self, seed: np.random.SeedSequence) -> None:
        self._seed = seed
        self._limits = np.zeros((0, len(FACTS)))

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`."""
        if len(self._limits) != len(first):
            self._limits = draw_limits(len(first), np.random.default_rng(self._seed))
        left = obs["num_players"] - obs["num_inside"]
        facts = np.stack([left if name == "left" else obs[name] for name in FACTS], axis=1)
        leaves = (facts >= self._limits).any(axis=1)
        return np.where(leaves, 1 - _SLIP, _SLIP).astype(np.float32)


def draw_limits(seats: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Return the limit of each fact for each seat, float64 (seats, facts); infinite where a rule does not look."""
    low, high = np.array(list(FACTS.values())).T
    limits = random.uniform(low, high, (seats, len(FACTS)))
    one, other = random.integers(0, len(FACTS), (2, seats))
    other = np.where(random.random(seats) < _TWO, other, one)
    places = np.arange(len(FACTS))
    limits[(places != one[:, None]) & (places != other[:, None])] = np.inf
    return limits
