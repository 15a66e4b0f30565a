"""Engine against oracle in random games."""

import numpy as np
import pytest

from diamant_env import Batch
from diamant_env.rewards import REWARDS
from tests.support.play import INVENTED, PUBLISHED, SCALE, every
from tests.support.side_by_side import SideBySide

# Seven thousand random games; DIAMANT_TEST_SCALE multiplies them.
BATCH = 144


@every([*PUBLISHED, *INVENTED])
@pytest.mark.parametrize("reward", REWARDS)
def test_engine_and_oracle_agree(edition, reward):
    fewest = 2 if reward == "margin" else 1  # a margin needs a rival
    players = np.arange(BATCH) // 6 % (9 - fewest) + fewest  # every table size with every kind of decisions
    chests, rng = set(), np.random.default_rng(list(REWARDS).index(reward))
    for chunk in range(SCALE):
        both = SideBySide(Batch(BATCH, players, edition, reward), seed=1_000_000_000 + int(rng.integers(2**40)) + chunk)
        assert both.play_to_the_end(rng) >= edition.expeditions
        chests.update(map(tuple, both.batch.games.chest.tolist()))
    assert len(chests) > BATCH / 3  # distinct games
