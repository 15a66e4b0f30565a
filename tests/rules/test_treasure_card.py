"""Rulebook: advance into the cave, treasure card."""

from __future__ import annotations

import pytest

from tests.support.play import PUBLISHED, Play, every


@pytest.mark.parametrize(
    ("card", "players", "share", "rest"),
    [(9, 5, 1, 4), (11, 5, 2, 1), (17, 3, 5, 2)],
)
def test_examples_of_the_texts(card, players, share, rest):
    play = Play([card], players=players)
    assert (play.game["bag"], play.game["path_gems"]) == (share, rest)


@every(PUBLISHED)
@pytest.mark.parametrize("players", range(1, 9))
def test_gems_are_shared_equally_and_the_rest_stays_on_the_path(edition, players):
    for card in set(edition.treasures):
        game = Play([card], players=players, edition=edition).game
        assert game["bag"] == card // players
        assert game["path_gems"] == card - players * (card // players)


def test_only_players_still_in_the_cave_share():
    play = Play([5, 7], players=5).leave(0, 1, 2)
    assert play.game["bag"] == 1 + 7 // 2
    assert play.game["path_gems"] == 7 % 2


def test_a_lone_explorer_takes_all():
    play = Play(["snake", 17], players=4).leave(0, 1, 3)
    assert (play.game["bag"], play.game["path_gems"]) == (17, 0)


def test_fewer_gems_than_players_all_stay_on_the_path():
    game = Play([5], players=8).game
    assert (game["bag"], game["path_gems"]) == (0, 5)


def test_the_rest_is_not_shared_again_with_the_next_card():
    # 4 stay and 4 stay: together they would make one for each.
    game = Play([4, 14], players=5).go_on().game
    assert (game["bag"], game["path_gems"]) == (2, 8)


def test_bags_grow_card_by_card():
    game = Play([5, 7, 11], players=3).go_on(2).game
    assert game["bag"] == 1 + 2 + 3
    assert game["path_gems"] == 2 + 1 + 2


def test_gems_in_the_bag_are_not_in_the_chest():
    play = Play([17, 15]).go_on()
    assert play.chests == [0, 0, 0, 0]
    assert play.rewards == [0, 0, 0, 0]


def test_everyone_in_the_cave_holds_the_same_bag():
    play = Play([11, 7, 13], players=4).leave(2).leave(0)
    assert play.chests == [2 + 2 + 1, 0, 2 + 3, 0]
    assert (play.game["bag"], play.game["path_gems"]) == (2 + 2 + 6, 1)


def test_a_treasure_card_leaves_the_deck_until_the_expedition_ends():
    play = Play([5, 5], players=3)
    assert play.deck[5] == 1
    assert 5 not in play.go_on().deck
