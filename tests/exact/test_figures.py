"""Known probabilities by simulation; exactly in ``tests/game/test_counting.py``."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from diamant_env import CONTINUE, Batch, Observations
from diamant_env.editions import FIRST_TRAP
from tests.support.figures import BUST_AT_TRAP, SURVIVAL, bust_at_trap, deck_size, survival
from tests.support.play import BASE, NO_RELICS, PUBLISHED, every
from tests.support.side_by_side import Names

DECKS = {35: BASE, 30: NO_RELICS}
PLAYED = 60_000
STANDARD_ERRORS = 4


@pytest.mark.parametrize("size", DECKS)
@pytest.mark.parametrize("cards", [2, 3, 4, 6, 10])
def test_survival_by_counting(size, cards):
    edition, expected = DECKS[size], SURVIVAL[size][cards]
    assert deck_size(edition) == size
    exact = survival(edition, cards)
    assert exact == expected if isinstance(expected, Fraction) else abs(float(exact) - expected) < 5e-7


@pytest.mark.parametrize("traps", BUST_AT_TRAP)
def test_bust_at_the_nth_trap_by_counting(traps):
    assert abs(float(bust_at_trap(BASE, traps)) - BUST_AT_TRAP[traps]) < 5e-7


def assert_near(hits: np.ndarray, chance: Fraction) -> None:
    """Assert that the share of hits equals this chance within some standard errors."""
    errors = float((hits.mean() - chance) / sqrt(chance * (1 - chance) / len(hits)))
    assert abs(errors) < STANDARD_ERRORS, f"{hits.mean()} is {errors:+.2f} standard errors from {float(chance)}"


@every([*PUBLISHED, NO_RELICS])
def test_survival_by_playing(edition):
    batch = Batch(PLAYED, 1, replace(edition, expeditions=1))
    batch.reset(seed=20_000_000 + 100_000 * [*PUBLISHED, NO_RELICS].index(edition))
    while not batch.over.all():
        batch.step(np.full((PLAYED, 1), CONTINUE, np.int8))
    for cards in (2, 3, 4, 6, 10):  # the last turn is the bust
        assert_near(Observations(batch.observe()[:, 0])["turn"] > cards, survival(edition, cards))


@every(PUBLISHED)
def test_every_card_comes_up_first_as_often_as_the_deck_holds_it(edition):
    batch = Batch(PLAYED, 3, edition)
    batch.reset(40_000_000)
    names = Names(edition)
    before = names.deck((batch.games.deck[0] + np.eye(len(names.cards), dtype=int)[batch.games.last_card[0]]).tolist())
    for card, copies in before.items():
        assert_near(batch.games.last_card == names.cards.index(card), Fraction(copies, sum(before.values())))


@every(PUBLISHED)
def test_the_cards_of_two_expeditions_are_independent(edition):
    batch = Batch(PLAYED, 3, edition)
    batch.reset(50_000_000)
    first = batch.games.last_card.copy()
    batch.step(np.ones((PLAYED, 3), np.int8))
    lowest = 0  # the slot of the treasure of 1 gem
    size = int(batch.games.deck_size[0]) + 1
    assert_near((batch.games.last_card == lowest)[first == FIRST_TRAP], Fraction(1, size))
