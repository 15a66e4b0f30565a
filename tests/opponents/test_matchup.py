"""Matchups in environments and evaluations: seeds, lists, pools, draws."""

import numpy as np
import pytest

from diamant_env import NUM_FEATURES
from diamant_env.editions import find_edition
from diamant_env.evaluation import evaluate
from diamant_env.gym_env import DiamantEnv
from diamant_env.gym_vector import DiamantVectorEnv
from diamant_env.opponents.matchup import read_matchup, seat_around
from diamant_env.sb3 import DiamantVecEnv


class Seeded:
    made: list = []  # noqa: RUF012 - all instances

    def __init__(self):
        self.seeds = []
        self.made.append(self)

    def seed(self, seed):
        self.seeds.append(seed)

    def act(self, obs, episode_start):
        return np.zeros(len(episode_start), np.float32)


@pytest.mark.parametrize(
    "make",
    [
        lambda: DiamantEnv(3, opponents=[Seeded(), Seeded()]),
        lambda: DiamantVectorEnv(2, 3, opponents=[Seeded(), Seeded()]),
        lambda: DiamantVecEnv(2, 3, opponents=[Seeded, type("Other", (Seeded,), {})]),
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


EDITION = [find_edition("iello-2016")]
KEYS = np.random.default_rng(0).integers(2**63, size=60_000).astype(np.uint64)


class Fixed:
    def __init__(self, leave):
        self.leave = leave

    def act(self, obs, episode_start):
        return np.full(len(episode_start), self.leave, np.float32)


FIXED = Fixed(0.1)


def test_one_player_has_no_opponents():
    for opponents in ("random", []):
        assert DiamantEnv(1, opponents=opponents).reset(seed=0)[0].shape == (NUM_FEATURES,)


@pytest.mark.parametrize(
    ("opponents", "seats", "against"),
    [
        ("ev", (0, 0, 0), "3 × ev:0.75"),
        (["ev"], (0, 0, 0), "3 × ev:0.75"),
        (("mine", FIXED), (0, 0, 0), "3 × mine"),
        (["bag:9", "ev", "bag:9"], (0, 1, 0), "bag:9, ev:0.75, bag:9"),
        ([FIXED, "ev", FIXED], (0, 1, 0), "Fixed, ev:0.75, Fixed"),
        (["bag:9", "traps:3", FIXED, Fixed(0)], None, "3 of the 4 in bag:9, traps:3, Fixed, Fixed"),
        ("pool", None, "3 of the 10 in pool"),
    ],
)
def test_opponents_of_environments_and_evaluations(opponents, seats, against):
    """The same argument gives the same members in the same order after the learner."""
    matchup = read_matchup(opponents, 3, EDITION)
    assert matchup.seats == seats
    assert evaluate("bag:7", opponents, 8).results[0].against == against
    env, games = DiamantEnv(opponents=opponents, seat=2), DiamantVecEnv(1, opponents=opponents)
    env.reset(seed=3)
    games.seed(3)
    games.reset()
    drawn = matchup.draw(games.batch.games["key"])[0].tolist()
    assert games.seated.seating.tolist() == [[-1, *drawn]]
    assert env._games._seated.seating.tolist() == [[drawn[1], drawn[2], -1, drawn[0]]]
    if seats is not None:
        assert matchup.deal(2, np.random.default_rng(0)).tolist() == [[*seats]] * 2 == [drawn] * 2


@pytest.mark.parametrize("opponents", [["ev", "bag:5"], ["ev", "bag:5", "bag:5", "cards:3"], ["pool", "ev", "bag"]])
def test_invalid_opponents(opponents):
    with pytest.raises(ValueError, match=r"opponents|pool"):
        DiamantEnv(4, opponents=opponents)


def test_seats_around_the_learner():
    assert seat_around(np.array([0, 2]), np.array([[5, 6], [7, 8]])).tolist() == [[-1, 5, 6], [7, 8, -1]]


def test_drawn_members_are_distinct_and_equally_often_in_each_seat():
    matchup = read_matchup("pool", 3, EDITION)
    drawn = matchup.draw(KEYS)
    for seat in range(3):
        np.testing.assert_allclose(np.bincount(drawn[:, seat]) / len(KEYS), 0.1, atol=0.005)
    np.testing.assert_array_equal(matchup.draw(KEYS[100:110]), drawn[100:110])
    dealt = matchup.deal(1000, np.random.default_rng(1))
    assert np.ptp(np.bincount(dealt.ravel())) <= 1
    assert np.ptp([np.bincount(dealt[:, seat]) for seat in range(3)]) < 60
    for rows in (drawn[:1000], dealt):
        assert all(len(set(row)) == 3 for row in rows.tolist())
        assert len({tuple(row) for row in rows.tolist()}) > 500


def test_vec_env_draws_opponents_for_each_game():
    env = DiamantVecEnv(40, opponents="pool")
    env.seed(6)
    env.reset()
    before = env.seated.seating
    done = np.zeros(40, bool)
    while not done.any():
        done = env.play(np.ones(40, np.int8))[2]
    changed = (env.seated.seating != before).any(axis=1)
    assert not changed[~done].any()
    assert changed[done].any()
    seated, games = env.seated.seating, env.batch.games.copy()
    env.reset()
    env.restore(games)
    np.testing.assert_array_equal(env.seated.seating, seated)
