"""Exploring starts: who tosses a coin, what is learned from, and how much a toss counts."""

import numpy as np
import pytest

from diamant_env.sb3 import DiamantVecEnv
from train.learning.exploration import Exploration
from train.learning.rollout import DecisionBuffer, play_turn
from train.learning.self_play import SelfPlayPPO
from train.runs.config import NetworkConfig, PPOConfig

GAMES_OF_ROWS = np.repeat(np.arange(200), 3)
EVERY_ROW = np.arange(600)
UNLIKELY = np.log(np.full(600, 0.02, np.float32))


def explorer(share: float = 1.0, chance: float = 0.25) -> Exploration:
    return Exploration(GAMES_OF_ROWS, share, chance, np.random.SeedSequence(3))


def test_each_game_tosses_one_coin_and_is_learned_from_then_on():
    exploration = explorer()
    tossed = np.zeros(200, int)
    for _ in range(60):
        rows = EVERY_ROW[np.random.default_rng(tossed.sum()).random(600) < 0.5]
        coins = exploration.coins(rows)
        games = GAMES_OF_ROWS[rows]
        expected = tossed[games].astype(float)  # 0 before the toss, 1 after it
        expected[coins] = 0.04
        tossed[games[coins]] += 1
        np.testing.assert_allclose(exploration.weights(rows, coins, UNLIKELY[: len(rows)]), expected, rtol=1e-5)
    assert (tossed == 1).all()


def test_turn_and_seat_of_the_coin_are_random():
    first = [len(explorer(chance=chance).coins(EVERY_ROW)) for chance in (0.1, 1.0)]
    assert 5 < first[0] < 45
    assert first[1] == 200
    seats = explorer(chance=1.0).coins(EVERY_ROW) % 3
    assert (np.bincount(seats) > 40).all()


def test_a_game_that_follows_waits_for_its_own_coin():
    exploration = explorer(chance=1.0)
    exploration.weights(EVERY_ROW, exploration.coins(EVERY_ROW), UNLIKELY)
    assert len(exploration.coins(EVERY_ROW)) == 0
    exploration.end_games(GAMES_OF_ROWS < 70)
    assert sorted(GAMES_OF_ROWS[exploration.coins(EVERY_ROW)]) == list(range(70))


def test_games_outside_the_share_are_learned_from_the_beginning():
    exploration = explorer(share=0.3, chance=1.0)
    coins = exploration.coins(EVERY_ROW)
    assert 40 < len(coins) < 80
    weights = exploration.weights(EVERY_ROW, coins, UNLIKELY)
    others = ~np.isin(GAMES_OF_ROWS, GAMES_OF_ROWS[coins])
    assert (weights[others] == 1).all()
    exploration.end_games(np.ones(600, bool))
    assert set(GAMES_OF_ROWS[exploration.coins(EVERY_ROW)]) == set(GAMES_OF_ROWS[coins])


def test_tosses_weighed_show_how_often_the_policy_would_do_it():
    """Coins decide evenly; weighed, what they decide occurs as often as the policy says."""
    exploration = explorer(chance=1.0)
    coins = exploration.coins(EVERY_ROW)
    leaves = np.zeros(600, bool)
    leaves[coins[::2]] = True
    log_probs = np.log(np.where(leaves, 0.1, 0.9)).astype(np.float32)
    weights = exploration.weights(EVERY_ROW, coins, log_probs)
    assert (weights * leaves)[coins].mean() == pytest.approx(0.1, rel=1e-5)
    assert weights[coins].mean() == pytest.approx(1, rel=1e-5)


def test_a_restored_exploration_goes_on_alike():
    one, other = explorer(), explorer()
    one.weights(EVERY_ROW, one.coins(EVERY_ROW), UNLIKELY)
    other.restore(one.state())
    for _ in range(5):
        np.testing.assert_array_equal(one.coins(EVERY_ROW), other.coins(EVERY_ROW))


