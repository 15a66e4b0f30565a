"""Rulebook: players' decision."""

from __future__ import annotations

import numpy as np
import pytest

from diamant_env.rules import DECIDE
from tests.support.play import Play


@pytest.mark.parametrize("card", [11, "snake", "relic"])
def test_players_decide_after_every_card_that_did_not_end_the_expedition(card):
    play = Play([card, 5])
    assert (play.game["phase"], play.game["turn"]) == (DECIDE, 1)
    assert play.leave(0).game["turn"] == 2


def test_every_player_still_in_the_cave_decides():
    play = Play([11, 5], players=3).leave(1)
    with pytest.raises(ValueError, match="no action for player_2"):
        play.env.step({"player_0": 0})


def test_a_player_in_camp_has_nothing_to_decide():
    play = Play([11, 5, "snake"], players=3).leave(1)
    play.env.step({"player_0": 0, "player_1": 1, "player_2": 0})
    assert play.inside == [0, 2]
    assert play.chests == [0, 3 + 2, 0]


def test_players_may_leave_when_there_is_nothing_to_gain():
    assert Play(["snake", 5]).leave(0, 1).inside == [2, 3]


def test_decisions_are_simultaneous():
    # Both who leave get the same; neither is first on the path.
    play = Play([11, "snake"], players=4).leave(3, 0)
    assert play.rewards == [2 + 1, 0, 0, 2 + 1]


def test_nothing_is_shared_when_nobody_leaves():
    with np.errstate(divide="raise"):  # uncompiled, NumPy would share 3 gems among 0 leavers: 0, with a warning
        play = Play([7, "snake", 5]).go_on(2)
    assert play.game["path_gems"] == 3 + 1


def test_continue_lengthens_the_path_by_one_card():
    play = Play([11, "snake", 5]).go_on()
    assert play.game["turn"] == 2
    assert play.go_on().game["turn"] == 3


def test_continue_banks_nothing():
    play = Play([17, 15, 14, 13]).go_on(3)
    assert play.chests == [0] * 4


def test_who_left_is_out_until_the_next_expedition():
    play = Play(["snake", "boulder", 11, 5], players=3).leave(2)
    assert play.inside == [0, 1]
    assert play.go_on().inside == [0, 1]
    assert play.all_leave().inside == [0, 1, 2]


def test_what_was_decided_is_seen_afterwards():
    play = Play(["snake", "boulder", 11], players=3).leave(2)
    assert play.game["decision"].tolist() == [0, 0, 1, -1, -1, -1, -1, -1]
    assert play.leave(0).game["decision"].tolist() == [1, 0, -1, -1, -1, -1, -1, -1]
