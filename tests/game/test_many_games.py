"""A hundred thousand games, each turn compared with the oracle; DIAMANT_TEST_SCALE=100 plays a hundred times more."""

from __future__ import annotations

import numpy as np
import pytest

from diamant_env import Batch
from diamant_env.rewards import REWARDS
from tests.support.play import PUBLISHED, SCALE, every, games
from tests.support.side_by_side import SideBySide

GAMES_PER_REWARD = 4_800
BATCH = 1_200


def test_there_are_a_hundred_thousand():
    assert len(PUBLISHED) * len(REWARDS) * GAMES_PER_REWARD >= 100_000
    assert GAMES_PER_REWARD % BATCH == 0


@every(PUBLISHED)
@pytest.mark.parametrize("reward", REWARDS)
def test_engine_and_oracle_agree(edition, reward):
    fewest = 2 if reward == "margin" else 1  # a margin needs a rival
    size = games(BATCH)
    players = np.arange(size) // 6 % (9 - fewest) + fewest  # of each table size, games of all kinds of decisions
    chests, rng = set(), np.random.default_rng(list(REWARDS).index(reward))
    for chunk in range(GAMES_PER_REWARD // BATCH * SCALE):
        both = SideBySide(Batch(size, players, edition, reward), seed=1_000_000_000 + int(rng.integers(2**40)) + chunk)
        assert both.play_to_the_end(rng) >= edition.expeditions
        chests.update(map(tuple, both.batch.games.chest.tolist()))
    assert len(chests) > size / 3  # they were not the same games over and over
