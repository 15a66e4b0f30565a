"""The rollout buffer that drops idle turns, against generalized advantage estimation worked out by hand."""

import numpy as np
import pytest

from diamant_env import REWARDS
from diamant_env.sb3 import DiamantVecEnv
from train.learning.rollout import NOTHING_PENDING, DecisionBuffer
from train.learning.self_play import SelfPlayPPO
from train.runs.config import NetworkConfig, PPOConfig

GAMMA, LAMBDA = 0.9, 0.7


class Recorded(SelfPlayPPO):
    """Keeps what each rollout was made of."""

    def collect_rollouts(self, env, callback, rollout_buffer, n_rollout_steps):
        """Collect and note the turns as the environment gives them."""
        self.turns = []
        play = env.play

        def noted(actions):
            seen = self.turns_seen
            result = play(actions)
            self.turns.append((seen, actions.copy(), result[1].copy(), result[2].copy()))
            self.turns_seen = result[0]
            return result

        self.turns_seen = self._last_obs
        env.play = noted
        try:
            return super().collect_rollouts(env, callback, rollout_buffer, n_rollout_steps)
        finally:
            env.play = play


def advantage_by_definition(rewards, values):
    """Sum the temporal differences of one chain of decisions; `values` has one entry more than `rewards`."""
    errors = [rewards[k] + GAMMA * values[k + 1] - values[k] for k in range(len(rewards))]
    return [sum((GAMMA * LAMBDA) ** (j - k) * errors[j] for j in range(k, len(errors))) for k in range(len(errors))]


def chains_of_row(turns, row):
    """Split what one row lived through into games: lists of (observation, reward until the next decision)."""
    chains, chain = [], []
    for seen, _, rewards, done in turns:
        if seen[row, 0]:
            chain.append([seen[row], 0.0])
        chain[-1][1] += float(rewards[row])
        if done[row]:
            chains.append((chain, True))
            chain = []
    return [*chains, (chain, False)] if chain else chains


@pytest.mark.parametrize("reward", REWARDS)
def test_advantages_are_those_of_the_decisions_alone(reward):
    """One long rollout from the first turn: every complete decision is there once, with its brute-force advantage."""
    env = DiamantVecEnv(6, [3, 4, 5, 3, 4, 8], reward=reward)
    env.seed(3)
    config = PPOConfig(turns=90, gamma=GAMMA, gae_lambda=LAMBDA, minibatch=8, decisions=1)
    model = Recorded(env, config, NetworkConfig(hidden=(8,)), 0)
    _, callback = model._setup_learn(1, None)
    model.collect_rollouts(env, callback, model.rollout_buffer, config.turns)
    paid = np.concatenate([rewards for _, _, rewards, _ in model.turns])
    assert paid.max() > 0
    assert (paid.min() < 0) == (reward == "margin")
    buffer = model.rollout_buffer
    found = {
        (buffer.decisions["row"][k], buffer.decisions["observation"][k].tobytes()): (advantage, ret)
        for k, advantage, ret in zip(buffer.complete, buffer.advantages[buffer.complete], buffer.returns, strict=True)
    }
    expected = {}
    now = model.turns_seen
    for row in range(env.num_envs):
        for chain, over in chains_of_row(model.turns, row):
            values = model.evaluate(np.array([seen for seen, _ in chain]))[1].tolist()
            rewards = [reward for _, reward in chain]
            if over:
                values.append(0.0)
            elif now[row, 0]:
                values.append(float(model.evaluate(now[[row]])[1][0]))
            else:  # the last decision is still open: its value stands for what follows
                chain, rewards = chain[:-1], rewards[:-1]
            for (seen, _), advantage, value in zip(
                chain, advantage_by_definition(rewards, values), values, strict=False
            ):
                expected[row, seen.tobytes()] = (advantage, advantage + value)
    assert found.keys() == expected.keys()
    assert len(expected) > 500
    for key, (advantage, ret) in expected.items():
        assert found[key] == pytest.approx((advantage, ret), abs=1e-3)


def test_idle_turns_never_enter():
    env = DiamantVecEnv(20, 4)
    env.seed(0)
    model = SelfPlayPPO(env, PPOConfig(turns=40, minibatch=64, decisions=1), NetworkConfig(hidden=(8,)), 0)
    _, callback = model._setup_learn(1, None)
    model.collect_rollouts(env, callback, model.rollout_buffer, 40)
    buffer = model.rollout_buffer
    assert (buffer.decisions["observation"][: buffer.count, 0] == 1).all()
    assert model.num_timesteps == buffer.count < 40 * env.num_envs
    drawn = [batch.observations.shape[0] for batch in buffer.get(64)]
    assert sum(drawn) == len(buffer.complete)


