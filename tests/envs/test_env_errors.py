"""What the parallel environment refuses; nothing is played then."""

from __future__ import annotations

import pytest

from diamant_env import diamant_v0
from diamant_env.gym_env import DiamantEnv
from diamant_env.gym_vector import DiamantVectorEnv
from diamant_env.records.recorder import Recorder
from tests.support.side_by_side import as_dicts

AEC = [diamant_v0.env, diamant_v0.raw_env]
QUIET = ["snake", "boulder", 11, 5]
ARGUMENTS = [
    ({"reward": "gold"}, "unknown reward 'gold'; rewards: score, win, margin"),
    ({"render_mode": "hologram"}, "render_mode 'hologram'.*; allowed: None, .*ansi"),
    ({"hidden_chests": "yes"}, "hidden_chests='yes'; True, False and None are allowed"),
    ({"edition": "diamond"}, "unknown edition 'diamond'; published editions: iello-2016"),
    ({"num_players": 0}, "num_players=0; a whole number, 1 to 8, is allowed"),
    ({"num_players": 9}, "num_players=9; a whole number, 1 to 8, is allowed"),
    ({"num_players": 2**70}, "num_players=[0-9]+; a whole number, 1 to 8, is allowed$"),
    ({"num_players": 3.5}, "num_players=3.5; a whole number, 1 to 8, is allowed$"),
    ({"num_players": [4]}, r"num_players=\[4\]; a whole number, 1 to 8, is allowed$"),
    ({"num_players": "4"}, "num_players='4'; a whole number, 1 to 8, is allowed$"),
    ({"num_players": True}, "num_players=True; a whole number, 1 to 8, is allowed$"),
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


@pytest.mark.parametrize("make", [diamant_v0.parallel_env, *AEC, DiamantEnv, DiamantVectorEnv])
@pytest.mark.parametrize(("arguments", "message"), ARGUMENTS)
def test_arguments(make, arguments, message):
    with pytest.raises(ValueError, match=message):
        make(**arguments)


@pytest.mark.parametrize("make", [diamant_v0.parallel_env, *AEC])
def test_an_unknown_mask(make):
    with pytest.raises(ValueError, match="unknown mask 'both'; allowed: info, observation, none"):
        make(mask="both")


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


def test_step_before_reset():
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        diamant_v0.parallel_env().step({})


def test_step_after_the_end():
    env = diamant_v0.parallel_env(num_players=3)
    env.reset(options={"deck": [5] * 5})
    for _ in range(5):
        env.step(dict.fromkeys(env.agents, 1))
    before = as_dicts(env.game[None])
    with pytest.raises(RuntimeError, match=r"the game is over, but .*player_2.* are given: call reset\(\) first"):
        env.step(dict.fromkeys(env.possible_agents, 1))
    for _ in range(2):  # PettingZoo's custom: nobody acts, nobody is told anything
        assert env.step({}) == ({}, {}, {}, {}, {})
    assert as_dicts(env.game[None]) == before
    other = diamant_v0.parallel_env(num_players=3)
    other.restore_state(env.clone_state())
    assert other.step({}) == ({}, {}, {}, {}, {})


def test_a_record_ends_with_the_game():
    env = Recorder(diamant_v0.parallel_env(num_players=3))
    env.reset(seed=1)
    while env.agents:
        env.step(dict.fromkeys(env.agents, 1))
    record = env.record
    assert env.step({}) == ({}, {}, {}, {}, {})
    assert env.record == record


@pytest.mark.parametrize("seed", [-1, 1.5, "x", True, 2**64, [1], [[1], [1, 2]]])
def test_seeds(env, seed):
    before = as_dicts(env.game[None])
    with pytest.raises(ValueError, match=r"seed=.*; None or a whole number, 0 to 2\*\*64 - 1, is allowed$"):
        env.reset(seed=seed)
    assert as_dicts(env.game[None]) == before


@pytest.mark.parametrize("make", AEC)
@pytest.mark.parametrize("action", [2, -1, 0.5, "x", None, [0]])
def test_aec_refuses_an_action_at_once_and_goes_on(make, action):
    env, other = make(num_players=3), make(num_players=3)
    for each in (env, other):
        each.reset(seed=1, options={"deck": QUIET})
    for agent in env.possible_agents:
        with pytest.raises(ValueError, match=rf"action .* of {agent}; allowed: 0 \(CONTINUE\) and 1 \(LEAVE\)"):
            env.step(action)
        assert env.agent_selection == agent
        env.step(0)
        other.step(0)
    assert as_dicts(env.unwrapped.game[None]) == as_dicts(other.unwrapped.game[None])
    assert env.unwrapped.game["turn"] == 2


@pytest.mark.parametrize("make", AEC)
def test_aec_refuses_an_action_after_the_end_and_goes_on(make):
    env = make(num_players=2)
    env.reset(options={"deck": [5] * 5})
    for _ in range(10):
        env.step(1)
    with pytest.raises(ValueError, match="action 1 of player_0, whose game is over; allowed: None"):
        env.step(1)
    env.step(None)
    env.step(None)
    assert env.agents == []


def test_aec_without_a_game():
    env = diamant_v0.raw_env()
    for call in (env.clone_state, lambda: env.step(0)):
        with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
            call()


@pytest.mark.parametrize("make", [diamant_v0.parallel_env, *AEC])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_players": 4}, "a state of 4 players; one of 3 is expected"),
        (
            {"edition": "everdeck"},
            "a state of edition 'everdeck'; one of 'iello-2016' is expected.* in: name,",
        ),
        ({"hidden_chests": True}, "a state of edition 'iello-2016'; .* differ in: hidden_chests$"),
    ],
)
def test_states_of_another_table(make, arguments, message):
    env, other = make(num_players=3), make(**{"num_players": 3, **arguments})
    env.reset(seed=1)
    other.reset(seed=2)
    before = as_dicts(env.unwrapped.game[None])
    with pytest.raises(ValueError, match=message):
        env.restore_state(other.clone_state())
    assert as_dicts(env.unwrapped.game[None]) == before
    assert env.agents == env.possible_agents


@pytest.mark.parametrize("make", [diamant_v0.parallel_env, *AEC])
@pytest.mark.parametrize("junk", [None, 3, "x", (), (1, 2, 3, 4, 5), {}])
def test_junk_is_no_state(make, junk):
    env = make(num_players=3)
    env.reset(seed=1)
    before = as_dicts(env.unwrapped.game[None])
    with pytest.raises(ValueError, match=rf"a {type(junk).__name__} is no state; .* is expected"):
        env.restore_state(junk)
    assert as_dicts(env.unwrapped.game[None]) == before


def test_states_of_the_other_form():
    parallel, aec = diamant_v0.parallel_env(), diamant_v0.env()
    parallel.reset()
    aec.reset()
    for env, other in ((parallel, aec), (aec, parallel)):
        with pytest.raises(ValueError, match="is no state"):
            env.restore_state(other.clone_state())
