"""Seeds of the opponents in single-learner environments."""

import numpy as np
import pytest

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


@pytest.mark.parametrize(
    "make",
    [
        lambda: DiamantEnv(3, opponents=[Seeded(), Seeded()]),
        lambda: DiamantVectorEnv(2, 3, opponents=[Seeded(), Seeded()]),
        lambda: DiamantVecEnv(2, 3, opponents=[Seeded, Seeded]),
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
    seeds = [agent.seeds for agent in Seeded.made if agent.seeds]
    assert [len(each) for each in seeds] == [3, 3]
    assert all(first == again for first, again, _ in seeds)
    assert len({*seeds[0], *seeds[1]}) == 4
