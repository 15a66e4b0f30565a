"""Rollout of decisions against generalised advantage estimation by definition; exploratory actions."""

import numpy as np
import pytest
import torch

from diamant_env import REWARDS
from diamant_env.observation import NUM_FEATURES
from diamant_env.opponents.inputs import RAW
from diamant_env.sb3 import DiamantVecEnv
from train.league import Exploration, LeagueLearner
from train.ppo import NO_OPEN_DECISION, DecisionBuffer, Learner, Samples, standardised
from train.runs.config import NetworkConfig, PPOConfig

GAMMA, LAMBDA = 0.9, 0.7
GAMES_OF_ROWS = np.repeat(np.arange(200), 3)
EVERY_ROW = np.arange(600)


class Recorded(DiamantVecEnv):
    def reset(self):
        self.turns, self.seen = [], super().reset()
        return self.seen

    def play(self, actions):
        seen = self.seen
        result = self.seen, rewards, done = super().play(actions)
        self.turns.append((seen, rewards.copy(), done.copy()))
        return result


def advantage_by_definition(rewards, values):
    """Sum the temporal differences of one chain of decisions; `values` has one entry more than `rewards`."""
    errors = [rewards[k] + GAMMA * values[k + 1] - values[k] for k in range(len(rewards))]
    return [sum((GAMMA * LAMBDA) ** (j - k) * errors[j] for j in range(k, len(errors))) for k in range(len(errors))]


def chains_of_row(turns, row):
    """Split the turns of one row into games: lists of (observation, reward until the next decision)."""
    chains, chain = [], []
    for seen, rewards, done in turns:
        if seen[row, 0]:
            chain.append([seen[row], 0.0])
        chain[-1][1] += float(rewards[row])
        if done[row]:
            chains.append((chain, True))
            chain = []
    return [*chains, (chain, False)] if chain else chains


@pytest.mark.parametrize("reward", REWARDS)
def test_advantages_equal_gae_over_decisions(reward):
    """One long rollout: every complete decision is there once, with its advantage by definition."""
    env = Recorded(6, [3, 4, 5, 3, 4, 8], reward=reward)
    config = PPOConfig(turns=90, gae_lambda=LAMBDA, minibatch=8)
    model = Learner(env, config, NetworkConfig(hidden=(8,), inputs=RAW), 0)
    model.gamma = GAMMA
    samples = model.rollout()
    paid = np.concatenate([rewards for _, rewards, _ in env.turns])
    assert paid.max() > 0
    assert (paid.min() < 0) == (reward == "margin")
    expected, now = [], env.seen
    for row in range(env.num_envs):
        for chain, over in chains_of_row(env.turns, row):
            values = model.evaluate(np.array([seen for seen, _ in chain]))[1].tolist()
            rewards = [reward for _, reward in chain]
            if over:
                values.append(0.0)
            elif now[row, 0]:
                values.append(float(model.evaluate(now[[row]])[1][0]))
            else:  # open decision: bootstrapped by its value
                chain, rewards = chain[:-1], rewards[:-1]
            for (seen, _), advantage, value in zip(
                chain, advantage_by_definition(rewards, values), values, strict=False
            ):
                expected.append((seen.tobytes(), advantage, advantage + value))
    found = zip((seen.tobytes() for seen in samples.inputs), samples.advantages, samples.returns, strict=True)
    assert len(expected) > 500
    assert len(samples.actions) <= model.decisions == model.buffer.count < config.turns * env.num_envs
    for mine, theirs in zip(sorted(found), sorted(expected), strict=True):
        assert mine[0] == theirs[0]
        assert mine[1:] == pytest.approx(theirs[1:], abs=1e-3)


def buffer_of(rows: int) -> DecisionBuffer:
    buffer = DecisionBuffer(4, rows, NUM_FEATURES)
    buffer.start_rollout()
    return buffer


def decide(buffer, rows, actions, rewards, done, values=0):
    """Add decisions of these rows, then the turn's outcome for all rows."""
    seen = np.ones((len(rows), NUM_FEATURES), np.float32)
    buffer.add_decisions(np.array(rows), seen, actions, values, 0)
    buffer.add_outcomes(np.array(rewards, np.float32), np.broadcast_to(np.array(done, bool), len(rewards)))


def finish(buffer, next_value=0.0, deciding=True):
    rows = len(buffer.pending)
    return buffer.finish_rollout(
        np.full(rows, next_value, np.float32), np.broadcast_to(np.array(deciding), rows), gamma=1, gae_lambda=1
    )


