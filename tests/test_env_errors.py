"""What the parallel environment refuses; nothing is played then."""

from __future__ import annotations

import pytest
from side_by_side import as_dicts

from diamant_env import diamant_v0

QUIET = ["snake", "boulder", 11, 5]
ARGUMENTS = [
    ({"mask": "both"}, "unknown mask 'both'; allowed: info, observation, none"),
    ({"reward": "gold"}, "unknown reward 'gold'; rewards: score, win, margin"),
    ({"render_mode": "hologram"}, "unknown render_mode 'hologram'; allowed: None, .*ansi"),
    ({"edition": "diamond"}, "unknown edition 'diamond'; published editions: iello-2016"),
    ({"num_players": 0}, "num_players=0; 1 to 8 players are allowed"),
    ({"num_players": 9}, "num_players=9; 1 to 8 players are allowed"),
    ({"num_players": 3.5}, "num_players=3.5; give a whole number"),
    ({"num_players": 1, "reward": "margin"}, "reward 'margin' compares a player with the others"),
]
ACTIONS = [
    ({"player_0": 0, "player_1": 0}, "no action for player_2, who is inside the cave"),
    ({}, "no action for player_0"),
    ({"player_0": 0, "player_1": 0, "player_2": 0, "player_3": 0}, r"unknown agents \['player_3'\]; the agents are"),
    ({"player_0": 0, "player_1": 0, "player_2": 0, 2: 0}, r"unknown agents \[2\]"),
]


@pytest.fixture
def env():
    env = diamant_v0.parallel_env(num_players=3)
    env.reset(seed=1, options={"deck": QUIET})
    return env


@pytest.mark.parametrize("make", [diamant_v0.parallel_env, diamant_v0.env, diamant_v0.raw_env])
@pytest.mark.parametrize(("arguments", "message"), ARGUMENTS)
def test_arguments(make, arguments, message):
    with pytest.raises(ValueError, match=message):
        make(**arguments)


@pytest.mark.parametrize(("actions", "message"), ACTIONS)
def test_actions(env, actions, message):
    before = as_dicts(env.game[None])
    with pytest.raises(ValueError, match=message):
        env.step(actions)
    assert as_dicts(env.game[None]) == before


@pytest.mark.parametrize("action", [2, -1, 0.5, 1.0, "x", "1", None])
@pytest.mark.parametrize("seat", [0, 2])
def test_values_outside_the_action_space(env, action, seat):
    before = as_dicts(env.game[None])
    with pytest.raises(ValueError, match=rf"action .* of player_{seat}; allowed: 0 \(CONTINUE\) and 1 \(LEAVE\)"):
        env.step({**dict.fromkeys(env.agents, 1), f"player_{seat}": action})
    assert as_dicts(env.game[None]) == before


def test_a_refused_step_leaves_no_trace(env):
    with pytest.raises(ValueError, match="of player_2"):
        env.step({"player_0": 1, "player_1": 1, "player_2": 7})
    env.step({"player_0": 0, "player_1": 0, "player_2": 0})
    assert env.game["inside"][:3].tolist() == [1, 1, 1]
    assert env.game["turn"] == 2


def test_step_before_reset():
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        diamant_v0.parallel_env().step({})


def test_step_after_the_end():
    env = diamant_v0.parallel_env(num_players=3)
    env.reset(options={"deck": [5] * 5})
    for _ in range(5):
        env.step(dict.fromkeys(env.agents, 1))
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        env.step(dict.fromkeys(env.possible_agents, 1))


@pytest.mark.parametrize("seed", [-1, 1.5, "x"])
def test_seeds(env, seed):
    before = as_dicts(env.game[None])
    with pytest.raises(ValueError, match=r"seed=.*; give a whole number of at least 0"):
        env.reset(seed=seed)
    assert as_dicts(env.game[None]) == before


@pytest.mark.parametrize("make", [diamant_v0.env, diamant_v0.raw_env])
def test_aec_refuses_the_same_actions(make):
    env = make(num_players=2)
    env.reset(seed=1)
    env.step(0)
    with pytest.raises(ValueError, match="action 2 of player_1"):
        env.step(2)
