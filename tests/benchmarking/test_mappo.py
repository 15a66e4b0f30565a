"""MAPPO of the benchmark, by BenchMARL: many games as one environment, decisions counted, the same policy per seed."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from train.benchmarking import algorithms
from train.benchmarking.algorithms import ALGORITHMS, find_algorithms
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.suite import TASKS
from train.learning.stable_baselines import CountingVecEnv

CONFIG = BenchmarkConfig(decisions=3000, network={"hidden": (8, 6), "activation": "tanh"})


@pytest.fixture
def absent(monkeypatch):
    """As if BenchMARL were not installed."""
    for name in ("train.mappo", "train.benchmarl_games"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "benchmarl", None)
    monkeypatch.setattr(algorithms, "find_spec", lambda name: None)


def library():
    """The modules that need BenchMARL, or a skip."""
    pytest.importorskip("benchmarl")
    from train import benchmarl_games, mappo

    return benchmarl_games, mappo


def test_without_the_library_the_error_says_how_to_install_it(absent, tmp_path):
    with pytest.raises(ValueError, match=r'mappo needs BenchMARL.*: pip install -e "\.\[train\]" "benchmarl>='):
        ALGORITHMS["mappo"].agent(TASKS["full-3-win"], CONFIG, 0, tmp_path)


def test_without_the_library_it_is_left_out_unless_it_is_named(absent):
    for names in ((), ("learned",)):
        assert "ppo" in [each.name for each in find_algorithms(names)]
        assert "mappo" not in [each.name for each in find_algorithms(names)]
    assert [each.name for each in find_algorithms(("mappo",))] == ["mappo"]


@pytest.mark.parametrize("name", ["expedition-2", "full-4-score"])
def test_the_games_are_those_of_the_batch(name):
    games_module, _ = library()
    import torch

    task = TASKS[name]
    ours, theirs = CountingVecEnv(task, 3, 16), games_module.Games(task, 16, 3)
    seen, told = ours.reset(), theirs.reset()
    random = np.random.default_rng(0)
    ended = 0
    for _ in range(60):
        seats = told["player"]
        assert np.array_equal(seats["observation"].reshape(len(seen), -1).numpy(), seen)
        assert np.array_equal(seats["action_mask"].reshape(-1, 2).numpy(), ours.action_masks())
        assert np.array_equal(seats["state"][..., : seen.shape[1]], seats["observation"])
        for seat in range(task.players):
            assert np.array_equal(seats["state"][:, seat, seen.shape[1] :], ours.batch.state())
        actions = (random.random(len(seen)) < 0.3) & ours.action_masks()[:, 1]
        seen, rewards, done = ours.play(actions)
        seats["action"] = torch.from_numpy(actions.reshape(16, -1).astype(np.int64))
        following, told = theirs.step_and_maybe_reset(told)
        assert np.array_equal(following["next", "player", "reward"].reshape(-1).numpy(), rewards)
        assert np.array_equal(following["next", "terminated"][:, 0].numpy(), done.reshape(16, -1)[:, 0])
        ended += done.any()
    assert ended


def test_the_environment_is_what_its_specifications_say():
    games_module, _ = library()
    from torchrl.envs.utils import check_env_specs

    check_env_specs(games_module.Games(TASKS["full-3-margin"], 4, 0))


@pytest.mark.parametrize("name", ["expedition-3", "full-3-win", "full-4-margin"])
def test_a_run_ends_with_the_rollout_that_uses_up_the_budget(name, monkeypatch):
    games_module, mappo = library()
    envs = []

    def counting(*args):
        envs.append(CountingVecEnv(*args))
        return envs[-1]

    monkeypatch.setattr(games_module, "CountingVecEnv", counting)
    network, experiment = learned(mappo, name, monkeypatch)
    assert [weight.shape[1] for weight, _ in network.layers] == [8, 6, 2]
    assert network.activation == "tanh"
    played = max(env.decisions for env in envs)
    assert played == CONFIG.decisions - experiment.callbacks[0].left
    assert CONFIG.decisions <= played < CONFIG.decisions + 2 * mappo.ROWS


def learned(mappo, name, monkeypatch):
    """The network, and BenchMARL's experiment that it comes from."""
    experiments = []
    layers = mappo._layers
    monkeypatch.setattr(mappo, "_layers", lambda experiment: experiments.append(experiment) or layers(experiment))
    return mappo.learn(TASKS[name], CONFIG, 5), experiments[0]


def test_the_policy_is_that_of_the_seed_alone():
    _, mappo = library()
    task = TASKS["expedition-2"]
    first, same, other = (mappo.learn(task, CONFIG, seed).layers for seed in (2**32 - 1, 2**32 - 1, 1))
    assert all(
        np.array_equal(a, b) for one, two in zip(first, same, strict=True) for a, b in zip(one, two, strict=True)
    )
    assert not np.array_equal(first[-1][0], other[-1][0])


def test_the_network_is_the_policy_that_was_trained(monkeypatch):
    games_module, mappo = library()
    import torch

    network, experiment = learned(mappo, "full-3-score", monkeypatch)
    told = games_module.Games(TASKS["full-3-score"], 20, 1).reset()
    with torch.no_grad():
        logits = experiment.group_policies["player"][0](told)["player", "logits"].reshape(-1, 2).numpy()
    seen = told["player", "observation"].reshape(60, -1).numpy()
    assert np.allclose(network.leave_logit(seen), logits[:, 1] - logits[:, 0], atol=1e-5)
