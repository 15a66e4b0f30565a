"""Steps without observations against steps with them."""

from __future__ import annotations

import numpy as np
import pytest

from diamant_env import Batch
from diamant_env.editions import EDITIONS

MIXED = {
    "num_players": [1, 2, 3, 4, 5, 6, 7, 8] * 5,
    "edition": [name for name in EDITIONS for _ in range(6)][:40],
}


def random_actions(batch, seed):
    return np.random.default_rng(seed).integers(0, 2, (batch.num_games, batch.seats)).astype(np.int8)


def mixed(reward="win", **arguments):
    if reward == "margin":
        arguments["num_players"] = [max(2, players) for players in MIXED["num_players"]]
    return Batch(40, **{**MIXED, **arguments}, reward=reward)


def as_bytes(arrays):
    return [array.tobytes() for array in arrays]


@pytest.mark.parametrize("auto_reset", [False, True])
@pytest.mark.parametrize("reward", ["score", "win", "margin"])
def test_play_equals_step_without_observations(reward, auto_reset):
    one, unseen = mixed(reward), mixed(reward)
    assert unseen.reset(1).tobytes() == one.reset(1).tobytes()
    for turn in range(60):
        actions = random_actions(one, turn)
        assert (
            as_bytes(unseen.play(actions, auto_reset=auto_reset))
            == as_bytes(one.step(actions, auto_reset=auto_reset))[1:]
        )
        assert unseen.games.tobytes() == one.games.tobytes()
