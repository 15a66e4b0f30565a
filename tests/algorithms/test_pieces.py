"""Parts of the algorithms: divergence, population, reservoir and average policy of fictitious self-play."""

import numpy as np
import pytest
import torch

from diamant_env.observation import NUM_FEATURES, Observations
from diamant_env.opponents.inputs import INPUTS, RAW
from diamant_env.opponents.network import NetworkAgent
from diamant_env.sb3 import DiamantVecEnv
from train.algorithms import response_oracles
from train.algorithms.fictitious import Average, Reservoir
from train.algorithms.mirror_descent import divergence
from train.algorithms.response_oracles import Population, distilled
from train.algorithms.stable_baselines import Transformed
from train.runs.config import Config, NetworkConfig, PPOConfig

SMALL = PPOConfig(decisions=6_000, games=8, turns=16, minibatch=128)


def test_divergence_sums_over_both_actions():
    old, new = (
        torch.tensor([[0.2, 0.8], [0.5, 0.5], [0.999, 0.001]]),
        torch.tensor([[0.4, 0.6], [0.9, 0.1], [0.5, 0.5]]),
    )
    expected = (new * torch.log(new / old)).sum(dim=1)
    for action in (0, 1):
        found = divergence(new[:, action].log(), old[:, action].log())
        assert found.numpy() == pytest.approx(expected.numpy(), rel=1e-4)
    extreme = torch.tensor([0.0, -200.0], requires_grad=True)
    divergence(extreme, extreme.flip(0).detach()).sum().backward()
    assert torch.isfinite(extreme.grad).all()


def always(leave: float) -> NetworkAgent:
    """Return a network that leaves with the same probability everywhere."""
    return NetworkAgent([(np.zeros((2, NUM_FEATURES), np.float32), np.float32([0, np.log(leave / (1 - leave))]))])


def test_population_draws_one_policy_per_game():
    population = Population(np.random.default_rng(0))
    population.policies = [always(0.1), always(0.4), always(0.9)]
    seen = Observations(np.ones((6000, NUM_FEATURES), np.float32))
    first = population.act(seen, np.ones(6000, bool))
    shares = [np.mean(np.isclose(first, leave)) for leave in (0.1, 0.4, 0.9)]
    assert shares == pytest.approx([1 / 6, 2 / 6, 3 / 6], abs=0.025)  # four standard errors
    assert np.array_equal(population.act(seen, np.zeros(6000, bool)), first)
    changed = population.act(seen, np.arange(6000) < 3000)
    assert np.array_equal(changed[3000:], first[3000:])
    assert not np.array_equal(changed[:3000], first[:3000])


def test_rewards_of_libraries_are_scaled():
    env = DiamantVecEnv(8, 3, "iello-2016", "score")
    paid = []
    for scale in (1.0, 1 / 16):
        scaled = Transformed(env, INPUTS[RAW], scale)
        scaled.seed(1)
        scaled.reset()
        paid.append(np.stack([scaled.step(np.arange(24) % 3 == turn % 3)[1] for turn in range(6)]))
    assert paid[0].max() > 1
    assert np.array_equal(paid[0] / 16, paid[1])


def test_responses_replace_the_untrained_network(tmp_path, monkeypatch):
    monkeypatch.setattr(response_oracles, "distilled", lambda population, *_: (population, 0))
    points, config = [], Config(ppo=SMALL, network={"hidden": (8,)}, checkpoints=2)

    def save(self, mixture, decisions):
        self.saved = self.due(decisions)
        points.append(list(map(str, mixture.policies)))

    monkeypatch.setattr(response_oracles.Checkpoints, "save", save)
    population, _ = response_oracles.response_oracles(config, tmp_path, rounds=2)
    assert list(map(str, population.policies)) == ["answer 1", "answer 2"]
    assert points == [["answer 1", "answer 2"]]


def test_distilled_network_equals_population_average():
    """Conditional on being inside after some turns, policies that rarely leave are likelier."""
    population = Population(np.random.default_rng(0))
    population.policies = [always(0.05), always(0.5)]
    config = Config(game={"num_players": (3,)}, ppo=SMALL, network={"hidden": (16,), "inputs": RAW}, seed=1)
    torch.manual_seed(0)
    agent, _ = distilled(population, config, 20_000)
    env = DiamantVecEnv(2000, 3)
    env.seed(2)
    seen = env.reset()
    chance = np.where(np.arange(len(seen)) % 3 == 0, 0.05, 0.5).astype(np.float32)  # weights 1/3, 2/3
    leaves = []
    for _ in range(4):
        rows = (seen[:, 0] > 0) & (Observations(seen)["expedition"] == 1)  # no bust so far
        leaves.append(agent.leave_probability(seen[rows]).mean())
        seen, _, _ = env.play(env.draw_decisions(chance))
    often, rarely = 2 / 3 * 0.5**3, 1 / 3 * 0.95**3  # P(policy, still inside)
    assert leaves[0] == pytest.approx(2 / 3 * 0.5 + 1 / 3 * 0.05, abs=0.04)
    assert leaves[3] == pytest.approx((often * 0.5 + rarely * 0.05) / (often + rarely), abs=0.04)


def test_reservoir_is_uniform():
    kept = np.zeros(1000)
    for seed in range(300):
        reservoir = Reservoir(100, 3, np.random.default_rng(seed))
        for first in range(0, 1000, 130):
            numbers = np.arange(first, min(1000, first + 130))
            inputs = np.zeros((len(numbers), 3), np.float32)
            inputs[:, 0] = numbers
            reservoir.add(inputs, np.zeros(len(numbers), np.int8))
        assert reservoir.seen == 1000
        kept[reservoir.inputs[:, 0].astype(int)] += 1
    assert kept.min() > 0  # each with probability 0.1 in 300 reservoirs
    parts = kept.reshape(10, 100).sum(axis=1)
    assert parts.sum() == 300 * 100
    assert (np.abs(parts - 3000) < 250).all()  # four standard errors per decile


def test_average_policy_learns_frequencies():
    torch.manual_seed(0)  # initial weights
    random = np.random.default_rng(0)
    average = Average(NetworkConfig(hidden=(16,), inputs=RAW), random, passes=8)
    observations = np.zeros((4000, NUM_FEATURES), np.float32)
    observations[:, 0] = 1
    observations[2000:, 1] = 1
    leaves = (random.random(4000) < np.where(observations[:, 1] == 1, 0.8, 0.1)).astype(np.int8)
    average.reservoir.add(observations, leaves)
    average.learn(60_000, rate=1e-3)
    found = average.agent.leave_probability(observations[[0, 3999]])
    assert np.abs(found - [leaves[:2000].mean(), leaves[2000:].mean()]).max() < 0.05
