"""The table as text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from diamant_env.drawing.render import render_text
from tests.support.play import BASE, BOTH_REMOVED, NOTHING_REMOVED, Play


def text_of(deck: list, players: int = 3, **options) -> Play:
    return Play(deck, players, render_mode="ansi", **options)


def test_without_a_render_mode_there_is_no_picture():
    assert Play([5]).env.render() is None


def test_the_first_picture():
    lines = text_of([11]).env.render().splitlines()
    assert lines[0] == "Expedition 1 of 5, card 1"
    assert lines[1].split() == ["path", "[11]"]
    assert lines[2].split() == ["lying", "2", "gems,", "0", "relics"]
    assert lines[3].split()[:2] == ["bust", "0.0%"]
    assert [line.split() for line in lines[-3:]] == [
        [f"player_{seat}", "cave", "-", "3", "0", "0"] for seat in range(3)
    ]


def test_the_path_is_in_the_order_of_the_cards():
    picture = text_of(["snake", 17, "relic", "lava pit"]).go_on(3).env.render()
    assert "[SNAKE] - [17] - [RELIC] - [LAVA PIT]" in picture
    assert "2 gems, 1 relic worth 5" in picture


def test_the_chance_of_a_bust():
    assert f"{2 / 34:.1%} with the next card" in text_of(["snake"]).env.render()


def test_what_was_decided():
    lines = text_of([11, "snake", 5]).leave(1).env.render().splitlines()
    assert [line.split() for line in lines[-3:]] == [
        ["player_0", "cave", "continue", "3", "0", "0"],
        ["player_1", "camp", "leave", "+5", "-", "5", "0"],
        ["player_2", "cave", "continue", "3", "0", "0"],
    ]


def test_a_bust_is_news():
    picture = text_of([17, "snake", "boulder", "snake", 1]).leave(0).go_on(2).env.render()
    assert "A second snake! player_1, player_2 flee and lose their bags. One snake card leaves the game." in picture
    assert "Expedition 2 of 5, card 1" in picture


def test_a_bust_of_one():
    picture = text_of([17, "snake", "snake", 1]).leave(0, 2).go_on().env.render()
    assert "player_1 flees and loses the bag." in picture


@pytest.mark.parametrize(("edition", "news"), [(NOTHING_REMOVED, "No snake card leaves"), (BOTH_REMOVED, "Two snake")])
def test_how_many_cards_left_the_game(edition, news):
    assert news in text_of(["snake", "snake", 1], edition=edition).go_on().env.render()


def test_everyone_back_in_camp_is_news():
    picture = text_of(["snake", 17]).all_leave().env.render()
    assert "Everyone is back in camp." in picture
    assert "[17]" in picture
    assert "SNAKE" not in picture


def test_no_news_while_the_expedition_goes_on():
    assert text_of(["snake", 17]).go_on().env.render().startswith("Expedition 1 of 5, card 2")


def test_the_end():
    picture = text_of([11, 5, 5, 5, 5]).all_leave(5).env.render()
    assert "The game is over after 5 expeditions." in picture
    assert "[5]" not in picture
    assert [line.split()[-2] for line in picture.splitlines()[-3:]] == ["7", "7", "7"]


def test_the_end_by_a_bust():
    picture = text_of([5, 5, 5, 5, "snake", "snake"]).all_leave(4).go_on().env.render()
    assert "A second snake!" in picture
    assert "The game is over after 5 expeditions." in picture


def test_a_reset_starts_a_new_picture():
    play = text_of(["snake", 17]).all_leave()
    play.env.reset(options={"deck": ["boulder"]})
    picture = play.env.render()
    assert picture.startswith("Expedition 1 of 5, card 1")
    assert "[BOULDER]" in picture


@pytest.mark.parametrize(("seat", "own"), [(None, ["?", "?"]), (1, ["10", "1"])])
def test_hidden_chests_are_secret_until_the_game_is_over(seat, own):
    play = text_of([11, "relic", 5, 5, 5, 5, 5], edition=replace(BASE, hidden_chests=True)).go_on().leave(1)
    rows = render_text(play.env._batch.games[0], play.env.edition, play.env._scene, seat).splitlines()[-3:]
    assert [row.split()[-2:] for row in rows] == [["?", "?"], own, ["?", "?"]]
    play.all_leave(5)
    assert play.over
    assert "?" not in play.env.render()
