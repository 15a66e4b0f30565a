"""Rulebook: end of the game."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.play import BASE, ODD, PUBLISHED, RELICS_DECIDE, Play, every


@every(PUBLISHED)
def test_the_game_ends_after_the_fifth_expedition(edition):
    play = Play([11] * 5, edition=edition).all_leave(4)
    assert not play.over
    assert play.game["expedition"] == 5
    assert play.all_leave().over


def test_the_game_ends_with_a_bust_in_the_fifth_expedition():
    play = Play([1, 1, 1, 1, "snake", 17, "snake"], players=3).all_leave(4).go_on(2)
    assert play.over
    assert play.chests == [0, 0, 0]


def test_the_edition_says_how_many_expeditions():
    assert Play([6] * 3, edition=ODD).all_leave(3).over


def test_nobody_is_inside_when_the_game_is_over():
    play = Play([11] * 5).all_leave(5)
    assert play.inside == []
    assert (play.game["bag"], play.game["path_gems"]) == (0, 0)


def test_the_score_is_the_chest():
    play = Play([17, 11, 7, 5, 3], players=3).all_leave(5)
    assert play.chests == [5 + 3 + 2 + 1 + 1] * 3


def test_relics_count_with_their_value():
    play = Play([1, 1, 1, 1, "relic", "snake"], players=3).all_leave(4).leave(1).all_leave()
    assert play.chests == [0, 5, 0]


def test_gems_in_the_cave_do_not_count():
    play = Play([1, 1, 1, 1, 17, "snake", "snake"], players=3, reward="win").all_leave(4).leave(2).go_on()
    assert play.chests == [0, 0, 7]
    assert play.rewards == [0, 0, 1]


def test_the_highest_score_wins():
    play = Play([1, 1, 1, 1, 5, "snake"], players=3, reward="win").all_leave(4).leave(0).all_leave()
    assert play.chests == [3, 1, 1]
    assert play.rewards == [1, 0, 0]


def test_tied_players_share_the_victory():
    play = Play([1, 1, 1, 1, 5, "snake"], players=3, reward="win").all_leave(4).leave(0, 2).all_leave()
    assert play.chests == [2, 1, 2]
    assert play.rewards == [0.5, 0, 0.5]


@pytest.mark.parametrize("players", range(1, 9))
def test_all_may_win(players):
    play = Play([1, 1, 1, 1, "snake"], players=players, reward="win").all_leave(5)
    assert play.rewards == pytest.approx([1 / players] * players)


def five_gems_against_a_relic(edition) -> Play:
    """Play a game in which player_0 gets 5 gems, player_1 a relic worth 5 and player_2 nothing."""
    play = Play(["snake", 5, "relic", "snake", 1, 1, 1], players=3, edition=edition, reward="win")
    return play.leave(1, 2).all_leave().leave(1).all_leave().all_leave(3)


def test_without_a_tie_break_a_relic_is_worth_its_gems():
    play = five_gems_against_a_relic(BASE)
    assert play.chests == [5, 5, 0]
    assert play.rewards == [0.5, 0.5, 0]


def test_most_relics_break_a_tie_where_the_edition_says_so():
    play = five_gems_against_a_relic(RELICS_DECIDE)
    assert play.chests == [5, 5, 0]
    assert play.rewards == [0, 1, 0]


def test_relics_break_ties_only():
    play = Play(["snake", 7, "relic", "snake", 1, 1, 1], players=3, edition=RELICS_DECIDE, reward="win")
    play.leave(1, 2).all_leave().leave(1).all_leave(4)
    assert play.chests == [7, 5, 0]
    assert play.rewards == [1, 0, 0]


def test_margin_is_own_score_less_the_mean_of_the_others():
    play = Play([1, 1, 1, 1, 5, "snake"], players=3, reward="margin").all_leave(4).leave(0).all_leave()
    assert play.rewards == [3 - 1, 1 - 2, 1 - 2]


def test_win_and_margin_are_paid_at_the_end_only():
    for reward in ("win", "margin"):
        play = Play([17, "snake"], players=3, reward=reward).leave(0)
        assert play.rewards == [0, 0, 0]


def test_the_second_relic_breaks_a_tie_with_the_first():
    deck = ["relic", "relic", "snake", "relic", "snake", "snake", 3, 7, "snake", 5, "snake"]
    play = Play(deck, players=2, edition=RELICS_DECIDE, reward="win")
    play.go_on().leave(1).leave(0).leave(0).leave(1).leave(1).go_on().leave(0).leave(0).leave(1).all_leave()
    assert play.chests == [5 + 10, 10 + 5]
    assert play.relics == [1, 2]
    assert play.rewards == [0, 1]


def test_one_gem_more_beats_all_five_relics():
    deck = [*["relic"] * 5, "snake", "snake", 17, 11, 7, 1, "snake", "snake", "snake"]
    play = Play(deck, players=2, edition=RELICS_DECIDE, reward="win").go_on(4)
    play.leave(1).leave(0).leave(1).go_on(3).leave(0).all_leave(3)
    assert play.chests == [36, 35]
    assert play.relics == [0, 5]
    assert play.rewards == [1, 0]


def test_one_gem_beats_two_relics_that_are_worth_nothing():
    edition = replace(ODD, name="worthless relics", relics=(0, 0), tie_break="relics")
    play = Play(["relic", "relic", "mud", "mud", 1, "mud"], players=2, edition=edition, reward="win")
    play.go_on().leave(1).leave(0).leave(1).leave(0).all_leave()
    assert (play.chests, play.relics) == ([1, 0], [0, 2])
    assert play.rewards == [1, 0]


def test_a_margin_needs_somebody_to_compare_with():
    with pytest.raises(ValueError, match="reward 'margin' compares a player with the others; one player has none"):
        Play([11], players=1, reward="margin")
    assert Play([3], players=2, reward="margin").rewards == [0, 0]
    assert Play([3], players=1, reward="win").rewards == [0]
