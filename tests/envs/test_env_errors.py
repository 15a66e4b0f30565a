"""Invalid input of the environments: one error with given and allowed values, no game changed."""

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
    (PARALLEL, {"render_mode": "hologram"}, "render_mode 'hologram'.*; allowed: None, .*ansi"),
    (PARALLEL, {"hidden_chests": "yes"}, "hidden_chests='yes'; True, False and None are allowed"),
    (PARALLEL, {"mask": "both"}, "unknown mask 'both'; allowed: info, observation, none"),
    (PARALLEL, {"observation": "bag"}, "None or names of fields are allowed"),
    (PARALLEL, {"observation": ["bag", "gems"]}, "no field 'gems'; did you mean path_gems"),
    *((make, {"num_players": 9}, "num_players=9; a whole number, 1 to 8") for make in (diamant_v0.env, DiamantEnv)),
    (DiamantEnv, {"num_players": 3.5}, "num_players=3.5; a whole number, 1 to 8"),
    (DiamantEnv, {"seat": 4}, "seat=4; None or a whole number, 0 to 3, is allowed"),
    (DiamantEnv, {"opponents": "bug:18"}, r"unknown agent 'bug:18'; did you mean bag"),
    (DiamantEnv, {"opponents": ["random"]}, "1 opponents; give one for all rivals, or one for each of the 3"),
    *(
        (DiamantEnv, {"opponents": wrong}, f"opponents: {wrong} is not an agent; allowed: a string such as 'bag:18'")
        for wrong in (7, None)
    ),
    (DiamantEnv, {"opponents": "heldout"}, r"unknown agent 'heldout'; did you mean held-out\?$"),
    (DiamantEnv, {"opponents": "nobody"}, "unknown agent 'nobody'; agents: .* bag:15, .*; pools: held-out, pool$"),
    *(
        (DiamantEnv, {"opponents": wrong}, r"opponents: .* is called as \(obs(, first)?\)")
        for wrong in (lambda: 0, lambda obs, first: 0, SimpleNamespace(act=lambda obs: 0))
    ),
    *((make, {"reward": "wins"}, r"unknown reward 'wins'; did you mean win\?$") for make in (PARALLEL, DiamantEnv)),
    (PARALLEL, {"reward": None}, "unknown reward None; rewards: score, win, margin or a function$"),
    (PARALLEL, {"reward": lambda done: 0}, r"the reward is called as \(banked, chests, inside, done\)"),
    (DiamantEnv, {"opponents": "none.safetensors"}, r"opponents: no trained policy .*none\.safetensors"),
    (DiamantEnv, {"expeditions": 0}, "expeditions=0; None or a whole number, 1 to 15, is allowed"),
    (DiamantVectorEnv, {"num_envs": 0}, "num_envs=0; a whole number, at least 1, is allowed"),
    (DiamantVectorEnv, {"autoreset_mode": "never"}, "'never'; allowed: AutoresetMode or 'NextStep', 'SameStep'"),
    (PARALLEL, {"max_cycles": 3}, "max_cycles=3; None is allowed: a game ends after its last expedition"),
    (DiamantVectorEnv, {"max_episode_steps": 5}, "max_episode_steps=5; None is allowed: a game ends after its last"),
    (DiamantVectorEnv, {"render_mode": "human"}, "unknown render_mode 'human'; allowed: None, rgb_array, ansi"),
]


@pytest.mark.parametrize(("make", "settings", "message"), SETTINGS)
def test_invalid_settings(make, settings, message):
    with pytest.raises(ValueError, match=message):
        make(**settings)


@pytest.fixture
def env():
    env = PARALLEL(num_players=3)
    env.reset(seed=1)
    return env


def state_of(env) -> list[dict]:
    env = env.unwrapped
    return as_dicts(env.game[None] if hasattr(env, "game") else getattr(env, "batch", env).games)


def refuses(env, call, message: str) -> None:
    """Expect a ValueError, and the same game before and after."""
    before = state_of(env)
    with pytest.raises(ValueError, match=message):
        call()
    assert state_of(env) == before


# Actions.


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ({"player_0": 0, "player_1": 0}, "no action for player_2, who is inside the cave"),
        ({}, "no action for player_0"),
        (
            {"player_0": 0, "player_1": 0, "player_2": 0, "player_3": 0},
            r"unknown agents \['player_3'\]; the agents are",
        ),
        ({"player_0": 0, "player_1": 0, "player_2": 0, 2: 0}, r"unknown agents \[2\]"),
        ({0: 0, 1: 0, 2: 0}, r"unknown agents \[0, 1, 2\]; the agents are \['player_0'"),
    ],
)
def test_missing_or_unknown_agents(env, actions, message):
    refuses(env, lambda: env.step(actions), message)


