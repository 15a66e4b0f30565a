"""Seeds of the opponents in single-learner environments, and opponents drawn for each game."""

from collections import Counter

import numpy as np
import pytest

from diamant_env import NUM_FEATURES
from diamant_env.editions import find_edition
from diamant_env.envs.opponent_seats import LineUps
from diamant_env.gym_env import DiamantEnv
from diamant_env.gym_vector import DiamantVectorEnv
from diamant_env.sb3 import DiamantVecEnv


class Seeded:
    """Agent that records its seeds."""

    made: list = []  # noqa: RUF012 - all instances

    def __init__(self):
        self.seeds = []
        self.made.append(self)

    def seed(self, seed):
        self.seeds.append(seed)

    def act(self, obs, first):
        return np.zeros(len(first), np.float32)


class AlsoSeeded(Seeded):
    """Another agent that records its seeds."""


@pytest.mark.parametrize(
    "make",
    [
        lambda: DiamantEnv(3, opponents=[Seeded(), Seeded()]),
        lambda: DiamantVectorEnv(2, 3, opponents=[Seeded(), Seeded()]),
        lambda: DiamantVecEnv(2, 3, opponents=[Seeded, AlsoSeeded]),
    ],
)
def test_opponents_have_own_seeds(make):
    Seeded.made.clear()
    env = make()
    for seed in (1, 1, 2):
        if isinstance(env, DiamantVecEnv):
            env.seed(seed)
            env.reset()
        else:
            env.reset(seed=seed)
    if isinstance(env, DiamantVectorEnv):  # a partial reset reseeds no opponent
        env.reset(seed=3, options={"reset_mask": np.array([True, False])})
    seeds = [agent.seeds[-3:] for agent in Seeded.made if agent.seeds]
    assert [len(each) for each in seeds] == [3, 3]
    assert all(first == again for first, again, _ in seeds)
    assert len({*seeds[0], *seeds[1]}) == 4


def test_vec_env_seeds_no_object_of_the_caller():
    mine = Seeded()
    env = DiamantVecEnv(2, 3, opponents=[mine, "mixture"])
    env.seed(1)
    env.reset()
    assert mine.seeds == []


KEYS = np.random.default_rng(0).integers(2**63, size=60_000).astype(np.uint64)


def test_one_player_has_no_opponents():
    assert DiamantEnv(1, opponents=[]).reset(seed=0)[0].shape == (NUM_FEATURES,)


def line_ups(opponents, rivals=3, hidden_chests=False):
    return LineUps(opponents, rivals, [find_edition("iello-2016", hidden_chests)])


def test_members_are_distinct_and_equally_often_in_each_seat():
    drawn = line_ups("pool").draw(KEYS)
    assert all(len(set(row)) == 3 for row in drawn[:1000].tolist())
    for seat in range(3):
        np.testing.assert_allclose(np.bincount(drawn[:, seat]) / len(KEYS), 0.1, atol=0.005)
    np.testing.assert_array_equal(line_ups("pool").draw(KEYS[100:110]), drawn[100:110])


def test_each_mix_equally_often_and_a_single_agent_as_copies():
    given = line_ups(["ev,bag:5,bag:6", "champion"])
    names = [str(agent) for agent in given.agents]
    found = Counter(tuple(sorted(names[agent] for agent in row)) for row in given.draw(KEYS).tolist())
    assert set(found) == {("bag:5", "bag:6", "ev:0.75"), ("champion",) * 3}
    assert abs(found["champion", "champion", "champion"] / len(KEYS) - 0.5) < 0.01
    orders = Counter(tuple(row) for row in given.draw(KEYS).tolist() if len(set(row)) == 3)
    np.testing.assert_allclose(np.array(list(orders.values())) / len(KEYS), [1 / 12] * 6, atol=0.005)


@pytest.mark.parametrize("opponents", ["ev,bag:5", "ev,bag:5,bag:5,cards:3", ["held-out", "ev,bag:5"]])
def test_too_few_distinct_members_are_refused(opponents):
    for make in (lambda: DiamantEnv(opponents=opponents), lambda: DiamantVecEnv(2, opponents=opponents)):
        with pytest.raises(ValueError, match="distinct"):
            make()


def test_vec_env_draws_the_opponents_of_the_gymnasium_form():
    opponents = ["pool", "champion"]
    ours, other = DiamantVecEnv(40, opponents=opponents), DiamantVectorEnv(40, opponents=opponents)
    ours.seed(6)
    ours.reset()
    other.reset(seed=6)
    np.testing.assert_array_equal(ours.table.seating, other._learner._table.seating)
    before = ours.table.seating
    done = np.zeros(40, bool)
    while not done.any():
        done = ours.play(np.ones(40, np.int8))[2]
    changed = (ours.table.seating != before).any(axis=1)
    assert not changed[~done].any()
    assert changed[done].any()
    seated, games = ours.table.seating, ours.batch.games.copy()
    ours.reset()
    ours.restore(games)
    np.testing.assert_array_equal(ours.table.seating, seated)


def test_one_agent_by_two_texts_is_given_twice():
    with pytest.raises(ValueError, match="distinct"):
        DiamantEnv(3, opponents="bag,bag:15,ev")
