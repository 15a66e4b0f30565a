"""Inference of the edition from observations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import EDITIONS, FIRST_RELIC, FIRST_TRAP, Edition
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.observation import Observations


class EditionFinder:
    """Filter of the editions consistent with each row's observations in the current game.

    Published editions with equal rules are equivalent. Others are distinguished at the first card, with two exceptions:
    the first card is the only treasure in which the decks differ (resolved in the second expedition), and editions with
    one relic per expedition (resolved by the second relic's value; their tie breaks are unobservable).

    Args:
        editions: The candidates, by default the published ones. Among consistent ones, those with the table's
            visibility of chests precede the others; ties are broken by order.
        fitting: Test of consistency: `could_be`, or `has_cards_of` to accept any number of expeditions.

    Attributes:
        editions: As given.
        fits: bool (rows, editions), the editions consistent with each row so far.
    """

    def __init__(
        self,
        editions: tuple[Edition, ...] = tuple(EDITIONS.values()),
        fitting: Callable[[Edition, Observations], NDArray[np.bool_]] | None = None,
    ) -> None:
        self.editions = editions
        self._fitting = fitting or could_be
        self.fits = np.ones((0, len(self.editions)), bool)

    def find(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return int (rows,), the index of each row's edition in `editions`, or -1 where none is consistent.

        Args:
            obs: Observation of each row's seat.
            first: bool (rows,), the rows whose game has just begun; new rows need not be marked.
        """
        if len(self.fits) != len(first):
            self.fits = np.ones((len(first), len(self.editions)), bool)
        self.fits[first] = True
        self.fits &= np.stack([self._fitting(edition, obs) for edition in self.editions], axis=1)
        hidden = np.array([edition.hidden_chests for edition in self.editions])
        preferred = self.fits * (1 + (hidden == obs["hidden_chests"][:, None]))
        return np.where(self.fits.any(axis=1), preferred.argmax(axis=1), -1)


def could_be(edition: Edition, obs: Observations) -> NDArray[np.bool_]:
    """Return bool (rows,): whether each row's observation is consistent with this edition."""
    return has_cards_of(edition, obs) & (obs["expedition"] + obs["expeditions_left"] == edition.expeditions)


def has_cards_of(edition: Edition, obs: Observations) -> NDArray[np.bool_]:
    """Return bool (rows,): whether the cards of each row's observation are consistent with this edition."""
    cards = numbers_of(edition)["cards"].astype(np.float32)
    expedition = obs["expedition"]
    gone = cards[:FIRST_TRAP] - obs["treasures_left"]
    fits = (gone >= 0).all(axis=1)
    fits &= gone.sum(axis=1) <= obs["turn"] - obs["traps_on_path"].sum(axis=1) - obs["path_relics"]
    fits &= (obs["traps_left"] + obs["traps_on_path"] <= cards[FIRST_TRAP:FIRST_RELIC]).all(axis=1)
    entered = np.broadcast_to(cards[FIRST_RELIC:], obs["relics_left"].shape)
    if edition.relics_enter == "expedition":
        number = np.minimum(expedition, len(edition.relics))[:, None]
        kinds = np.arange(entered.shape[1])
        entered = kinds < number if edition.relic_values == "printed" else np.where(kinds == 0, number, 0)
    fits &= (obs["relics_left"] <= entered).all(axis=1)
    seen, all_of_them = obs["relics_left"].sum(axis=1), entered.sum(axis=1)
    seen = seen + obs["path_relics"] + obs["relics_taken"]
    # Relics left on the path at the end of an expedition leave the game and are no longer observed.
    return fits & np.where(expedition == 1, seen == all_of_them, seen <= all_of_them)
