"""The stable-baselines3 environment: rows of learning seats over the batch engine."""

import gymnasium
import numpy as np
import pytest

from diamant_env import Batch
from diamant_env.observation import NUM_FEATURES
from diamant_env.opponents import EMPTY, make

sb3 = pytest.importorskip("diamant_env.sb3")


def test_rows_are_the_seats_of_the_batch():
    """Mixed tables: the rows' observations, rewards and ends are the engine's, seat by seat."""
    players = np.array([3, 8, 5])
    env = sb3.DiamantVecEnv(3, players, reward="score")
    env.seed(11)
    batch = Batch(3, players, reward="score")
    present = np.arange(8) < players[:, None]
    expected = batch.reset(11)
    assert np.array_equal(env.reset(), expected[present])
    random = np.random.default_rng(0)
    for _ in range(200):
        actions = (random.random((3, 8)) < 0.2).astype(np.int8)
        final = np.zeros_like(expected)
        ignored = 256 * ~batch.must_decide  # what a row in camp sends
        expected, rewards, done = batch.step(actions, auto_reset=True, final_observations=final)
        found = env.step((actions + ignored)[present])
        assert np.array_equal(found[0], expected[present])
        assert np.array_equal(found[1], rewards[present])
        ends = np.repeat(done, players)
        assert np.array_equal(found[2], ends)
        for row, info in enumerate(found[3]):
            assert ("terminal_observation" in info) == ends[row]
            if ends[row]:
                assert np.array_equal(info["terminal_observation"], final[present][row])
                assert info["TimeLimit.truncated"] is False


def test_opponents_play_the_seats_that_they_have():
    """With a fixed learner seat, the others' decisions are those of their agents."""
    seating = np.array([[EMPTY, 0, 1, 0]] * 5)
    env = sb3.DiamantVecEnv(5, 4, opponents=[make("continue"), make("cards:2")], seating=seating)
    env.seed(0)
    env.reset()
    assert env.num_envs == 5
    left = []
    for _ in range(3):
        env.step(np.zeros(5, int))
        left.append(env.batch.games.decision[:, 2].tolist())
    assert 1 in left[1]
    assert env.opponent_seconds > 0
    with pytest.raises(ValueError, match="no seat is left for the learner"):
        sb3.DiamantVecEnv(1, 3, opponents=[make("continue")], seating=np.zeros((1, 3), int))


class Ten:
    """Leaves with ten gems."""

    def act(self, obs, first):
        return obs["bag"] >= 10


def ten(obs):
    return obs["bag"] >= 10


def played(opponents, seating=None):
    """Return what three games of three show to a learner in seat 0 that never leaves."""
    env = sb3.DiamantVecEnv(3, 3, opponents=opponents, seating=seating)
    env.seed(4)
    shown = [env.reset(), *(env.step(np.zeros(3, int))[0] for _ in range(40))]
    env.seed(4)
    assert np.array_equal(env.reset(), shown[0])
    assert np.array_equal(env.step(np.zeros(3, int))[0], shown[1])
    return np.stack(shown)


def test_opponents_may_be_whatever_the_other_views_take():
    expected = played([make("bag:10")], [[EMPTY, 0, 0]] * 3)
    assert expected.shape == (41, 3, NUM_FEATURES)
    for opponent in ("bag:10", f"{__name__}:ten", f"{__name__}:Ten", Ten, Ten(), ten, make("bag:10")):
        for opponents, seating in ((opponent, None), ([opponent] * 2, None), ([opponent], [[EMPTY, 0, 0]] * 3)):
            np.testing.assert_array_equal(played(opponents, seating), expected)
    single = gymnasium.make("diamant_env/Diamant-3p-v0", opponents=["bag:4", "cards:3"])
    np.testing.assert_array_equal(played(["bag:4", "cards:3"])[0, 0], single.reset(seed=4)[0])
    np.testing.assert_array_equal(played(["bag:4", "cards:3"])[1, 0], single.step(0)[0])
    np.testing.assert_array_equal(played("mixture"), played("mixture"))


@pytest.mark.parametrize(
    ("opponents", "message"),
    [
        ("nobody", "opponents: unknown agent 'nobody'"),
        ([5, "ev"], "opponents: 5 plays nothing; allowed"),
        (["ev"], "1 opponents; give one for all rivals, or one for each of the 2"),
        ([lambda: 0.5, "ev"], r"opponents: <lambda> takes \(\) instead of \(obs\)"),
    ],
)
def test_wrong_opponents_are_refused_at_once(opponents, message):
    with pytest.raises(ValueError, match=message):
        sb3.DiamantVecEnv(2, 3, opponents=opponents)


def test_plain_ppo_of_stable_baselines3_runs():
    """The environment needs nothing of ours on the other side."""
    from stable_baselines3 import PPO

    model = PPO("MlpPolicy", sb3.DiamantVecEnv(4, 3), n_steps=16, batch_size=48, n_epochs=1, seed=0, device="cpu")
    model.learn(400)
    action, _ = model.predict(np.zeros((2, NUM_FEATURES), np.float32))
    assert action.shape == (2,)
