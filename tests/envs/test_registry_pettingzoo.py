"""The wrappers of PettingZoo and SuperSuit, and a PettingZoo without a registry."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest
from pettingzoo.utils import aec_to_parallel, parallel_to_aec

from diamant_env import diamant_v0
from diamant_env.observation import NUM_FEATURES

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # importing its tests warns by itself
    from pettingzoo.test import api_test, parallel_api_test

pytestmark = pytest.mark.usefixtures("warnings_are_errors")


def test_an_older_pettingzoo_has_no_registry_and_that_is_fine():
    code = "import pettingzoo; vars(pettingzoo).pop('register', 0); import diamant_env.diamant_v0 as v; v.env().reset()"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_pettingzoos_own_conversions():
    api_test(parallel_to_aec(diamant_v0.parallel_env(num_players=3)), num_cycles=100)
    parallel_api_test(aec_to_parallel(parallel_to_aec(diamant_v0.parallel_env(num_players=3))), num_cycles=100)


@pytest.fixture
def supersuit():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # importing it warns by itself
        return pytest.importorskip("supersuit")


WRAPPERS = {
    "pad_observations": (lambda ss, env: ss.pad_observations_v0(env), (NUM_FEATURES,)),
    "pad_action_space": (lambda ss, env: ss.pad_action_space_v0(env), (NUM_FEATURES,)),
    "flatten": (lambda ss, env: ss.flatten_v0(env), (NUM_FEATURES,)),
    "dtype": (lambda ss, env: ss.dtype_v0(env, np.float64), (NUM_FEATURES,)),
    "frame_stack": (lambda ss, env: ss.frame_stack_v1(env, 3), (NUM_FEATURES * 3,)),
    "agent_indicator": (lambda ss, env: ss.agent_indicator_v0(env), (NUM_FEATURES + 4,)),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_supersuits_wrappers(supersuit, name):
    wrap, shape = WRAPPERS[name]
    env = wrap(supersuit, diamant_v0.parallel_env(num_players=4))
    plain = diamant_v0.parallel_env(num_players=4)
    observations, _ = env.reset(seed=2)
    expected, _ = plain.reset(seed=2)
    random = np.random.default_rng(0)
    while plain.agents:
        for agent in plain.agents:
            assert observations[agent].shape == shape == env.observation_space(agent).shape
            last = observations[agent].ravel()
            if name == "frame_stack":
                last = last[-NUM_FEATURES:]
            assert np.array_equal(last[:NUM_FEATURES], expected[agent])
        actions = {agent: int(random.random() < 0.2) for agent in plain.agents}
        observations, rewards, ends, _, _ = env.step(actions)
        expected, expected_rewards, expected_ends, _, _ = plain.step(actions)
        assert rewards == expected_rewards
        assert ends == expected_ends


def test_whole_games_through_black_death(supersuit):
    """SuperSuit 3.11 ends a game one step later, with `step({})`."""
    plain = diamant_v0.parallel_env(num_players=4)
    env = supersuit.black_death_v3(diamant_v0.parallel_env(num_players=4))
    for seed in range(5):
        env.reset(seed=seed)
        plain.reset(seed=seed)
        random = np.random.default_rng(seed)
        paid = dict.fromkeys(plain.possible_agents, 0.0)
        while env.agents:
            actions = {agent: int(random.random() < 0.2) for agent in env.agents}
            _, rewards, ends, _, _ = env.step(actions)
            paid = {agent: paid[agent] + rewards[agent] for agent in paid}
            if plain.agents:
                _, expected, _, _, _ = plain.step(actions)
                assert rewards == expected
        assert all(ends.values())
        assert list(paid.values()) == plain.game["chest"][:4].tolist()


def test_supersuits_vector_environments(supersuit):
    """Two games of three seats are six rows; a game that ends is followed by the next one in the same step."""
    single = supersuit.pettingzoo_env_to_vec_env_v1(diamant_v0.parallel_env(num_players=3))
    env = supersuit.concat_vec_envs_v1(single, 2, num_cpus=0, base_class="gymnasium")
    observations, _ = env.reset(seed=0)
    assert observations.shape == (6, NUM_FEATURES)
    plain = diamant_v0.parallel_env(num_players=3)
    assert np.array_equal(observations[:3], list(plain.reset(seed=0)[0].values()))
    assert not np.array_equal(observations[:3], observations[3:]), "both games have one seed"
    ends = 0
    for _ in range(80):
        observations, rewards, ended, truncated, _ = env.step(np.zeros(6, np.int64))
        if plain.agents:
            expected, expected_rewards, over, _, _ = plain.step(dict.fromkeys(plain.agents, 0))
            assert rewards[:3].tolist() == list(expected_rewards.values())
            assert ended[:3].tolist() == list(over.values())
            if plain.agents:
                assert np.array_equal(observations[:3], list(expected.values()))
        assert not truncated.any()
        ends += ended.sum()
    assert ends > 0
    assert ends % 3 == 0


def test_stable_baselines3_through_supersuit(supersuit):
    stable_baselines3 = pytest.importorskip("stable_baselines3")
    single = supersuit.pettingzoo_env_to_vec_env_v1(diamant_v0.parallel_env(num_players=3))
    env = supersuit.concat_vec_envs_v1(single, 2, num_cpus=0, base_class="stable_baselines3")
    model = stable_baselines3.PPO("MlpPolicy", env, n_steps=16, batch_size=48, n_epochs=1, device="cpu")
    model.learn(100)
    assert model.num_timesteps >= 100
