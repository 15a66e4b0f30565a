"""Canonical inputs in JAX against NumPy."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")

from diamant_env.batch import Batch  # noqa: E402
from diamant_env.jax.inputs import canonical  # noqa: E402
from diamant_env.observation import NUM_FEATURES  # noqa: E402
from diamant_env.opponents.inputs import CANONICAL, INPUTS  # noqa: E402


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
