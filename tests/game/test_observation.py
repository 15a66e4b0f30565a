"""What a player sees, by name and in natural units; that each value is right says `test_at_a_glance`."""

from __future__ import annotations

import numpy as np
import pytest

from diamant_env import FIELDS, NUM_FEATURES, Batch, Observations
from diamant_env.observation import SLICES


def test_observations_decode_to_natural_units():
    batch = Batch(5, 4)
    rows = batch.reset(1)
    obs = Observations(rows.reshape(-1, NUM_FEATURES))
    assert list(obs) == [field.name for field in FIELDS]
    assert len(obs) == len(FIELDS)
    for field in FIELDS:
        values = obs[field.name]
        assert values.dtype == np.float32
        assert values.shape == ((20,) if field.size == 1 else (20, field.size))
        back = np.float32(1 / field.scale) * values
        assert back.ravel().tobytes() == obs.flat[:, SLICES[field.name]].tobytes()
    one = Observations(rows[2, 1])
    assert one["bag"] == obs["bag"][9]
    assert (one["treasures_left"] == obs["treasures_left"][9]).all()


def test_observations_refuse_other_shapes_and_names():
    with pytest.raises(ValueError, match=rf"shape \(3, 7\); the last axis must have {NUM_FEATURES} features"):
        Observations(np.zeros((3, 7), np.float32))
    with pytest.raises(ValueError, match="observations: <class 'list'>; expected an array"):
        Observations([1, 2])
    with pytest.raises(KeyError, match="no field 'gold'; fields: must_decide, chest"):
        Observations(np.zeros((3, NUM_FEATURES), np.float32))["gold"]