def test_the_buffer_leaves_out_what_precedes_a_toss_and_the_value_of_the_toss():
    env = DiamantVecEnv(2, 2)
    buffer = DecisionBuffer(4, env.observation_space, env.action_space, device="cpu", gae_lambda=1, gamma=1, n_envs=4)
    buffer.start_rollout()
    rows, seen, values = np.arange(4), np.ones((4, 90), np.float32), np.full(4, 0.5, np.float32)
    buffer.add_decisions(rows, seen, [0, 1, 0, 0], values, np.zeros(4, np.float32), [0, 0.25, 1, 1])
    buffer.add_outcomes(np.array([1, 0, 1, 0], np.float32), np.ones(4, bool))
    buffer.finish_rollout(np.zeros(4, np.float32), np.ones(4, bool))
    buffer.weigh()
    assert buffer.complete.tolist() == [1, 2, 3]
    assert buffer.returns.tolist() == [0.5, 1, 0]
    np.testing.assert_allclose(buffer.advantages[buffer.complete], [-0.25, 1, -1], atol=1e-6)


@pytest.mark.parametrize(
    ("rewards", "weights", "expected"),
    [
        ([5, 1, 3, 8], [1, 1, 1, 0.5], [1.5**0.5, -(1.5**0.5), 0, 0.5 * 5 * 1.5**0.5 / 2]),  # 5, 1 and 3: mean 3
        ([5, 1, 3, 8], [1, 0.25, 0, 0.5], [5, 0.25, 0, 4]),  # one decision alone has no spread
    ],
)
def test_advantages_are_standardised_by_what_was_decided(rewards, weights, expected):
    env = DiamantVecEnv(2, 2)
    buffer = DecisionBuffer(4, env.observation_space, env.action_space, device="cpu", gae_lambda=1, gamma=1, n_envs=4)
    buffer.start_rollout()
    nothing = np.zeros(4, np.float32)
    buffer.add_decisions(np.arange(4), np.ones((4, 90), np.float32), [0] * 4, nothing, nothing, weights)
    buffer.add_outcomes(np.array(rewards, np.float32), np.ones(4, bool))
    buffer.finish_rollout(nothing, np.ones(4, bool))
    buffer.weigh()
    complete = buffer.complete
    np.testing.assert_allclose(buffer.advantages[complete], np.array(expected)[complete], rtol=1e-6, atol=1e-7)


def test_who_tosses_a_coin_leaves_half_of_the_time_whatever_the_policy_says():
    env = DiamantVecEnv(400, 3)
    env.seed(2)
    buffer = DecisionBuffer(1, env.observation_space, env.action_space, device="cpu", n_envs=env.num_envs)
    buffer.start_rollout()
    exploration = Exploration(env.games_of_rows, 1.0, 1.0, np.random.SeedSequence(0))
    stay = np.log(np.array([[0.98, 0.02]], np.float32))
    play_turn(env, buffer, env.reset(), lambda seen: (stay.repeat(len(seen), 0), np.zeros(len(seen))), 1.0, exploration)
    tossed = buffer.decisions["weight"][:1200] > 0
    assert tossed.sum() == 400
    assert buffer.decisions["action"][:1200][tossed].mean() == pytest.approx(0.5, abs=0.1)
    assert buffer.decisions["action"][:1200][~tossed].mean() < 0.06
    expected = np.where(buffer.decisions["action"][:1200][tossed] == 1, 0.04, 1.96)
    np.testing.assert_allclose(buffer.decisions["weight"][:1200][tossed], expected, rtol=1e-5)


def test_a_run_learns_only_from_what_counts():
    env = DiamantVecEnv(40, 3)
    env.seed(1)
    config = PPOConfig(turns=48, minibatch=64, decisions=1, explore=1.0, explore_chance=0.1)
    model = SelfPlayPPO(env, config, NetworkConfig(hidden=(8,)), 0)
    _, callback = model._setup_learn(1, None)
    model.collect_rollouts(env, callback, model.rollout_buffer, 48)
    buffer = model.rollout_buffer
    weights = buffer.decisions["weight"][: buffer.count]
    assert 0.3 < (weights[: len(weights) // 4] == 0).mean() < 1
    assert 10 < ((weights > 0) & (weights != 1)).sum() < 120
    assert (weights[buffer.complete] > 0).all()
    model.train()
