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
    "lead": (-15.0, 10.0),
}
GROWING = 6  # the first facts, which grow during an expedition: every clause looks at one of them
_SLIP = np.float32(0.01)  # probability of doing the opposite
_TWO = 0.5  # chance that a rule has two clauses, and that a clause looks at two facts


class RuleOpponent:
    """Leaves as soon as one or two facts are beyond their limits, or another one or two; each seat has its own rule.

    Args:
        seed: Of the rules.
    """

    def __init__(self, seed: np.random.SeedSequence) -> None:
        self._seed = seed
        self._lowest = self._highest = np.zeros((0, 2, len(FACTS)), np.float32)

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`."""
        if len(self._lowest) != len(first):
            self._lowest, self._highest = draw_limits(len(first), np.random.default_rng(self._seed))
        left = obs["num_players"] - obs["num_inside"]
        facts = np.stack([left if name == "left" else obs[name] for name in FACTS], axis=1)[:, None]
        leaves = ((facts >= self._lowest) & (facts <= self._highest)).all(axis=-1).any(axis=-1)
        return np.where(leaves, 1 - _SLIP, _SLIP).astype(np.float32)


def draw_limits(seats: int, random: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the lowest and the highest value of each fact that each clause asks for, float32 (seats, 2, facts).

    Infinite where it does not look. The second clause is the first where a rule has only one.
    """
    low, high = np.array(list(FACTS.values())).T
    limits = random.uniform(low, high, (seats, 2, len(FACTS)))
    places = np.arange(len(FACTS))
    grown, other = random.integers(0, GROWING, (seats, 2, 1)), random.integers(0, len(FACTS), (seats, 2, 1))
    looks = (random.random((seats, 2, 1)) < _TWO) & (other != grown) & (places == other)
    below = looks & (random.random((seats, 2, 1)) < 0.5)
    lowest = np.where((places == grown) | (looks & ~below), limits, -np.inf)
    highest = np.where(below, limits, np.inf)
    one = random.random(seats) >= _TWO
    lowest[one, 1], highest[one, 1] = lowest[one, 0], highest[one, 0]
    return lowest.astype(np.float32), highest.astype(np.float32)
