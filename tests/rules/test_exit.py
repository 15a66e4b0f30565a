"""Rulebook: exit."""

from __future__ import annotations

import pytest

from tests.support.play import PUBLISHED, Play, every


def test_a_lone_leaver_gathers_all_gems_on_the_path():
    play = Play([11, 7, "snake"], players=4).go_on().leave(1)
    assert play.chests == [0, 2 + 1 + 3 + 3, 0, 0]
    assert play.game["path_gems"] == 0


def test_leavers_share_the_whole_not_card_by_card():
    # 3 and 3 lie there: card by card two leavers would get 1 + 1, of the whole they get 3.
    play = Play([3, 7, "snake"], players=4).go_on().leave(0, 1)
    assert play.chests == [1 + 3, 1 + 3, 0, 0]
    assert play.game["path_gems"] == 0


def test_what_the_leavers_can_not_split_stays_on_the_path():
    play = Play([4, "snake"], players=5).leave(0, 1, 2)
    assert play.chests == [1, 1, 1, 0, 0]
    assert play.game["path_gems"] == 1


def test_what_they_left_waits_for_the_next_leaver():
    play = Play([4, "snake", "boulder"], players=5).leave(0, 1, 2).leave(4)
    assert play.chests == [1, 1, 1, 0, 1]


def test_too_few_gems_for_the_leavers_all_stay():
    play = Play([2, "snake"], players=5).leave(0, 1, 2)
    assert play.chests == [0] * 5
    assert play.game["path_gems"] == 2


@every(PUBLISHED)
@pytest.mark.parametrize("leavers", range(1, 8))
def test_every_number_of_leavers_out_of_eight(edition, leavers):
    play = Play([15, "snake"], players=8, edition=edition).leave(*range(leavers))
    share, rest = divmod(7, leavers)
    assert play.chests == [1 + share] * leavers + [0] * (8 - leavers)
    assert play.game["path_gems"] == rest


def test_leavers_put_their_gems_in_the_chest():
    play = Play([17, 15, "snake"], players=3).go_on().leave(0, 2)
    assert play.chests == [5 + 5 + 1, 0, 5 + 5 + 1]
    assert play.rewards == play.chests


def test_those_who_stay_keep_their_bag_at_risk():
    play = Play([17, "snake", "snake", 1], players=3).leave(0)
    assert play.game["bag"] == 5
    assert play.go_on().chests == [7, 0, 0]


def test_the_chest_is_safe_from_later_traps():
    play = Play([17, "snake", 5, "boulder", "boulder", 1], players=3).leave(0).all_leave().go_on(2)
    assert play.chests == [7, 5, 5]


def test_the_explorer_stands_in_the_camp():
    play = Play(["snake", 5, 7], players=3).go_on().leave(1)
    assert play.inside == [0, 2]
    assert play.game["left_turn"].tolist() == [0, 2, 0, 0, 0, 0, 0, 0]


def test_a_lone_leaver_takes_gems_and_relics():
    play = Play([7, "relic", "snake"], players=4).go_on().leave(3)
    assert play.chests == [0, 0, 0, 1 + 3 + 5]


def test_two_leavers_share_the_gems_and_leave_the_relics():
    play = Play([7, "relic", "snake"], players=4).go_on().leave(1, 3)
    assert play.chests == [0, 1 + 1, 0, 1 + 1]
    assert (play.game["path_gems"], play.game["path_relics"]) == (1, 1)
