"""Canonical inputs in JAX against NumPy."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")

from diamant_env import EDITIONS  # noqa: E402
from diamant_env.advice.hint import observations_of  # noqa: E402
from diamant_env.batch import Batch  # noqa: E402
from diamant_env.editions import FIRST_RELIC  # noqa: E402
from diamant_env.jax.inputs import canonical  # noqa: E402
from diamant_env.observation import NUM_FEATURES  # noqa: E402
from diamant_env.opponents.inputs import CANONICAL, INPUTS  # noqa: E402
from tests.support.play import Play  # noqa: E402


@pytest.mark.parametrize(("players", "hidden"), [(2, False), (4, False), (4, True), (8, False)])
def test_jax_inputs_equal_numpy_inputs(players, hidden):
    batch, random = Batch(200, players, "incan-gold-2020", hidden_chests=hidden), np.random.default_rng(0)
    observations, compared = batch.reset(0), 0
    functions = [jax.jit(jax.vmap(lambda row, size=size: canonical(row, size))) for size in {players, 8}]
    while not batch.over.all():
        deciding = observations[:, :, 0] > 0
        for function in functions:
            found = np.asarray(function(observations.reshape(-1, NUM_FEATURES)))[deciding.reshape(-1)]
            np.testing.assert_array_equal(found, INPUTS[CANONICAL](observations[deciding]))
        compared += deciding.sum()
        observations, *_ = batch.step((random.random((200, players)) < 0.2).astype(np.int8))
    assert compared > 1000


def test_rivals_are_sorted_by_left_turn_before_relics():
    """Two rivals in camp with equal chests: one left later, the other has all five relics."""
    game = Play([1], 3).game
    game["inside"][1:3], game["num_inside"], game["turn"] = 0, 1, 3
    game["left_turn"][1:3], game["relics"][1:3], game["relics_taken"] = [2, 1], [0, 5], 5
    game["deck"][FIRST_RELIC], game["deck_size"] = 0, game["deck_size"] - 5
    for order in ([1, 2], [2, 1]):
        for name in ("left_turn", "relics"):
            game[name][1:3] = game[name][order]
        row = observations_of(0, [game], EDITIONS["iello-2016"])
        np.testing.assert_array_equal(canonical(row[0], 3), INPUTS[CANONICAL](row)[0])
