"""Fictitious self-play: uniform reservoir sampling and the average policy."""

import numpy as np
import torch

from diamant_env.observation import NUM_FEATURES
from diamant_env.opponents.inputs import RAW
from train.algorithms.fictitious import Average, Reservoir
from train.runs.config import NetworkConfig


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
