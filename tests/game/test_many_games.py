"""A hundred thousand games, each turn compared with the oracle; DIAMANT_TEST_SCALE=100 plays a hundred times more."""

from __future__ import annotations

import numpy as np
import pytest

from diamant_env import Batch
from diamant_env.rewards import REWARDS
from tests.support.many import ManyGames, compare
from tests.support.play import PUBLISHED, SCALE, every, games
from tests.support.side_by_side import Names

PARTS = 6
GAMES_PER_PART = 2_400
BATCH = 1_200


def test_there_are_a_hundred_thousand():
    assert len(PUBLISHED) * PARTS * GAMES_PER_PART >= 100_000
    assert GAMES_PER_PART % BATCH == 0


@every(PUBLISHED)
@pytest.mark.parametrize("part", range(PARTS))
def test_engine_and_oracle_agree(edition, part):
    reward = list(REWARDS)[part % len(REWARDS)]
    fewest = 2 if reward == "margin" else 1  # a margin needs a rival
    size = games(BATCH)
    players = np.arange(size) // 6 % (9 - fewest) + fewest  # of each table size, games of all kinds of decisions
    names = Names(edition)
    chests = set()
    for chunk in range(GAMES_PER_PART // BATCH * SCALE):
        seed = 1_000_000_000 + (part * 1_000_000 + chunk) * BATCH
        played = ManyGames(Batch(size, players, edition, reward), seed)
        assert compare(played, names, edition) > size * edition.expeditions
        chests.update(map(tuple, played.batch.games.chest.tolist()))
    assert len(chests) > size / 3  # they were not the same games over and over
