"""Scripted agents decide at ties as they promise: against fractions on the states of random games."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from diamant_env import EDITIONS, Batch
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP
from diamant_env.observation import Observations
from diamant_env.opponents import FAMILIES, make
from diamant_env.state import DECIDE

TABLES = [(edition, players) for edition in EDITIONS for players in range(1, 9)]


class State:
    """What a seat inside knows, in whole numbers and fractions, from the record of the game."""

    def __init__(self, game, seat, edition):
        copies = {value: int(game.deck[slot]) for slot, value in enumerate(edition.treasure_slots) if value}
        shared = sum(number * (value // int(game.num_inside)) for value, number in copies.items())
        fatal = sum(int(cards) for cards in game.deck[FIRST_TRAP:FIRST_RELIC][game.on_path == 1])
        cards = int(game.deck.sum())
        self.bust, self.share = Fraction(fatal, cards), Fraction(shared, cards)
        self.bag, self.gems, self.relics = (int(game[name]) for name in ("bag", "path_gems", "path_relic_value"))
        self.haul = self.bag + self.gems + self.relics
        self.inside, self.players = int(game.num_inside), int(game.num_players)
        self.gone = self.players - self.inside
        self.turn, self.traps = int(game.turn), int(game.on_path.sum())
        self.turns_left = edition.expeditions - int(game.expedition) + 1
        rivals = [int(chest) for other, chest in enumerate(game.chest[: self.players]) if other != seat]
        self.lead = int(game.chest[seat]) - max(rivals) if rivals else 0
        self.hidden = edition.hidden_chests


def expected_value(x, weight):
    counted = x.bag + (1 if x.inside == 1 else weight) * (x.gems + x.relics)
    return [(x.bust * counted, x.share)]


def others_stay(x, stay):
    now = later = path = Fraction(0)
    for staying in range(x.inside):
        leaving = x.inside - 1 - staying
        chance = comb(x.inside - 1, staying) * stay**staying * (1 - stay) ** leaving
        now += chance * (Fraction(x.gems, 1 + leaving) + (0 if leaving else x.relics))
        later += chance * x.share * x.inside / (1 + staying)
        path += 0 if leaving else chance
    return [(x.bag + now, (1 - x.bust) * (x.bag + path * now) + later)]


# Pairs of which the first must be at least the second: in one pair, or in each of a list within the list.
SIDES = {
    "cards": lambda x, cards: [(x.turn, cards)],
    "bag": lambda x, gems: [(x.bag, gems)],
    "traps": lambda x, traps: [(x.traps, traps)],
    "bag-or-traps": lambda x, gems, traps: [(x.bag, gems), (x.traps, traps)],
    "ev": expected_value,
    "ev-others-stay": others_stay,
    "solo-grab": lambda x, lying, gems: [(x.gems + x.relics, lying), (x.bag, gems)],
    "catch-up": lambda x, gems, push: [(x.haul, max(gems - push * x.lead / x.turns_left, 1))],
    "follow": lambda x, rivals, gems: [(x.gone, rivals), (x.haul, gems)],
    "oppose": lambda x, gems, more: [(x.haul, gems + more * x.gone)],
}


@pytest.fixture(scope="module")
def states():
    """States of random games of all editions and table sizes, and what a seat inside sees there."""
    random = np.random.default_rng(0)
    tables = TABLES * 8
    names, players = zip(*tables, strict=True)
    batch = Batch(len(tables), np.array(players), list(names))
    observations, states, rows = batch.reset(seed=0), [], []
    for _ in range(11):
        games = batch.games
        for number in np.flatnonzero(games.phase == DECIDE):
            seat = int(random.choice(np.flatnonzero(games[number].inside)))
            states.append(State(games[number], seat, EDITIONS[names[number]]))
            rows.append(observations[number, seat].copy())
        leave = random.random((batch.num_games, batch.seats)) < 0.15
        observations, _, _ = batch.step(np.where(games.inside[:, : batch.seats] == 1, leave, 0), auto_reset=True)
    return states, np.array(rows)


NUMBERS = {
    "cards": "5 5.00000001",
    "bag": "12 9.00000001",
    "traps": "3 1.9999999999",
    "bag-or-traps": "10,3 9.00000001,2.00000001",
    "ev": "0 0.1 0.5 0.75 1 0.3333333333333333 0.33333333333333337",  # less than a third, and more
    "ev-others-stay": "0 0.2 0.25 0.5 0.9 1",
    "solo-grab": "7,13 3.00000001,9.00000001",
    "catch-up": "10,1 16,0.5 8.3,0.1 8.333333333333334,0.3333333333333333",
    "follow": "2,10 1.9999999999,7.00000001",
    "oppose": "6,3 7.6,0.7 7.000000000000001,1",
}


@pytest.mark.parametrize(("family", "numbers"), [(name, one) for name in NUMBERS for one in NUMBERS[name].split()])
def test_agents_compare_without_rounding(family, numbers, states):
    states, rows = states
    shown = np.array([family != "catch-up" or not state.hidden for state in states])
    sides = [SIDES[family](x, *map(Fraction, numbers.split(","))) for x in np.array(states)[shown]]
    expected = [any(left >= right for left, right in pairs) for pairs in sides]
    answer = make(f"{family}:{numbers}").act(Observations(rows[shown]), np.zeros(shown.sum(), bool))
    np.testing.assert_array_equal(answer, expected)


def test_every_family_that_compares_is_held_to_fractions():
    assert set(SIDES) | {"random", "continue", "mixture"} == set(FAMILIES)
