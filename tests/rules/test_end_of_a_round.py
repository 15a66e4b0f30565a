"""Rulebook: end of a round."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.play import LATE_RELICS, ODD, PRINTED, PUBLISHED, Play, every


def test_the_expedition_ends_when_all_have_returned():
    play = Play(["snake", "boulder", 5], players=3).leave(0).leave(1, 2)
    assert (play.game["expedition"], play.game["turn"]) == (2, 1)


def test_the_expedition_ends_when_a_trap_comes_up_twice():
    play = Play(["snake", "snake", 5]).go_on()
    assert (play.game["expedition"], play.game["turn"]) == (2, 1)


def test_it_goes_on_while_one_is_inside():
    play = Play(["snake", "boulder"]).leave(0, 1, 2)
    assert (play.game["expedition"], play.inside) == (1, [3])


def test_all_players_enter_the_next_expedition():
    play = Play(["snake", 5, 7], players=5).leave(0, 1).all_leave()
    assert play.inside == [0, 1, 2, 3, 4]
    assert play.game["left_turn"].sum() == 0


def test_gems_on_the_path_return_to_the_reserve_when_all_have_left():
    # The last two can't split the 1 that lies there; in the next expedition it is nobody's.
    play = Play([7, "snake"], players=2).all_leave()
    assert play.chests == [3, 3]
    assert play.game["path_gems"] == 0


def test_gems_on_the_path_return_to_the_reserve_at_a_bust():
    play = Play([7, "snake", "snake", "boulder"]).go_on(2)
    assert play.game["path_gems"] == 0


def test_the_bag_is_empty_in_the_next_expedition():
    assert Play([17, "snake"], players=3).all_leave().game["bag"] == 0


def test_revealed_treasures_return_to_the_deck():
    play = Play([5, 7, 11, "snake"]).go_on(2).all_leave()
    assert [play.deck[value] for value in (5, 7, 11)] == [2, 2, 2]


def test_revealed_treasures_return_after_a_bust_too():
    play = Play([17, "snake", "snake", "boulder"]).go_on(2)
    assert play.deck[17] == 1


def test_revealed_traps_return_to_the_deck():
    play = Play(["snake", "boulder", "spider", 5]).go_on(2).all_leave()
    assert [play.deck[trap] for trap in ("snake", "boulder", "spider")] == [3, 3, 3]


def test_no_trap_lies_on_the_path_of_the_next_expedition():
    assert Play(["snake", "boulder", 5]).go_on().all_leave().game["on_path"].sum() == 0


@every(PUBLISHED)
def test_the_deck_shrinks_by_one_with_every_bust(edition):
    trap, other, *_ = edition.traps
    play = Play([trap, trap, other, other, 5], edition=edition)
    whole = play.game["deck_size"] + play.game["turn"]
    late = len(edition.relics) > 0 and edition.relics_enter == "expedition"
    play.go_on()
    assert play.game["deck_size"] + 1 == whole - 1 + late
    play.go_on()
    assert play.game["deck_size"] + 1 == whole - 2 + 2 * late


def test_a_new_expedition_begins_with_a_card():
    play = Play(["snake", 17], players=3).all_leave()
    assert (play.game["turn"], play.game["bag"]) == (1, 5)


@pytest.mark.parametrize(("edition", "size"), [(LATE_RELICS, 31), (PRINTED, 31)], ids=["same", "printed"])
def test_one_relic_makes_the_first_deck_31_cards(edition, size):
    assert Play([5], edition=edition).game["deck_size"] + 1 == size


def test_no_more_relics_enter_than_there_are():
    edition = replace(ODD, name="two late relics", relics_enter="expedition")
    play = Play([1, 1, 1], edition=edition)
    counts = [play.deck.get("relic")]
    for _ in range(2):
        counts.append(play.all_leave().deck.get("relic"))
    assert counts == [1, 2, 2]
