"""PettingZoo's own conformance tests, with every warning an error, and whole games from a seed."""

from __future__ import annotations

import os
import pickle
import warnings
from functools import partial

import numpy as np
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # importing its tests warns by itself
    from pettingzoo.test import (
        api_test,
        parallel_api_test,
        parallel_seed_test,
        render_test,
        seed_test,
    )
    from pettingzoo.test.state_test import state_test

from diamant_env import EDITIONS, diamant_v0
from diamant_env.diamant_v0 import MASKS

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

pytestmark = pytest.mark.usefixtures("warnings_are_errors")
# What PettingZoo says about every environment with a Dict space, its own chess included.
ABOUT_DICT_SPACES = ("Observation is not a NumPy array", "Observation space for each agent probably should be")


def conform(num_cycles: int, **options) -> None:
    """Let PettingZoo test both forms of the environment."""
    parallel, aec = (partial(make, **options) for make in (diamant_v0.parallel_env, diamant_v0.env))
    parallel_api_test(parallel(), num_cycles=num_cycles)
    parallel_seed_test(parallel, num_cycles=num_cycles // 3)
    seed_test(aec, num_cycles=num_cycles // 3)
    for make in (aec, partial(diamant_v0.raw_env, **options)):
        api_test(make(), num_cycles=num_cycles)
    if options.get("mask", "none") != "observation":
        state_test(aec(), parallel(), num_cycles=num_cycles // 6)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("players", [1, 2, 3, 5, 8])
def test_every_table_conforms(players, mask):
    if mask == "observation":
        for message in ABOUT_DICT_SPACES:
            warnings.filterwarnings("ignore", message)
    conform(300, num_players=players, mask=mask)


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_edition_conforms(edition):
    conform(100, edition=edition)


@pytest.mark.parametrize("mask", MASKS)
def test_render(mask):
    def make(render_mode: str):
        known = diamant_v0.parallel_env.metadata["render_modes"]
        return diamant_v0.env(num_players=4, mask=mask, render_mode=render_mode if render_mode in known else None)

    render_test(make)


def flat(thing):
    """The same with bytes in place of arrays, so that == compares all of it."""
    if isinstance(thing, dict):
        return {key: flat(value) for key, value in thing.items()}
    if isinstance(thing, tuple):
        return tuple(map(flat, thing))
    return thing.tobytes() if isinstance(thing, np.ndarray) else thing


def test_a_sequence_of_games_from_one_seed():
    def sequence(env):
        env.reset(seed=5)
        keys = []
        for _ in range(4):
            keys.append(int(env.game["key"]))
            env.reset()
        return keys

    first = sequence(diamant_v0.parallel_env(num_players=3))
    assert sequence(diamant_v0.parallel_env(num_players=3)) == first
    assert len(set(first)) == 4


def test_parallel_and_aec_play_the_same_game():
    parallel, aec = diamant_v0.parallel_env(num_players=4), diamant_v0.env(num_players=4)
    observations, _ = parallel.reset(seed=8)
    aec.reset(seed=8)
    totals = dict.fromkeys(parallel.agents, 0.0)
    rng = np.random.default_rng(8)
    while parallel.agents:
        actions = {agent: int(rng.random() < 0.2) for agent in parallel.agents}
        for agent in parallel.agents:
            assert aec.agent_selection == agent
            seen, _, _, _, info = aec.last()
            assert seen.tobytes() == observations[agent].tobytes()
            assert info["active"] == observations[agent][0]
            aec.step(actions[agent])
        observations, rewards, *_ = parallel.step(actions)
        assert aec.unwrapped.state().tobytes() == parallel.state().tobytes()
        for agent, reward in rewards.items():
            totals[agent] += reward
    assert aec.terminations == dict.fromkeys(aec.agents, True)
    assert list(totals.values()) == parallel.game["chest"][:4].tolist()


def test_aec_hides_what_others_chose_this_turn():
    env = diamant_v0.env(num_players=3)

    def shown_to_player_1(choice: int) -> tuple:
        env.reset(seed=1, options={"deck": ["snake", 11, 5]})
        env.step(choice)
        return flat((env.observe("player_1"), env.last(), env.state(), env.rewards, env.infos, env.terminations))

    env.reset(seed=1, options={"deck": ["snake", 11, 5]})
    before = flat(env.observe("player_1"))
    assert shown_to_player_1(0) == shown_to_player_1(1)
    assert shown_to_player_1(1)[0] == before


def play_on(env, choices: list[int]) -> list:
    """Everything that the agents are shown from here to the end."""
    shown = []
    while env.agents:
        last = env.last()
        told = (env.rewards, env._cumulative_rewards, env.terminations, env.truncations, env.infos)
        shown.append((env.agent_selection, flat(last), flat(told), tuple(env.agents), env.state().tobytes()))
        env.step(None if last[2] else choices[len(shown)])
    return shown


@pytest.mark.parametrize("make", [diamant_v0.env, diamant_v0.raw_env])
@pytest.mark.parametrize("mask", MASKS)
def test_aec_continues_from_a_state_at_any_step(make, mask):
    choices = (np.random.default_rng(3).random(1000) < 0.2).astype(int).tolist()
    env, other = make(num_players=3, mask=mask), make(num_players=3, mask=mask)
    env.reset(seed=6)
    saved = []
    while env.agents:
        saved.append(env.clone_state())
        env.step(None if env.terminations[env.agent_selection] else choices[len(saved)])
    assert len(saved) > 30
    for state in [*saved[:8], *saved[-6:]]:
        env.restore_state(state)
        first = play_on(env, choices)
        other.restore_state(pickle.loads(pickle.dumps(state)))
        assert play_on(other, choices) == first
        env.restore_state(state)
        assert play_on(env, choices) == first


def test_aec_state_may_be_restored_inside_agent_iter():
    env = diamant_v0.env(num_players=2)
    env.reset(seed=1)
    saved, restored = env.clone_state(), False
    for agent in env.agent_iter():
        if agent == "player_1" and not restored:
            env.restore_state(saved)
            restored = True
        else:
            env.step(None if env.terminations[agent] else 1)
    assert restored
    assert str(env) == str(env.env)
