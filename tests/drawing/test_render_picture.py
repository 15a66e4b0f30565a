"""Rendering as an RGB array; no pixel is prescribed."""

from dataclasses import replace

import numpy as np
import pytest

from diamant_env import Edition
from diamant_env.drawing.cards import NEW
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


@pytest.mark.parametrize(("players", "edition"), [(1, CROWDED), (3, PUBLISHED[0]), (8, PUBLISHED[-2])])
def test_every_turn_gives_a_new_picture(players, edition):
    play = Play([], players, edition, render_mode="rgb_array")
    random, before = np.random.default_rng(0), None
    while not play.over:
        image = play.env.render()
        assert_is_picture(image)
        assert before is None or (image != before).any()
        before = image
        play.env.step({agent: int(random.random() < 0.4) for agent in play.env.agents})
    assert_is_picture(play.env.render())


def test_picture_is_a_copy_and_deterministic():
    env = picture_of([11]).env
    first, second = env.render(), env.render()
    assert (first == second).all()
    assert (first[120:320] == NEW).all(axis=-1).any(), "the newest card is highlighted"
    first[:] = 0
    assert (env.render() == second).all()


def test_longest_path_fits():
    traps = list(CROWDED.traps)
    deck = [*traps, *CROWDED.treasures[:30], "relic 5", "relic 7", "gas", 5]
    play = picture_of(deck, 8, edition=CROWDED).all_continue(len(deck) - 4)
    before, after = play.env.render(), play.all_continue().env.render()
    assert (before != after).any()
    assert_is_picture(after)


def test_hidden_chests_are_hidden_until_the_end():
    edition, ends = replace(BASE, hidden_chests=True), [9, 5, 5, 5]
    hidden = [picture_of([first, *ends], edition=edition).all_leave(2) for first in (1, 17)]
    shown = [picture_of([first, *ends]).all_leave(2) for first in (1, 17)]
    for plays, alike in ((hidden, True), (shown, False)):
        one, other = (play.env.render() for play in plays)
        assert plays[0].chests != plays[1].chests
        assert np.array_equal(one, other) == alike
    assert np.array_equal(*(play.all_leave(3).env.render() for play in (hidden[0], shown[0])))
