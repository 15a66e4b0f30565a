"""Agents that compare two sums without rounding: what leaving now pays, with one more card or with their aim.

Notation: b the bag, g the gems and r the value of the relics on the path, n the players inside, p the exact chance
that the next card busts, s the exact gems that it brings each player inside on average (a bust brings 0).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import MAX_GEMS, MAX_PLAYERS
from diamant_env.observation import Observations
from diamant_env.opponents.scripted.family import Scripted, haul, parameter
from diamant_env.opponents.scripted.whole_numbers import WholeNumbers, at_least, decimal, in_whole_numbers


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
        at_risk = obs["bust_chance"] * _counted(obs, np.float32(1), np.float32(self.weight))
        return at_least(at_risk, obs["expected_share"], obs, self._leaves_exactly)

    def _leaves_exactly(self, obs: Observations) -> NDArray[np.bool_]:
        one, weight = in_whole_numbers(self.weight)
        whole = WholeNumbers(obs, max(one, weight))
        _, fatal, shared = whole.next_card()
        return fatal * _counted(whole, one, weight) >= one * shared


def _counted(obs: Mapping[str, NDArray], one: Any, weight: Any) -> NDArray:
    """Return what each row counts on when it leaves now, `weight` and the result as multiples of 1/`one`."""
    lying = obs["path_gems"] + obs["path_relic_value"]
    return one * obs["bag"] + np.where(obs["num_inside"] == 1, one, weight) * lying


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
        _, chances, _ = _chances(self.stay)
        now, after = _now_and_after(
            obs, np.float32(1), obs["bust_chance"], obs["expected_share"], np.float32(1), chances
        )
        return at_least(now, after, obs, self._leaves_exactly)

    def _leaves_exactly(self, obs: Observations) -> NDArray[np.bool_]:
        one, _, chances = _chances(self.stay)
        whole = WholeNumbers(obs, one * one)
        now, after = _now_and_after(whole, *whole.next_card(), one, chances)
        return now >= after


def _now_and_after(
    obs: Mapping[str, NDArray], cards: Any, fatal: NDArray, shared: NDArray, one: Any, chances: NDArray
) -> tuple[NDArray, NDArray]:
    """Return what leaving now and after one more card pay, both times `cards`·`one`², from `chances` times `one`."""
    players = np.maximum(obs["num_inside"], 1)
    all_stay, of_path, of_treasure = chances[:, players.astype(np.int64)]
    bag, path = one * obs["bag"], of_path * obs["path_gems"] + all_stay * obs["path_relic_value"]
    after = (cards - fatal) * (one * bag + all_stay * path) + one * shared * players * of_treasure
    return cards * one * (bag + path), after


@functools.lru_cache
def _chances(stay: float) -> tuple[int, NDArray[np.float32], NDArray[np.object_]]:
    """Return q^(n-1), A(n, 1-q) and A(n, q) by n, (3, players + 1): rounded, and as multiples of 1/the first result."""
    q, counts = decimal(stay), range(1, MAX_PLAYERS + 1)
    rows = [[q ** (n - 1) for n in counts], [_part(n, 1 - q) for n in counts], [_part(n, q) for n in counts]]
    one, *multiples = in_whole_numbers(*(number for row in rows for number in [Fraction(0), *row]))
    exact = np.array(multiples, object).reshape(len(rows), -1)
    return one, np.array([[0, *row] for row in rows], np.float32), exact


def _part(players: int, chance: Fraction) -> Fraction:
    """Return the mean part of one among so many players, the others taking part with this chance."""
    return (1 - (1 - chance) ** players) / (players * chance) if chance else Fraction(1)


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
        if obs["hidden_chests"].any():
            raise ValueError(f"{self} looks at the rivals' chests, and this table hides them; seat another agent")
        one, gems, push = in_whole_numbers(self.gems, self.push)
        whole = WholeNumbers(obs, max(one, gems, push))
        held, remaining = haul(whole), whole["expeditions_left"] + 1
        return (held >= 1) & (one * remaining * held >= gems * remaining - push * whole["lead"])


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
