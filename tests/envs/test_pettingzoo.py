"""PettingZoo's conformance tests, with warnings as errors."""

import copy
import os
import warnings
from functools import partial

import pytest
from gymnasium.utils.env_checker import data_equivalence

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

from pettingzoo.utils.conversions import aec_to_parallel

from diamant_env import diamant_v0
from diamant_env.diamant_v0 import MASKS

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

pytestmark = pytest.mark.filterwarnings("error")
# Warnings of PettingZoo about every Dict space.
ABOUT_DICT_SPACES = ("Observation is not a NumPy array", "Observation space for each agent probably should be")


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("players", [1, 3, 8])
def test_table_conforms(players, mask):
    if mask == "observation":
        for message in ABOUT_DICT_SPACES:
            warnings.filterwarnings("ignore", message)
    makers = (diamant_v0.parallel_env, diamant_v0.env, diamant_v0.raw_env)
    parallel, aec, raw = (partial(make, num_players=players, mask=mask) for make in makers)
    parallel_api_test(parallel(), num_cycles=120)
    parallel_seed_test(parallel, num_cycles=40)
    seed_test(aec, num_cycles=40)
    for make in (aec, raw):
        api_test(make(), num_cycles=120)
    if mask != "observation":
        state_test(aec(), parallel(), num_cycles=20)


def test_rendering_conforms():
    pytest.importorskip("pygame")

    def make(render_mode: str):
        known = diamant_v0.parallel_env.metadata["render_modes"]
        return diamant_v0.env(num_players=4, render_mode=render_mode if render_mode in known else None)

    render_test(make)


def test_aec_hides_pending_actions():
    env, shown = diamant_v0.env(num_players=3), []
    for choice in (None, 0, 1):
        env.reset(seed=1)
        if choice is not None:
            env.step(choice)
        public = (env.state(), env.rewards, env._cumulative_rewards, env.infos, env.terminations)
        shown.append(copy.deepcopy((env.observe("player_1"), public)))
    assert data_equivalence(shown[0], shown[1], exact=True)
    assert data_equivalence(shown[0], shown[2], exact=True)


def test_conversion_to_parallel_and_back():
    parallel_api_test(aec_to_parallel(diamant_v0.env(num_players=3)), num_cycles=60)
