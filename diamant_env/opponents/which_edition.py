"""Inference of the edition from observations, which do not name it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import EDITIONS, FIRST_RELIC, FIRST_TRAP, Edition
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.observation import Observations


class EditionFinder:
    """Remembers, per row, which editions fit all that the row has shown in this game.

    Published editions that play alike count as one. The others differ from the first card on, except where the card
    turned up is the one treasure that two of them differ in (the second expedition tells), and for the editions with
    one relic per expedition, which differ in a relic's value from the second relic on and in the tie break never.

    Args:
        editions: The candidates, by default the published ones. Of several that fit, the first counts whose chests are
            open or hidden as at the table, else the first.
        fitting: Says which rows fit an edition: `could_be`, or `has_cards_of` where any number of expeditions will do.

    Attributes:
        editions: As given.
        fits: bool (rows, editions), which editions fit what each row has shown so far.
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
        """Return int (rows,), the position of each row's edition among `editions`, or -1 where none fits.

        Args:
            obs: What each row's seat sees.
            first: bool (rows,), the rows whose game has just begun; a row that is new here needs no such mark.
        """
        if len(self.fits) != len(first):
            self.fits = np.ones((len(first), len(self.editions)), bool)
        self.fits[first] = True
        self.fits &= np.stack([self._fitting(edition, obs) for edition in self.editions], axis=1)
        hidden = np.array([edition.hidden_chests for edition in self.editions])
        preferred = self.fits * (1 + (hidden == obs["hidden_chests"][:, None]))
        return np.where(self.fits.any(axis=1), preferred.argmax(axis=1), -1)


def could_be(edition: Edition, obs: Observations) -> NDArray[np.bool_]:
    """Return bool (rows,): whether what each row's seat sees can be a game of this edition."""
    return has_cards_of(edition, obs) & (obs["expedition"] + obs["expeditions_left"] == edition.expeditions)


def has_cards_of(edition: Edition, obs: Observations) -> NDArray[np.bool_]:
    """Return bool (rows,): whether the cards that each row's seat sees can be of this edition."""
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
    # Relics left on the path at the end of an expedition are out of the game and seen no more.
    return fits & np.where(expedition == 1, seen == all_of_them, seen <= all_of_them)