def test_open_decision_is_credited_in_next_rollout():
    """A row in camp at the end of a rollout: its last decision waits, and gets the reward that comes later."""
    buffer = buffer_of(3)
    decide(buffer, [0, 1, 2], [0, 1, 0], [3, 0, 5], [False, False, True], values=[0.5, 0.25, 0.5])
    samples = finish(buffer, 0.75, [True, False, True])
    assert samples.actions.tolist() == [0, 0]
    assert samples.returns.tolist() == [3.75, 5.0]
    assert samples.advantages.tolist() == [3.25, 4.5]
    buffer.start_rollout()
    assert buffer.count == 1
    assert buffer.decisions["rows"][0] == 1
    decide(buffer, [0, 2], [0, 0], [0, 1, 0], [True, True, False])
    samples = finish(buffer, 0.75)
    assert (buffer.pending == NO_OPEN_DECISION).all()
    assert samples.returns.tolist() == [1.0, 0.0, 0.75]  # nothing is left of the first rollout
    assert samples.advantages.tolist() == [0.75, 0.0, 0.75]


def explorer(share: float = 1.0, chance: float = 0.25) -> Exploration:
    return Exploration(GAMES_OF_ROWS, share, chance, np.random.SeedSequence(3))


def test_one_exploratory_action_per_game():
    exploration = explorer()
    explored = np.zeros(200, int)
    for _ in range(60):
        rows = EVERY_ROW[np.random.default_rng(explored.sum()).random(600) < 0.5]
        chosen, excluded = exploration.draw(rows)
        games = GAMES_OF_ROWS[rows]
        assert np.array_equal(excluded, (explored[games] == 0) & ~chosen)
        np.add.at(explored, games[chosen], 1)
    assert (explored == 1).all()


def test_games_without_exploration_exclude_nothing():
    exploration = explorer(share=0.3, chance=1.0)
    chosen, excluded = exploration.draw(EVERY_ROW)
    assert 40 < chosen.sum() < 80
    exploring = np.isin(GAMES_OF_ROWS, GAMES_OF_ROWS[chosen])
    assert np.array_equal(excluded, exploring & ~chosen)
    assert not np.any(exploration.draw(EVERY_ROW))
    exploration.end_games(GAMES_OF_ROWS < 100)  # the next games explore again
    again = GAMES_OF_ROWS[chosen][GAMES_OF_ROWS[chosen] < 100]
    assert set(GAMES_OF_ROWS[exploration.draw(EVERY_ROW)[0]]) == set(again)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([1, 1, 1, 0.5], [1, -1, 0, 0.5 * 2.5]),  # 5, 1 and 3: mean 3, deviation 2
        ([1, 0.5, 0, 0.5], [5, 0.5, 4]),  # one decision has no deviation; weight 0 is excluded
    ],
)
def test_advantages_are_standardised_by_on_policy_decisions(weights, expected):
    rewards, weights = np.array([5, 1, 3, 8]), np.array(weights)
    buffer = buffer_of(4)
    decide(buffer, range(4), 0, rewards, True)
    buffer.decisions["weights"][:4] = weights
    samples = finish(buffer)
    found = standardised(Samples(*map(torch.from_numpy, samples)))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
    expected_returns = np.where(weights == 1, rewards, 0)[weights > 0]  # no value loss on off-policy actions
    np.testing.assert_array_equal(samples.returns, expected_returns)


def test_exploratory_action_is_uniform(monkeypatch):
    config = PPOConfig(turns=1, explore=1.0, explore_chance=1.0)
    model = LeagueLearner(DiamantVecEnv(400, 3), config, NetworkConfig(hidden=(4,), inputs=RAW), 2)
    stay = np.log(np.array([[0.98, 0.02]], np.float32))
    monkeypatch.setattr(model, "evaluate", lambda seen: (stay.repeat(len(seen), 0), np.zeros(len(seen))))
    model.play_turn()
    decisions = model.buffer.decisions[:1200]
    explored = decisions["weights"] > 0
    assert explored.sum() == 400
    probability = np.where(decisions["actions"][explored], 0.02, 0.98)
    np.testing.assert_allclose(decisions["weights"][explored], probability / 0.5, rtol=1e-6)
    assert decisions["actions"][explored].mean() == pytest.approx(0.5, abs=0.1)
    assert decisions["actions"][~explored].mean() < 0.06


def test_rewards_are_scaled():
    env = DiamantVecEnv(8, 3, reward="score")
    learner = Learner(env, PPOConfig(reward_scale=0.25), NetworkConfig(hidden=(4,)), seed=2)
    learner.policy.action_net.bias.data[1] = 99  # all leave
    learner.play_turn()
    banked = env.batch.games["chest"][:, :3].ravel()
    assert banked.any()
    np.testing.assert_array_equal(learner.buffer.decisions["rewards"][:24], banked / 4)
