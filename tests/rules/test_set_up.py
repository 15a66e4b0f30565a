"""Rulebook: game elements, set up."""

from __future__ import annotations

import numpy as np
import pytest

from diamant_env import Batch
from diamant_env.editions import FIRST_RELIC
from diamant_env.rules import DECIDE, NO_DECISION
from tests.support.play import BASE, LATE_RELICS, PRINTED, PUBLISHED, Play, deck_of, every

A = (1, 2, 3, 4, 5, 5, 7, 7, 9, 11, 11, 13, 14, 15, 17)
B = (1, 2, 3, 4, 5, 5, 7, 7, 8, 11, 11, 13, 14, 15, 17)
TACORA = ("spider", "snake", "lava pit", "boulder", "battering ram")
CARDS = {
    "iello-2016": 35,
    "iello-2016-fr": 30,
    "iello-2016-fr-relics": 31,
    "everdeck": 35,
    "everdeck-relics": 31,
    "schmidt-2005": 30,
    "incan-gold": 31,
}
TREASURES = dict.fromkeys(CARDS, A) | {"everdeck": B, "everdeck-relics": B}
TRAPS = dict.fromkeys(CARDS, TACORA) | {
    "schmidt-2005": ("snake", "scorpion", "rockfall", "gas", "explosion"),
    "incan-gold": ("fire", "mummy", "rockfall", "snake", "spider"),
}
RELICS = dict.fromkeys(CARDS, (5, 5, 5, 10, 10)) | {
    "iello-2016-fr": (),
    "iello-2016-fr-relics": (5, 7, 8, 10, 12),
    "schmidt-2005": (),
}


@every(PUBLISHED)
def test_number_of_cards_at_the_start(edition):
    assert Batch(1, 4, edition).reset().shape[0] == 1
    assert Play([11], edition=edition).game["deck_size"] + 1 == CARDS[edition.name]


@every(PUBLISHED)
def test_treasure_cards(edition):
    assert edition.treasures == TREASURES[edition.name]


def test_treasures_of_the_base_edition_sum_to_124():
    assert sum(BASE.treasures) == 124


@every(PUBLISHED)
def test_there_are_three_cards_of_each_trap(edition):
    deck = Play([11], edition=edition).deck
    assert {trap: deck[trap] for trap in edition.traps} == dict.fromkeys(TRAPS[edition.name], 3)


@every(PUBLISHED)
def test_relic_cards(edition):
    assert edition.relics == RELICS[edition.name]


def test_all_five_relics_are_in_the_deck_from_the_start():
    assert Play([11]).deck["relic"] == 5


def test_one_relic_is_in_the_deck_where_one_enters_per_expedition():
    assert Play([11], edition=LATE_RELICS).deck["relic"] == 1


def test_the_lowest_relic_is_in_the_deck_where_values_are_printed():
    assert {card for card in Play([11], edition=PRINTED).deck if str(card).startswith("relic")} == {"relic 5"}


@every(PUBLISHED)
def test_all_cards_are_in_one_deck(edition):
    deck = Play([11], edition=edition).deck
    expected = {value: edition.treasures.count(value) for value in edition.treasures}
    expected[11] -= 1  # it lies on the path
    relics_at_once = len(edition.relics) if edition.relics_enter == "start" else min(1, len(edition.relics))
    assert {card: deck[card] for card in expected} == expected
    assert sum(deck.values()) == sum(expected.values()) + 3 * len(edition.traps) + relics_at_once


@pytest.mark.parametrize("players", range(1, 9))
def test_every_player_has_an_empty_chest_and_an_explorer(players):
    play = Play(["snake"], players=players)
    assert play.chests == [0] * players
    assert play.relics == [0] * players
    assert play.inside == list(range(players))


def test_nobody_else_sits_at_the_table():
    game = Play(["snake"], players=3).game
    assert game["inside"].tolist() == [1, 1, 1, 0, 0, 0, 0, 0]


def test_the_first_card_is_turned_up_before_anyone_decides():
    game = Play([11]).game
    assert (game["turn"], game["phase"], game["expedition"]) == (1, DECIDE, 1)


@pytest.mark.parametrize("players", [3, 4, 5, 6, 7, 8])
def test_three_to_eight_players(players):
    assert Batch(2, players).reset().shape[:2] == (2, players)


@pytest.mark.parametrize("players", [1, 2])
def test_one_and_two_players_are_allowed_for_research(players):
    play = Play([7, 5], players=players).all_leave()
    assert play.chests == [7 // players] * players


def test_no_edition_loses_a_card_between_games():
    play = Play([11, "snake", "snake", 5])
    play.go_on(2)
    play.env.reset(seed=0, options={"deck": [11]})
    assert play.game["deck_size"] == 34
    assert deck_of(play.game, BASE)["snake"] == 3


@pytest.mark.parametrize("how", ["reset", "auto_reset"])
def test_the_next_game_starts_with_empty_chests(how):
    batch = Batch(1, 2)
    batch.reset(1)
    games = batch.games.copy()
    games.deck[0, FIRST_RELIC] = 1
    games.deck_size[0] -= 4
    games.relics[0, :2] = (3, 1)
    games.relics_taken[0] = 4
    games.expedition[0] = 5
    games.chest[0, :2] = (30, 7)
    batch.restore(games)
    if how == "reset":
        batch.reset(2)
    else:
        while not batch.step(np.ones((1, 2), np.int8), auto_reset=True)[2].all():
            assert batch.games.chest[0, 0] >= 30
    assert batch.games.expedition.tolist() == [1]
    assert not batch.games.chest.any()
    assert not batch.games.relics.any()
    assert not batch.games.relics_taken.any()
    assert (batch.games.decision == NO_DECISION).all()
    assert not batch.games.banked.any()
