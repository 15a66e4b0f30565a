"""Rulebook: advance into the cave, trap card."""

from __future__ import annotations

import pytest

from diamant_env.editions import FIRST_TRAP, NO_CARD
from tests.support.play import BOTH_REMOVED, NOTHING_REMOVED, PUBLISHED, Play, every


def test_the_first_trap_of_a_kind_does_nothing():
    play = Play([17, "snake"], players=3).go_on()
    assert (play.game["bag"], play.game["path_gems"], play.inside) == (5, 2, [0, 1, 2])
    assert play.game["bust_card"] == NO_CARD


def test_the_example_of_two_snakes():
    play = Play(["snake", 15, "snake", "boulder"], players=3).go_on(2)
    assert play.chests == [0, 0, 0]
    assert (play.game["expedition"], play.game["turn"], play.game["bag"]) == (2, 1, 0)


@every(PUBLISHED)
def test_every_kind_of_trap_ends_the_expedition_the_second_time(edition):
    for kind, trap in enumerate(edition.traps):
        play = Play([trap, 11, trap, 5], edition=edition).go_on(2)
        assert play.game["expedition"] == 2
        assert play.game["bust_card"] == FIRST_TRAP + kind


@every(PUBLISHED)
def test_all_kinds_of_trap_together_are_harmless(edition):
    play = Play([*edition.traps, 17], edition=edition).go_on(len(edition.traps))
    assert play.game["expedition"] == 1
    assert sum(play.game["on_path"]) == len(edition.traps)


def test_all_inside_lose_their_bags():
    play = Play([17, "snake", "snake", 1], players=3).go_on(2)
    assert play.chests == [0, 0, 0]
    assert play.rewards == [0, 0, 0]
    assert play.game["bag"] == 0


def test_who_left_before_keeps_the_chest():
    play = Play([17, "snake", "snake", 1], players=3).leave(1).go_on()
    assert play.chests == [0, 5 + 2, 0]


def test_who_leaves_just_before_the_second_trap_keeps_bag_and_share():
    play = Play([17, "snake", "snake", 1], players=3).go_on().leave(0, 2)
    assert play.chests == [5 + 1, 0, 5 + 1]
    assert play.game["expedition"] == 2


def test_a_trap_of_another_expedition_does_not_count():
    play = Play(["snake", "snake", 5]).all_leave()
    assert (play.game["expedition"], play.game["turn"]) == (2, 1)
    assert play.go_on().game["expedition"] == 2


def test_one_of_the_two_identical_cards_leaves_the_game():
    deck = Play(["snake", "boulder", "snake", 5]).go_on(2).deck
    assert (deck["snake"], deck["boulder"]) == (2, 3)


def test_two_busts_with_the_same_trap_leave_one_card_of_it():
    play = Play(["snake", "snake", "snake", "snake", 5]).go_on(2)
    assert play.game["expedition"] == 3
    assert play.deck["snake"] == 1


def test_the_last_card_of_a_kind_can_not_end_an_expedition():
    play = Play(["snake"] * 5 + [5]).go_on(3)
    assert (play.game["expedition"], play.game["turn"]) == (3, 2)
    assert play.game["on_path"].sum() == 1
    assert "snake" not in play.deck


def test_a_trap_that_did_not_end_the_expedition_stays_in_the_game():
    play = Play(["snake", 5]).all_leave()
    assert play.deck["snake"] == 3


@pytest.mark.parametrize(("edition", "left"), [(NOTHING_REMOVED, 3), (BOTH_REMOVED, 1)], ids=["none", "both"])
def test_how_many_cards_leave_is_said_by_the_edition(edition, left):
    assert Play(["snake", "snake", 5], edition=edition).go_on().deck["snake"] == left


def test_the_expedition_ends_at_once_without_a_decision():
    play = Play(["snake", "snake", "boulder"], players=4).leave(0, 1, 2)
    assert play.inside == [0, 1, 2, 3]
    assert play.game["turn"] == 1


def test_the_removed_trap_of_the_last_expedition_is_removed_all_the_same():
    play = Play([5, 5, 5, 5, "snake", "snake"]).all_leave(4).go_on()
    assert play.over
    assert play.deck["snake"] == 2
