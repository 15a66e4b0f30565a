"""Rendering as an RGB array, of which no pixel is prescribed, and in a window without a screen."""

import os
import sys

import numpy as np
import pytest

from diamant_env import Edition, diamant_v0
from diamant_env.drawing.cards import NEW
from diamant_env.gym_env import DiamantEnv
from tests.support.play import BASE, PUBLISHED, Play

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
pytest.importorskip("pygame")
import pygame

from diamant_env.drawing.picture import draw_game
from diamant_env.drawing.pixels import pixels_of

LONG = "a poisoned arrow from a hole in the ceiling"
CROWDED = Edition(
    name="as much as the layout holds",
    treasures=tuple(range(1, 17)) * 2,
    traps=("gas", "explosion", "scorpion", "rockfall", "fire", "mummy", "gem", LONG),
    relics=(5, 7, 8, 10, 12),
    relic_values="printed",
    expeditions=15,
)


def render(play: Play):
    return pixels_of(draw_game(play.position.state, play.edition, play.history))


def assert_is_picture(image) -> None:
    assert image.shape == (640, 960, 3)
    assert image.dtype == np.uint8
    assert image.flags.c_contiguous
    assert len(set((image[::2, ::2] @ np.array([1, 256, 65536])).ravel().tolist())) > 100


@pytest.mark.parametrize(("players", "edition"), [(1, CROWDED), (3, PUBLISHED[0]), (8, PUBLISHED[-2])])
def test_every_turn_gives_a_new_picture(players, edition):
    env = diamant_v0.parallel_env(players, edition, render_mode="rgb_array")
    env.reset(seed=0)
    random, before = np.random.default_rng(0), None
    while env.agents:
        image = env.render()
        assert_is_picture(image)
        assert before is None or (image != before).any()
        before = image
        env.step({agent: int(random.random() < 0.4) for agent in env.agents})
    assert_is_picture(env.render())


def test_picture_is_a_copy_and_deterministic():
    env = diamant_v0.parallel_env(3, render_mode="rgb_array")
    env.reset(seed=0)
    first, second = env.render(), env.render()
    assert (first == second).all()
    assert (first[120:320] == NEW).all(axis=-1).any(), "the newest card is highlighted"
    first[:] = 0
    assert (env.render() == second).all()


def test_longest_path_fits():
    traps = list(CROWDED.traps)
    deck = [*traps, *CROWDED.treasures[:30], "relic 5", "relic 7", "gas", 5]
    play = Play(deck, 8, CROWDED).all_continue(len(deck) - 4)
    before, after = render(play), render(play.all_continue())
    assert (before != after).any()
    assert_is_picture(after)


def test_hidden_chests_are_hidden_until_the_end():
    edition, ends = BASE.replace(hidden_chests=True), [9, 5, 5, 5]
    hidden = [Play([first, *ends], 3, edition).all_leave(2) for first in (1, 17)]
    shown = [Play([first, *ends], 3).all_leave(2) for first in (1, 17)]
    for plays, alike in ((hidden, True), (shown, False)):
        one, other = map(render, plays)
        assert plays[0].chests != plays[1].chests
        assert np.array_equal(one, other) == alike
    assert np.array_equal(*(render(play.all_leave(3)) for play in (hidden[0], shown[0])))


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """Disable the frame rate limit; close all windows afterwards."""
    monkeypatch.setitem(diamant_v0.parallel_env.metadata, "render_fps", 0)
    yield
    pygame.quit()


@pytest.fixture
def shown(monkeypatch):
    flips = []
    monkeypatch.setattr(pygame.display, "flip", lambda: flips.append(pygame.display.get_surface().copy()))
    return flips


def new_env(players: int = 3):
    env = diamant_v0.parallel_env(num_players=players, render_mode="human")
    env.reset(seed=1)
    return env


def all_act(env, action: int) -> None:
    env.step(dict.fromkeys(env.agents, action))


def test_window_shows_every_turn(shown):
    env, picture = new_env(), diamant_v0.parallel_env(num_players=3, render_mode="rgb_array")
    picture.reset(seed=1)
    for turn in range(6):
        assert len(shown) == turn + 1
        assert (pygame.surfarray.array3d(shown[turn]).transpose(1, 0, 2) == picture.render()).all()
        all_act(env, 1)
        all_act(picture, 1)
    assert len(shown) == 6
    assert env.render() is None
    env.close()
    env.close()


def test_game_continues_after_window_is_closed(shown):
    env = new_env()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    while env.agents:
        all_act(env, 1)
    assert env.render() is None
    env.reset(seed=1)
    assert len(shown) == 1
    env.close()
    env.reset(seed=2)  # reopens it
    assert len(shown) == 2
    env.close()


@pytest.mark.parametrize("view", [diamant_v0.parallel_env, DiamantEnv])
def test_missing_display_is_one_error(view, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "x11")
    with pytest.raises(OSError, match="no display"):
        view(render_mode="human")
    env = view(render_mode="rgb_array")
    env.reset(seed=0)
    assert env.render().shape == (640, 960, 3)


@pytest.mark.parametrize("mode", ["human", "rgb_array"])
def test_missing_pygame_names_the_extra(mode, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("diamant_env.drawing.")]:
        monkeypatch.delitem(sys.modules, name)
        monkeypatch.delattr(name, raising=False)
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r'pip install "diamant-env\[render\]"'):  # noqa: PT012 - at the first picture
        env = diamant_v0.parallel_env(render_mode=mode)
        env.reset()
        env.render()
    for harmless in (None, "ansi", "rgb_array"):  # make_vec_env of stable-baselines3 always gives the last
        diamant_v0.parallel_env(render_mode=harmless).reset()
