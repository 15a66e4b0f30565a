"""Selected fields and custom rewards, in a batch and all environments."""

import pickle

import gymnasium
import numpy as np
import pytest

from diamant_env import Batch, diamant_v0
from diamant_env.editions import Edition
from diamant_env.gym_env import DiamantEnv
from tests.support.play import Play

# Two players get 2 gems each from the 5; then two mud cards: a certain bust.
CERTAIN = Edition(name="certain", treasures=(5,), traps=("mud",), trap_copies=2, expeditions=2, bust_removes=0)
SOME = ["path_gems", "rival_inside", "bag"]


def gems(banked, chests, inside, done):
    return banked


def test_ended_or_masked_games_get_no_reward():
    """Two players in the last expedition; `mask` skips the last game once."""

    def one_each(banked, chests, inside, done):
        banked[...] = chests[...] = 99  # copies
        return np.ones(banked.shape)

    batch = Batch(4, 2, CERTAIN, one_each)
    batch.set_states(np.array([Play([5, 5], 2, CERTAIN).all_leave().game] * 4))
    leaves = np.array([[1, 1], [2, 2], [1, 0], [0, 0]])
    plays = [[1, 1, 1, 1], [0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    for turn, played in enumerate(plays, 1):
        mask = None if turn != 2 else np.array([True, True, True, False])
        _, rewards, _ = batch.step((leaves == turn).astype(np.int8), mask=mask)
        np.testing.assert_array_equal(rewards, np.outer(played, [1, 1]))
    assert batch.games["chest"][:, :2].tolist() == [[4, 4], [4, 4], [5, 2], [2, 2]]


def spaces_of(*fields):
    """Return the spaces of all environments with these fields, and what remains of one in a file."""
    first = diamant_v0.parallel_env(3, observation=fields).observation_space("player_0")
    vector = gymnasium.make_vec("diamant_env/Diamant-v0", num_envs=2, observation=fields)
    return [first, DiamantEnv(observation=fields).observation_space, vector.single_observation_space,
            pickle.loads(pickle.dumps(first))]  # fmt: skip


def test_spaces_of_other_fields_differ():
    """The bounds of all of them are the same."""
    several = [spaces_of(*fields) for fields in (["bag", "path_gems"], ["path_gems", "bag"], ["bag", "bag"])]
    for kind, one in enumerate(several):
        for other_kind, other in enumerate(several):
            assert {a == b for a in one for b in other} == {kind == other_kind}
    bounds = gymnasium.spaces.Box(several[0][0].low, several[0][0].high)
    assert several[0][0] != bounds != several[0][0]
    assert "bag, path_gems" in str(several[0][0])


def test_custom_reward_gets_turn_and_state():
    seen = []

    def reward(banked, chests, inside, done):
        seen.append([each[0].tolist() for each in (banked, chests, inside, done)])
        return banked

    env = diamant_v0.parallel_env(3, reward=reward)
    play = Play([15, 9, "snake", 7], 3)
    for leaver in range(3):
        env.restore(play.game)
        env.step({agent: int(agent == f"player_{leaver}") for agent in env.agents})
        play.leave(leaver)
    assert seen == [
        [[5, 0, 0], [5, 0, 0], [False, True, True], False],
        [[0, 10, 0], [5, 10, 0], [False, False, True], False],  # 5 + 4, and 1 of the path
        [[0, 0, 9], [5, 10, 9], [True, True, True], False],  # the next expedition has begun
    ]
    while env.agents:
        env.step(dict.fromkeys(env.agents, 1))
    assert seen[-1][2:] == [[False, False, False], True]


@pytest.mark.parametrize("wrong", [lambda *seen: seen[0] * np.nan, lambda *seen: 1.0, lambda *seen: np.ones((2, 9))])
def test_invalid_reward_is_refused(wrong):
    env = diamant_v0.parallel_env(reward=wrong)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="finite"):
        env.step(dict.fromkeys(env.agents, 0))
