"""Rulebook: advance into the cave, relic card; exit, the value of relics."""

from __future__ import annotations

import pytest

from tests.support.play import LATE_RELICS, ODD, PRINTED, PRINTED_AT_ONCE, PUBLISHED, Play, every

AT_ONCE = [edition for edition in PUBLISHED if edition.relics and edition.relics_enter == "start"]


def relics_in(play: Play) -> dict:
    return {card: copies for card, copies in play.deck.items() if str(card).startswith("relic")}


@every(AT_ONCE)
def test_the_card_stays_on_the_path_and_nothing_happens(edition):
    play = Play(["relic"], edition=edition)
    assert (play.game["path_relics"], play.game["bag"], play.game["path_gems"]) == (1, 0, 0)
    assert play.chests == [0] * 4


@every(AT_ONCE)
def test_it_is_worth_nothing_until_a_player_leaves_with_it(edition):
    play = Play(["relic", 5, "snake"], edition=edition).go_on(2)
    assert play.chests == [0] * 4
    assert play.relics == [0] * 4
    assert play.game["relics_taken"] == 0


@every(AT_ONCE)
def test_a_player_leaving_alone_takes_all_relics(edition):
    play = Play(["relic", "relic", "snake"], edition=edition).go_on().leave(2)
    assert play.relics == [0, 0, 2, 0]
    assert play.chests == [0, 0, sum(edition.relics[:2]), 0]
    assert play.game["path_relics"] == 0
    assert play.game["relics_taken"] == 2


@every(AT_ONCE)
@pytest.mark.parametrize("leavers", [(0, 1), (1, 2, 3), (0, 1, 2, 3)])
def test_several_leaving_together_take_none(edition, leavers):
    play = Play(["relic", "snake", 5], edition=edition).go_on().leave(*leavers)
    assert play.relics == [0] * 4
    assert play.chests == [0] * 4


@every(AT_ONCE)
def test_relics_that_several_left_behind_wait_for_the_next_lone_leaver(edition):
    play = Play(["relic", "snake", "boulder"], edition=edition).leave(0, 1).leave(3)
    assert play.relics == [0, 0, 0, 1]
    assert play.chests == [0, 0, 0, edition.relics[0]]


def test_the_last_explorer_leaves_alone_and_takes_them():
    play = Play(["relic", "snake", 5], players=3).leave(0, 1).leave(2)
    assert play.relics == [0, 0, 1]


def test_the_first_three_are_worth_5_the_following_10():
    play = Play(["relic", 1] * 5, players=2)
    values = []
    for _ in range(5):
        values.append(play.leave(0).rewards[0])
        if len(values) < 5:
            play.leave(1)
    assert values == [5, 5, 5, 10, 10]


def test_a_grab_of_several_is_valued_one_by_one():
    play = Play([*["relic"] * 5, "snake"], players=3).go_on(4).leave(1)
    assert play.rewards == [0, 5 + 5 + 5 + 10 + 10, 0]


def test_a_grab_across_the_third_relic():
    play = Play(["relic", "relic", 1, "relic", "relic", 7], players=2).go_on().leave(0).leave(1)
    play.go_on().leave(0)
    assert play.rewards == [5 + 10, 0]
    assert play.relics == [4, 0]


def test_a_grab_of_three_after_two_were_taken():
    deck = ["relic", "relic", "snake", "relic", "relic", "relic", 1]
    play = Play(deck, players=2).go_on().leave(0).leave(1).go_on(2).leave(0)
    assert play.rewards == [5 + 10 + 10, 0]
    assert play.relics == [5, 0]


def test_the_first_three_are_counted_over_all_players():
    play = Play(["relic", "relic", "relic", "snake", "relic", 1], players=2).go_on(2).leave(0).go_on().leave(1)
    assert play.relics == [3, 1]
    assert play.chests == [15, 10]


def test_lost_relics_do_not_count_among_the_first_three():
    play = Play(["relic", "relic", "relic", "snake", "relic", 7], players=3).go_on(2).all_leave()
    assert play.go_on().leave(0).rewards == [5, 0, 0]


def test_relics_taken_are_safe_until_the_end():
    play = Play(["relic", "snake", "snake", 5]).leave(3).go_on()
    assert play.relics == [0, 0, 0, 1]
    assert play.chests == [0, 0, 0, 5]


def test_relics_on_the_path_do_not_make_an_expedition_end():
    assert Play(["relic"] * 5).go_on(4).game["expedition"] == 1


def test_relics_still_in_the_cave_leave_the_game_when_all_have_left():
    play = Play(["relic", "relic", 5]).go_on().all_leave()
    assert relics_in(play) == {"relic": 3}
    assert (play.game["path_relics"], play.game["path_relic_value"]) == (0, 0)


def test_relics_still_in_the_cave_leave_the_game_at_a_bust():
    play = Play(["relic", "snake", "snake", 5]).go_on(2)
    assert relics_in(play) == {"relic": 4}


def test_taken_relics_never_come_back():
    play = Play(["relic", 1, 5], players=2).leave(0).leave(1)
    assert relics_in(play) == {"relic": 4}


def test_relics_not_turned_up_stay_in_the_deck():
    assert relics_in(Play([5, 5, 7]).all_leave(2)) == {"relic": 5}


def test_one_relic_enters_before_each_expedition():
    play = Play([1, 2, 3, 4, 5], edition=LATE_RELICS)
    counts = [relics_in(play)["relic"]]
    for _ in range(4):
        counts.append(relics_in(play.all_leave())["relic"])
    assert counts == [1, 2, 3, 4, 5]


def test_a_relic_not_drawn_stays_and_a_lost_one_is_not_replaced():
    play = Play(["relic", 1, "relic"], edition=LATE_RELICS).all_leave()
    assert relics_in(play) == {"relic": 1}
    play.all_leave()
    assert relics_in(play) == {"relic": 1}


def test_printed_relics_enter_in_ascending_order():
    play = Play([1, 2, 3, 4, 5], edition=PRINTED)
    for count in range(1, 6):
        assert list(relics_in(play)) == [f"relic {value}" for value in (5, 7, 8, 10, 12)[:count]]
        if count < 5:
            play.all_leave()


def test_printed_relics_keep_their_value_in_whatever_order_they_leave():
    play = Play(["relic 12", "snake", "relic 5", "relic 8", 1], players=3, edition=PRINTED_AT_ONCE)
    assert play.leave(0).rewards == [12, 0, 0]
    assert play.go_on(2).leave(1).rewards == [0, 5 + 8, 0]


def test_a_relic_may_be_worth_nothing():
    play = Play(["relic", "mud", "relic", 1], players=3, edition=ODD).leave(0)
    assert (play.chests[0], play.relics[0]) == (0, 1)
    assert play.go_on().leave(1).rewards == [0, 20, 0]
