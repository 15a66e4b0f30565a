"""Convergence of each learning algorithm in a small expedition with a known mixed equilibrium."""

from functools import partial

import numpy as np
import pytest

from diamant_env import Edition, exact
from diamant_env.benchmark import BenchmarkTask, evaluate
from diamant_env.editions import EDITIONS
from diamant_env.exact.lookahead import block_at, look_ahead, mean, memory_of, write_payoffs
from diamant_env.exact.tree import nodes_of, values_with
from train.algorithms import mirror_descent
from train.algorithms.mirror_descent import MirrorDescent
from train.algorithms.regularised_nash import RegularisedNash
from train.benchmarking.algorithms import ALGORITHMS
from train.benchmarking.benchmark_run import BenchmarkRun
from train.benchmarking.config import BenchmarkConfig
from train.runs.training_run import train

PLAYERS = 3
SMALL = Edition("small", (3, 5), ("snake",), trap_copies=2, expeditions=1)
# Reward unit: two gems, for returns of about 1 as in the other tasks.
PPO = {"turns": 16, "minibatch": 512, "reward_scale": 0.5}
CONFIG = BenchmarkConfig(decisions=60_000, rows=96)
PLAIN = {"learning_rate": 2e-3, "average": 0.1}
GEMS = 2.0
MOST = {"ppo": 0.09, "fictitious": 0.65, "mirror-descent": 0.12, "r-nad": 0.08, "psro": 0.2}
"""Bounds on exploitability in gems; maxima over five seeds: 0.042, 0.323, 0.059, 0.037 and 0.098."""


@pytest.fixture
def task(monkeypatch) -> BenchmarkTask:
    monkeypatch.setitem(EDITIONS, "small", SMALL)
    return BenchmarkTask("small", "expedition", PLAYERS, "small/hidden_rivals:1", "score", "four cards")


@pytest.mark.parametrize("name", MOST)
def test_algorithm_approaches_equilibrium(name, task, tmp_path):
    run = BenchmarkRun(task, ALGORITHMS[name], 0, tmp_path, CONFIG)
    agent, _ = partial(run.algorithm.agent, **PPO)(run)
    assert 0 <= evaluate(agent, task).exploitability < MOST[name]


def quantal_response(tree, temperature: float, regularised: bool):
    """Return the policy of the quantal response equilibrium: P(LEAVE) is logistic in the gain of LEAVE.

    With `regularised`, values include the cost temperature × KL(policy, uniform) of later decisions.
    """
    policy, value = np.zeros((2, tree.boxes.size))
    values, memory = values_with(tree, value), memory_of(tree)
    for number in range(tree.sets.size - 1, 0, -1):  # no decision before the first card
        look_ahead(tree.layout, number, values, memory)
        for at in nodes_of.py_func(tree.boxes, number):
            block = block_at(tree.boxes, number, at)
            write_payoffs(tree.layout, block, values, memory)
            low, high = 0.0, 1.0
            for _ in range(12):
                chance = (low + high) / 2
                payoffs = memory.leave[:1].copy(), memory.stay[:1].copy()
                leaving, staying = (mean(each, 0, block.inside - 1, chance) for each in payoffs)
                higher = 1 / (1 + np.exp((staying - leaving) / temperature)) > chance
                low, high = (chance, high) if higher else (low, chance)
            policy[at] = chance
            spread = chance * np.log(2 * chance) + (1 - chance) * np.log(2 * (1 - chance)) if 0 < chance < 1 else 0
            value[at] = chance * leaving + (1 - chance) * staying - regularised * temperature * spread
    return policy


def distances(agent, regularised: bool) -> list[float]:
    """Return the largest differences, where all are inside, from quantal response equilibria of two temperatures."""
    tree = exact.build_tree(exact.start_of_expedition(SMALL, PLAYERS), SMALL, merge_traps=False)
    policy, where = exact.policy_of(agent, tree), tree.boxes.first[1:, PLAYERS]
    expected = [quantal_response(tree, temperature * GEMS, regularised) for temperature in (0.1, 0.01)]
    return [float(np.abs(policy - each)[where].max()) for each in expected]


class ConstantTemperature(MirrorDescent):
    """Mirror descent with a constant temperature in the units of the rewards."""

    def __init__(self, env, config, *args):
        super().__init__(env, config.model_copy(update={"entropy": 0.1, "final_entropy": 0.1}), *args, step_size=5)


def test_mirror_descent_finds_quantal_response_equilibrium(task, tmp_path, monkeypatch):
    """Source: Sokota et al. 2023."""
    monkeypatch.setattr(mirror_descent, "standardised", lambda batch: batch.advantages)
    run = BenchmarkRun(task, ALGORITHMS["ppo"], 0, tmp_path, CONFIG)
    agent = train(run.experiment(**PPO, **PLAIN), tmp_path / "run", ConstantTemperature)
    found, other = distances(agent, regularised=False)
    assert found < 0.1
    assert other > 0.15


def test_fixed_anchor_gives_regularised_equilibrium(task, tmp_path):
    """Source: Perolat et al. 2021. The first anchor is nearly uniform."""
    run = BenchmarkRun(task, ALGORITHMS["ppo"], 0, tmp_path, CONFIG)
    experiment = run.experiment(**PPO, **PLAIN, entropy=0.0)
    agent = train(experiment, tmp_path / "run", partial(RegularisedNash, weight=0.1, replacements=0))
    found, other = distances(agent, regularised=True)
    assert found < 0.07
    assert other > 0.12