@pytest.mark.parametrize("action", [2, -1, 1.0, "1", None, np.array([1])])
def test_invalid_action(env, action):
    message = r"action .*; allowed: 0 \(CONTINUE\) and 1 \(LEAVE\)"
    for seat in (0, 2):
        actions = {**dict.fromkeys(env.agents, 1), f"player_{seat}": action}
        refuses(env, lambda actions=actions: env.step(actions), message.replace("*", f"* of player_{seat}", 1))
    single = DiamantEnv()
    single.reset(seed=0)
    refuses(single, lambda: single.step(action), message)


@pytest.mark.parametrize(
    ("make", "row"),
    [
        (lambda: DiamantVectorEnv(3), "game"),
        (lambda: pytest.importorskip("diamant_env.sb3").DiamantVecEnv(1, 3), "row"),
    ],
)
@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 1], r"actions of shape \(2,\) and dtype int64; integers of shape \(3,\) expected"),
        ([0, 1.7, np.nan], "dtype float64; integers"),
        (["0", "1", "0"], "dtype <U1"),
        ([0, 1, 257], r"action 257 of {row} 2; allowed: 0 \(CONTINUE\) and 1 \(LEAVE\)"),
        ([0, -1, 0], "action -1 of {row} 1"),
    ],
)
def test_invalid_action_arrays(make, row, actions, message):
    env = make()
    env.reset()
    refuses(env, lambda: env.step(np.array(actions)), message.replace("{row}", row))


@pytest.mark.parametrize("action", [2, "x", None])
def test_aec_refuses_turn_with_invalid_action(action):
    env = diamant_v0.env(num_players=3)
    env.reset(seed=1)
    env.step(0)
    env.step(0)
    for _ in range(2):
        refuses(env, lambda: env.step(action), r"action .* of player_2; allowed: 0 \(CONTINUE\) and 1 \(LEAVE\)")
        assert env.agent_selection == "player_2"
    env.step(0)
    assert env.unwrapped.game["turn"] == 2


def test_unknown_agent(env):
    aec = diamant_v0.env(num_players=3)
    message = r"unknown agent 'player_9'; the agents are \['player_0', 'player_1', 'player_2'\]"
    for call in (each for one in (env, aec) for each in (one.observation_space, one.action_space)):
        with pytest.raises(ValueError, match=message):
            call("player_9")


# Calls out of order.


def test_calls_before_reset():
    parallel = PARALLEL(render_mode="ansi")
    single, vector = DiamantEnv(render_mode="ansi"), DiamantVectorEnv(2, render_mode="ansi")
    calls = [lambda: parallel.step({}), parallel.render]
    for call in (*calls, lambda: single.step(0), single.render, lambda: vector.step([0, 0]), vector.render):
        with pytest.raises(
            RuntimeError if call in calls else gymnasium.error.ResetNeeded, match=r"call reset\(\) first"
        ):
            call()
    with pytest.raises(gymnasium.error.ResetNeeded, match="the first reset must start all games"):
        vector.reset(options={"reset_mask": np.array([True, False])})


def test_step_after_the_end():
    env = PARALLEL(num_players=3)
    env.reset(seed=1)
    for _ in range(5):
        env.step(dict.fromkeys(env.agents, 1))
    before = state_of(env)
    with pytest.raises(RuntimeError, match=r"the game is over, but .*player_2.* are given: call reset\(\) first"):
        env.step(dict.fromkeys(env.possible_agents, 1))
    for _ in range(2):  # empty actions, as in PettingZoo's API
        assert env.step({}) == ({}, {}, {}, {}, {})
    assert state_of(env) == before
    assert copy.deepcopy(env).step({}) == ({}, {}, {}, {}, {})
    single, many = DiamantEnv(expeditions=1), DiamantVectorEnv(2, expeditions=1, autoreset_mode="Disabled")
    for each, action, message in (
        (single, 1, "no game is being played"),
        (many, [1, 1], r"games \[0, 1\] are over and autoreset is disabled"),
    ):
        each.reset(seed=0)
        assert np.all(each.step(action)[2])
        with pytest.raises(gymnasium.error.ResetNeeded, match=message):
            each.step(action)


# Seeds, masks and states.


@pytest.mark.parametrize("seed", [-1, 1.5, True, 2**64, [1], "a"])
def test_invalid_seeds(env, seed):
    single = DiamantEnv()
    single.reset(seed=0)
    for each in (env, single):
        message = r"seed=.*; None or a whole number, 0 to 2\*\*64 - 1, is allowed$"
        refuses(each, lambda each=each: each.reset(seed=seed), message)
    with pytest.raises(ValueError, match=message):
        pytest.importorskip("diamant_env.sb3").DiamantVecEnv(1).seed(seed)
