"""The table as a picture: what it shows changes with the game. No pixel is prescribed."""

from dataclasses import replace

import numpy as np
import pytest

from diamant_env import Edition
from diamant_env.drawing.cards import NEW
from diamant_env.drawing.narration import Narrator
from tests.support.play import BASE, PUBLISHED, Play

LONG = "a poisoned arrow from a hole in the ceiling"
CROWDED = Edition(
    name="as much as the layout holds",
    treasures=tuple(range(1, 17)) * 2,
    traps=("gas", "explosion", "scorpion", "rockfall", "fire", "mummy", "gem", LONG),
    relics=(5, 7, 8, 10, 12),
    relic_values="printed",
    expeditions=15,
)


def picture_of(deck: list, players: int = 3, **options) -> Play:
    return Play(deck, players, render_mode="rgb_array", **options)


def assert_is_picture(image) -> None:
    assert image.shape == (640, 960, 3)
    assert image.dtype == np.uint8
    assert image.flags.c_contiguous
    assert len(set((image[::2, ::2] @ np.array([1, 256, 65536])).ravel().tolist())) > 100


def lines_of(play: Play) -> tuple[str, str]:
    """The two lines of news in the picture."""
    play.env.render()
    return Narrator(play.env.edition).headlines(play.env._batch.games[0], play.env._pictures.scenes[0])


@pytest.mark.parametrize(("players", "edition"), [(1, CROWDED), (3, PUBLISHED[0]), (8, PUBLISHED[-2])])
def test_a_random_game_of_every_edition_and_at_every_table(players, edition):
    play = Play([], players, edition, render_mode="rgb_array")
    random, before = np.random.default_rng(0), None
    while not play.over:
        image = play.env.render()
        assert_is_picture(image)
        assert before is None or (image != before).any()
        before = image
        play.env.step({agent: int(random.random() < 0.4) for agent in play.env.agents})
    assert_is_picture(play.env.render())


def test_a_picture_is_a_new_array_and_the_same_while_nothing_happens():
    env = picture_of([11]).env
    first, second = env.render(), env.render()
    assert (first == second).all()
    assert (first[120:320] == NEW).all(axis=-1).any(), "the newest card is highlighted"
    first[:] = 0
    assert (env.render() == second).all()


def test_a_path_of_all_cards_fits():
    traps = list(CROWDED.traps)
    deck = [*traps, *CROWDED.treasures[:30], "relic 5", "relic 7", "gas", 5]
    play = picture_of(deck, 8, edition=CROWDED).go_on(len(deck) - 4)
    before, after = play.env.render(), play.go_on().env.render()
    assert (before != after).any()
    assert_is_picture(after)


def test_hidden_chests_do_not_show_what_is_in_them_until_the_game_is_over():
    edition, ends = replace(BASE, hidden_chests=True), [9, 5, 5, 5]
    hidden = [picture_of([first, *ends], edition=edition).all_leave(2) for first in (1, 17)]
    shown = [picture_of([first, *ends]).all_leave(2) for first in (1, 17)]
    for plays, alike in ((hidden, True), (shown, False)):
        one, other = (play.env.render() for play in plays)
        assert plays[0].chests != plays[1].chests
        assert np.array_equal(one, other) == alike
    assert np.array_equal(*(play.all_leave(3).env.render() for play in (hidden[0], shown[0])))


def test_news():
    start = picture_of([11, 9, "snake", "relic"])
    assert lines_of(start) == (
        "A new game of iello-2016: everyone enters the cave.",
        "Expedition 1 begins. Treasure 11: 3 gems into each bag, 2 on the path.",
    )
    assert lines_of(start.go_on()) == (
        "Everyone inside continues.",
        "Treasure 9: 3 gems into each bag, 2 on the path.",
    )
    assert lines_of(start.go_on())[1] == "Trap: snake. A second one would end the expedition."
    assert lines_of(start.go_on())[1] == "Relic: a lone leaver takes all relics on the path."
    leavers = picture_of([11, "relic", 4, 5], 4).leave(0, 3)
    assert lines_of(leavers)[0] == "player_0 and player_3 leave with 3 gems each; player_1 and player_2 continue."
    assert lines_of(leavers.leave(1)) == (
        "player_1 leaves alone with 8 gems, 1 relic included; player_2 continues.",
        "Treasure 4: 4 gems into the bag, none on the path.",
    )
    assert lines_of(picture_of([17, "snake", "boulder", "snake", 1]).leave(0).go_on(2)) == (
        "A second snake! player_1 and player_2 lose 5 gems each. One snake card leaves the game.",
        "Expedition 2 begins. Treasure 1: 0 gems into each bag, 1 on the path.",
    )
    assert lines_of(picture_of([9, 5], 5).all_leave())[0] == (
        "Everyone is back in camp. 5 players leave with 1 gem each."
    )
    play = picture_of([5, 5, 7, 7, 11, 1]).all_leave(4).leave(1)
    assert lines_of(play.all_leave())[1] == "The game is over: player_1 wins with 11 gems."
