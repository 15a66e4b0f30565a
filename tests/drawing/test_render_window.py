"""Rendering in a window without a screen; errors without pygame or a display."""

import os
import sys

import pytest

from diamant_env import diamant_v0
from diamant_env.gym_env import DiamantEnv

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
pygame = pytest.importorskip("pygame")


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


def test_window_opens_again_after_another_library_quit_pygame(shown):
    first, second = new_env(), new_env()
    pygame.quit()  # as Gymnasium's classic environments do
    for env in (first, second):
        all_act(env, 1)
    assert len(shown) == 4
    pygame.quit()
    pygame.display.init()
    all_act(first, 1)
    assert len(shown) == 5
    pygame.quit()
    first.close()


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