def test_an_open_decision_is_carried_and_credited_in_the_next_rollout():
    """A row in camp at the end of a rollout: its last decision waits, and gets the reward that comes later."""
    env = DiamantVecEnv(1, 3)
    buffer = DecisionBuffer(
        4, env.observation_space, env.action_space, device="cpu", gae_lambda=1.0, gamma=1.0, n_envs=3
    )
    rows, seen = np.arange(3), np.ones((3, 90), np.float32)
    buffer.start_rollout()
    buffer.add_decisions(rows, seen, [0, 1, 0], np.array([0.5, 0.25, 0.5], np.float32), np.zeros(3, np.float32))
    buffer.add_outcomes(np.zeros(3, np.float32), np.zeros(3, bool))
    in_camp = np.array([False, True, False])
    buffer.finish_rollout(np.full(3, 0.75, np.float32), ~in_camp)
    assert buffer.complete.tolist() == [0, 2]
    assert buffer.returns.tolist() == [0.75, 0.75]
    buffer.start_rollout()
    assert buffer.count == 1
    assert buffer.decisions["row"][0] == 1
    buffer.add_decisions(rows[~in_camp], seen[:2], [0, 0], np.zeros(2, np.float32), np.zeros(2, np.float32))
    buffer.add_outcomes(np.array([0, 1, 0], np.float32), np.ones(3, bool))
    buffer.finish_rollout(np.zeros(3, np.float32), np.ones(3, bool))
    assert (buffer.pending == NOTHING_PENDING).all()
    assert buffer.returns.tolist() == [1.0, 0.0, 0.0]
    assert buffer.advantages.tolist() == [0.75, 0.0, 0.0]


def test_losses_and_gains_of_several_turns_add_up():
    """Each row is credited for its own last decision; a game's last decision takes what its end brings."""
    env = DiamantVecEnv(1, 3)
    buffer = DecisionBuffer(3, env.observation_space, env.action_space, device="cpu", n_envs=3)
    buffer.start_rollout()
    nothing = np.zeros(3, np.float32)
    buffer.add_decisions(np.arange(3), np.ones((3, 90), np.float32), [0, 1, 0], nothing, nothing)
    buffer.add_outcomes(np.array([-2.5, 1, -1], np.float32), np.zeros(3, bool))
    buffer.add_decisions(np.array([0]), np.ones((1, 90), np.float32), [1], nothing[:1], nothing[:1])
    buffer.add_outcomes(np.array([4, -3, -0.5], np.float32), np.array([False, True, False]))
    assert buffer.decisions["reward"][:4].tolist() == [-2.5, -2, -1.5, 4]
    assert buffer.decisions["terminal"][:4].tolist() == [False, True, False, False]
    assert buffer.pending.tolist() == [3, NOTHING_PENDING, 2]


def test_a_rollout_finds_nothing_of_the_one_before():
    """Where rewards, ends and log-probabilities of the first rollout stood, those of the second one stand alone."""
    env = DiamantVecEnv(1, 2)
    buffer = DecisionBuffer(2, env.observation_space, env.action_space, device="cpu", n_envs=2)
    rows, seen, values = np.arange(2), np.ones((2, 90), np.float32), np.zeros(2, np.float32)
    for log_probs, rewards, over in ((-0.5, 3, True), (-0.75, 1, False)):
        buffer.start_rollout()
        buffer.add_decisions(rows, seen, [0, 1], values, np.full(2, log_probs, np.float32))
        buffer.add_outcomes(np.full(2, rewards, np.float32), np.full(2, over))
        buffer.finish_rollout(np.ones(2, np.float32), np.ones(2, bool))
        (samples,) = buffer.get()
        assert samples.old_log_prob.tolist() == [log_probs] * 2
        assert samples.actions.sort().values.tolist() == [0, 1]
    assert buffer.decisions["reward"][:2].tolist() == [1, 1]
    assert buffer.decisions["terminal"][:2].tolist() == [False, False]
    assert buffer.returns.tolist() == pytest.approx([1 + buffer.gamma] * 2)
