"""Figures that any correct implementation reproduces: exactly by counting, and by playing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import sqrt

import numpy as np
import pytest

from diamant_env import CONTINUE, LEAVE, Batch, Edition, Observations
from diamant_env.editions import FIRST_TRAP
from tests.support.figures import BUST_AT_TRAP, SURVIVAL, bust_at_trap, deck_size, survival
from tests.support.play import BASE, NO_RELICS, PUBLISHED, every
from tests.support.side_by_side import Names

DECKS = {35: BASE, 30: NO_RELICS}
PLAYED = 60_000
STANDARD_ERRORS = 4


def survival_card_by_card(edition: Edition, cards: int) -> Fraction:
    """The same by following the deck: the chance that so many kinds of trap lie on the path."""
    kinds, copies, size = len(edition.traps), edition.trap_copies, deck_size(edition)
    on_path = {0: Fraction(1)}
    for drawn in range(cards):
        later: dict[int, Fraction] = {}
        for traps, chance in on_path.items():
            new_kind = Fraction((kinds - traps) * copies, size - drawn)
            harmless = Fraction(size - kinds * copies - (drawn - traps), size - drawn)
            later[traps] = later.get(traps, 0) + chance * harmless
            later[traps + 1] = later.get(traps + 1, 0) + chance * new_kind
        on_path = later
    return sum(on_path.values())


@pytest.mark.parametrize("size", DECKS)
@pytest.mark.parametrize("cards", [2, 3, 4, 6, 10])
def test_survival_by_counting(size, cards):
    edition, expected = DECKS[size], SURVIVAL[size][cards]
    assert deck_size(edition) == size
    exact = survival(edition, cards)
    assert survival_card_by_card(edition, cards) == exact
    assert exact == expected if isinstance(expected, Fraction) else abs(float(exact) - expected) < 5e-7


def test_survival_of_31_cards():
    edition = replace(BASE, relics=(5,))
    assert all(survival(edition, cards) == survival_card_by_card(edition, cards) for cards in range(32))
    assert survival(BASE, 25) > survival(BASE, 26) == 0


@pytest.mark.parametrize("traps", BUST_AT_TRAP)
def test_bust_at_the_nth_trap_by_counting(traps):
    cards = [kind for kind in BASE.traps for _ in range(BASE.trap_copies)]
    if traps < 4:
        orders = list(permutations(cards, traps))
        assert Fraction(sum(len(set(order)) < traps for order in orders), len(orders)) == bust_at_trap(BASE, traps)
    assert abs(float(bust_at_trap(BASE, traps)) - BUST_AT_TRAP[traps]) < 5e-7


def assert_near(hits: np.ndarray, chance: Fraction) -> None:
    """The share of hits is this chance, within some standard errors."""
    errors = float((hits.mean() - chance) / sqrt(chance * (1 - chance) / len(hits)))
    assert abs(errors) < STANDARD_ERRORS, f"{hits.mean()} is {errors:+.2f} standard errors from {float(chance)}"


def first_expeditions(edition: Edition, seed: int) -> Iterator[tuple[Batch, np.ndarray]]:
    """Play the first expedition of many games with one player; yield before each decision, to write the actions."""
    batch = Batch(PLAYED, 1, replace(edition, expeditions=1))
    actions = np.zeros((PLAYED, 1), np.int8)
    observations = batch.reset(seed)
    while not batch.over.all():
        yield Observations(observations[:, 0]), actions
        batch.step(actions, observations)
    yield Observations(observations[:, 0]), actions


@every([*PUBLISHED, NO_RELICS])
def test_survival_by_playing(edition):
    own_games = 100_000 * [*PUBLISHED, NO_RELICS].index(edition)
    for obs, actions in first_expeditions(edition, seed=20_000_000 + own_games):
        actions[:] = CONTINUE
        cards = obs["turn"]  # at the end: the last one was the bust
    for k in (2, 3, 4, 6, 10):
        assert_near(cards > k, survival(edition, k))


@every([*PUBLISHED, NO_RELICS])
@pytest.mark.parametrize("traps", BUST_AT_TRAP)
def test_bust_at_the_nth_trap_by_playing(edition, traps):
    left = np.zeros(PLAYED, bool)
    for obs, actions in first_expeditions(edition, seed=30_000_000 + traps * PLAYED):
        leaves = (obs["traps_on_path"].sum(axis=1) >= traps) & (obs["must_decide"] == 1)
        actions[:, 0] = np.where(leaves, LEAVE, CONTINUE)
        left |= leaves
    assert_near(~left, bust_at_trap(edition, traps))


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
