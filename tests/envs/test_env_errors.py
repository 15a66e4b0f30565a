"""Invalid input of the environments: an error that names the argument, no game changed."""

import copy
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest

from diamant_env import diamant_v0
from diamant_env.gym_env import DiamantEnv
from diamant_env.gym_vector import DiamantVectorEnv
from tests.support.side_by_side import as_dicts

PARALLEL = diamant_v0.parallel_env
SETTINGS = [
    (PARALLEL, "render_mode", "hologram"),
    (PARALLEL, "edition", "iello-2016/hidden_chests:2"),
    (PARALLEL, "mask", "both"),
    *((PARALLEL, "observation", wrong) for wrong in ("bag", ["bag", "gems"])),
    *((PARALLEL, "reward", wrong) for wrong in ("wins", None, lambda done: 0)),
    *((make, "num_players", wrong) for make in (diamant_v0.env, DiamantEnv) for wrong in (0, 9, 3.5)),
    (DiamantEnv, "seat", 4),
    *((DiamantEnv, "opponents", wrong) for wrong in ("bug:18", "heldout", "none.safetensors", ["random"] * 2, 7, None)),
    *((DiamantEnv, "opponents", wrong) for wrong in (lambda: 0, SimpleNamespace(act=lambda obs: 0))),
    (DiamantVectorEnv, "num_envs", 0),
    (DiamantVectorEnv, "autoreset_mode", "never"),
    (DiamantVectorEnv, "render_mode", "human"),
]


@pytest.mark.parametrize(("make", "name", "value"), SETTINGS)
def test_invalid_settings(make, name, value):
    named = {"observation": "observation|field", "autoreset_mode": "(?i)autoreset_?mode"}
    with pytest.raises(ValueError, match=named.get(name, name)):
        make(**{name: value})


@pytest.fixture
def env():
    env = PARALLEL(num_players=3)
    env.reset(seed=1)
    return env


def state_of(env) -> list[dict]:
    env = env.unwrapped
    return as_dicts(env.game[None] if hasattr(env, "game") else getattr(env, "batch", env).games)


def refuses(env, call, key: str) -> None:
    """Expect a ValueError that names the argument, and the same game before and after."""
    before = state_of(env)
    with pytest.raises(ValueError, match=key):
        call()
    assert state_of(env) == before


@pytest.mark.parametrize(
    ("actions", "key"),
    [
        ({"player_0": 0, "player_1": 0}, "no action for player_2"),
        ({"player_0": 0, "player_1": 0, "player_2": 0, "player_3": 0}, r"unknown agents \['player_3'\]"),
    ],
)
def test_missing_or_unknown_agents(env, actions, key):
    refuses(env, lambda: env.step(actions), key)


@pytest.mark.parametrize("action", [2, -1, 1.0, "1", None, np.array([1])])
def test_invalid_action(env, action):
    refuses(env, lambda: env.step({**dict.fromkeys(env.agents, 1), "player_1": action}), "actions|array")
    single, aec = DiamantEnv(), diamant_v0.env(num_players=3)
    single.reset(seed=0)
    refuses(single, lambda: single.step(action), "actions")
    aec.reset(seed=1)
    aec.step(0)
    aec.step(0)
    refuses(aec, lambda: aec.step(action), "actions|array")


@pytest.mark.parametrize(
    "make", [lambda: DiamantVectorEnv(3), lambda: pytest.importorskip("diamant_env.sb3").DiamantVecEnv(1, 3)]
)
@pytest.mark.parametrize("actions", [[0, 1], [0, 1.7, np.nan], ["0", "1", "0"], [0, 1, 257], [0, -1, 0]])
def test_invalid_action_arrays(make, actions):
    env = make()
    env.reset()
    refuses(env, lambda: env.step(np.array(actions)), "action")


def test_calls_before_reset():
    parallel = PARALLEL(render_mode="ansi")
    single, vector = DiamantEnv(render_mode="ansi"), DiamantVectorEnv(2, render_mode="ansi")
    for call in (lambda: parallel.step({}), parallel.render):
        with pytest.raises(RuntimeError):
            call()
    for call in (lambda: single.step(0), single.render, lambda: vector.step([0, 0]), vector.render):
        with pytest.raises(gymnasium.error.ResetNeeded):
            call()
    with pytest.raises(gymnasium.error.ResetNeeded):
        vector.reset(options={"reset_mask": np.array([True, False])})


def test_step_after_the_end():
    env = PARALLEL(num_players=3)
    env.reset(seed=1)
    for _ in range(5):
        env.step(dict.fromkeys(env.agents, 1))
    before = state_of(env)
    with pytest.raises(RuntimeError):
        env.step(dict.fromkeys(env.possible_agents, 1))
    for _ in range(2):  # empty actions, as in PettingZoo's API
        assert env.step({}) == ({}, {}, {}, {}, {})
    assert state_of(env) == before
    assert copy.deepcopy(env).step({}) == ({}, {}, {}, {}, {})
    one = "iello-2016/expeditions:1"
    single, many = DiamantEnv(edition=one), DiamantVectorEnv(2, edition=one, autoreset_mode="Disabled")
    for each, action in ((single, 1), (many, [1, 1])):
        each.reset(seed=0)
        assert np.all(each.step(action)[2])
        with pytest.raises(gymnasium.error.ResetNeeded):
            each.step(action)


@pytest.mark.parametrize("seed", [-1, 1.5, True, 2**64, [1], "a"])
def test_invalid_seeds(env, seed):
    single = DiamantEnv()
    single.reset(seed=0)
    for each in (env, single):
        refuses(each, lambda each=each: each.reset(seed=seed), "seed=")


def test_no_seat_for_the_learner():
    sb3 = pytest.importorskip("diamant_env.sb3")
    with pytest.raises(ValueError, match="no seat is left for the learner"):
        sb3.DiamantVecEnv(1, 3, opponents=["continue"], seating=np.zeros((1, 3), int))
