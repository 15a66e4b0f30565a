"""The canonical inputs in JAX are those that a policy file names."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")

from diamant_env.batch import Batch  # noqa: E402
from diamant_env.jax.inputs import canonical  # noqa: E402
from diamant_env.opponents.inputs import CANONICAL, INPUTS  # noqa: E402


@pytest.mark.parametrize(("players", "hidden"), [(2, False), (4, False), (4, True), (8, False)])
def test_same_numbers_as_in_numpy(players, hidden):
    batch, random = Batch(200, players, "incan-gold-2020", hidden_chests=hidden), np.random.default_rng(0)
    observations, compared = batch.reset(0), 0
    while not batch.over.all():
        rows = observations[observations[:, :, 0] > 0]
        expected = INPUTS[CANONICAL](rows)
        for size in {players, 8}:
            found = jax.vmap(lambda row, size=size: canonical(row, size))(rows)
            np.testing.assert_array_equal(np.asarray(found), expected)
        compared += len(rows)
        observations, *_ = batch.step((random.random((200, players)) < 0.2).astype(np.int8))
    assert compared > 1000
