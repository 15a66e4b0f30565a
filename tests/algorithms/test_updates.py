"""Single updates against the equations of the papers."""

import numpy as np
import pytest
import torch

from diamant_env.observation import NUM_FEATURES
from diamant_env.opponents.inputs import RAW
from diamant_env.sb3 import DiamantVecEnv
from train.algorithms.mirror_descent import MirrorDescent
from train.algorithms.regularised_nash import RegularisedNash
from train.league import LeagueLearner
from train.ppo import Samples
from train.runs.config import NetworkConfig, PPOConfig

NETWORK = NetworkConfig(hidden=(16,), inputs=RAW)


def learner_of(kind=LeagueLearner, seed=0, **options):
    torch.set_num_threads(1)
    config = PPOConfig(epochs=150, learning_rate=0.05, minibatch=64)
    return kind(DiamantVecEnv(8, 3, reward="score"), config, NETWORK, seed, **options)


@pytest.mark.parametrize(("step_size", "temperature"), [(0.5, 0.1), (5.0, 0.1), (1.0, 1.0)])
def test_mirror_descent_reaches_closed_form(step_size, temperature):
    """Source: Sokota et al. 2023, closed form of the update with negative entropy, with a uniform magnet.

    Actions have the frequencies of the old policy, so the mean over the batch is the exact expectation.
    """
    old = np.array([[0.7, 0.3], [0.4, 0.6]])
    gains = np.array([[-1.0, 0.5], [2.0, -0.5]])
    states, actions = np.repeat([0, 0, 1, 1], [7, 3, 4, 6]), np.repeat([0, 1, 0, 1], [7, 3, 4, 6])
    advantages = gains[states, actions]
    inputs = np.zeros((2, NUM_FEATURES), np.float32)
    inputs[:, 0], inputs[1, 1] = 1, 1
    log_probs, zeros = np.log(old[states, actions]).astype(np.float32), np.zeros(20, np.float32)
    learner = learner_of(MirrorDescent, step_size=step_size)
    learner.entropy_weight = temperature
    learner.update(Samples(inputs[states], actions, zeros, log_probs, advantages.astype(np.float32), zeros, zeros + 1))
    values = (gains - advantages.mean()) / advantages.std(ddof=1)
    magnet = 0.5 ** (step_size * temperature)
    weights = (old * magnet * np.exp(step_size * values)) ** (1 / (1 + step_size * temperature))
    expected = weights[:, 1] / weights.sum(axis=1)
    assert learner.network().leave_probability(inputs) == pytest.approx(expected, abs=2e-3)


def test_r_nad_transforms_rewards():
    """Source: Perolat et al. 2021: the reward less weight × log(π / anchor) of the player's action."""
    other = learner_of(seed=1)
    other.policy.action_net.weight.data *= 100  # far from uniform
    policy = other.network()
    plain, learner = learner_of(), learner_of(RegularisedNash, weight=0.25, replacements=0)
    anchor = learner.network()
    for each in (plain, learner):
        each.start_from(policy)
        for _ in range(12):
            each.play_turn()
    count = plain.buffer.count
    unchanged, changed = plain.buffer.decisions[:count], learner.buffer.decisions[:count]
    assert np.array_equal(unchanged["actions"], changed["actions"])
    leave = [agent.leave_probability(changed["inputs"]) for agent in (policy, anchor)]
    now, before = (np.where(changed["actions"] == 1, chance, 1 - chance) for chance in leave)
    assert np.ptp(now / before) > 0.1
    assert changed["rewards"] - unchanged["rewards"] == pytest.approx(-0.25 * np.log(now / before), abs=1e-5)


def test_r_nad_has_papers_fixed_point():
    """At π ∝ anchor × exp(Q / weight) transformed rewards of both actions are equal; a new anchor has no penalty."""
    weight, values = 0.25, np.array([0.3, -0.1])
    learner = learner_of(RegularisedNash, weight=weight, replacements=0)
    inputs = np.random.default_rng(0).random((50, NUM_FEATURES), np.float32)
    before = np.exp(learner.evaluate(inputs)[0])
    bias = learner.policy.action_net.bias
    bias.data += bias.new_tensor(values / weight)
    log_probs = learner.evaluate(inputs)[0]
    expected = weight * np.log(before @ np.exp(values / weight))
    for action in (0, 1):
        actions = np.full(50, action)
        transformed = values[action] - learner.cost(inputs, actions, log_probs[:, action])
        assert transformed == pytest.approx(expected, abs=1e-5)
    learner._anchor()
    assert learner.cost(inputs, actions, log_probs[:, 1]) == pytest.approx(0, abs=1e-6)
