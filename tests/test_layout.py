"""The layout of the observation, said once more: whoever stored a network or a file of observations relies on it."""

from __future__ import annotations

import numpy as np
import pytest

from diamant_env import CONTINUE, FIELDS, GAME, LEAVE, NUM_FEATURES, OBSERVATION, Observations, observation_space
from diamant_env.observation import SLICES, field_table
from diamant_env.rules import DECIDE, NO_DECISION, OVER, REVEAL

# name, first index, numbers, divided by, lowest, highest
LAYOUT = [
    ("must_decide", 0, 1, 1, 0, 1),
    ("chest", 1, 1, 32, 0, 15500),
    ("relics", 2, 1, 2, 0, 5),
    ("left_turn", 3, 1, 8, 0, 100),
    ("lead", 4, 1, 16, -15500, 15500),
    ("num_players", 5, 1, 4, 1, 8),
    ("num_inside", 6, 1, 4, 0, 8),
    ("expedition", 7, 1, 4, 1, 15),
    ("expeditions_left", 8, 1, 4, 0, 14),
    ("turn", 9, 1, 8, 0, 100),
    ("bag", 10, 1, 8, 0, 1000),
    ("path_gems", 11, 1, 8, 0, 1000),
    ("path_relics", 12, 1, 1, 0, 5),
    ("path_relic_value", 13, 1, 8, 0, 500),
    ("relics_taken", 14, 1, 2, 0, 5),
    ("hidden_chests", 15, 1, 1, 0, 1),
    ("bust_chance", 16, 1, 0.125, 0, 1),
    ("expected_share", 17, 1, 1, 0, 1000),
    ("treasures_left", 18, 16, 1, 0, 100),
    ("traps_left", 34, 8, 2, 0, 100),
    ("traps_on_path", 42, 8, 1, 0, 1),
    ("relics_left", 50, 5, 2, 0, 5),
    ("rival_present", 55, 7, 1, 0, 1),
    ("rival_inside", 62, 7, 1, 0, 1),
    ("rival_chest", 69, 7, 32, 0, 15500),
    ("rival_relics", 76, 7, 2, 0, 5),
    ("rival_left_turn", 83, 7, 8, 0, 100),
]


def test_the_fields_are_these():
    found = [(name, SLICES[name].start, size, scale, low, high) for name, size, scale, low, high, _ in FIELDS]
    assert found == LAYOUT


@pytest.mark.parametrize(("name", "start", "size", "scale", "low", "high"), LAYOUT, ids=[row[0] for row in LAYOUT])
def test_the_space_the_record_and_the_view_agree(name, start, size, scale, low, high):
    space, where = observation_space(), slice(start, start + size)
    assert SLICES[name] == where
    assert (space.low[where].tolist(), space.high[where].tolist()) == ([low / scale] * size, [high / scale] * size)
    dtype, offset = OBSERVATION.fields[name][:2]
    assert (dtype.base, dtype.itemsize, offset) == (np.float32, 4 * size, 4 * start)
    assert dtype.shape == (() if size == 1 else (size,))
    flat = np.arange(2 * NUM_FEATURES, dtype=np.float32).reshape(2, NUM_FEATURES)
    values = Observations(flat)[name].reshape(2, size)
    assert values.tolist() == (flat[:, where] * scale).tolist()


def test_the_vector_ends_with_the_last_field():
    assert NUM_FEATURES == LAYOUT[-1][1] + LAYOUT[-1][2] == len(OBSERVATION.names) + sum(row[2] - 1 for row in LAYOUT)
    assert isinstance(np.zeros(1, OBSERVATION)[0], np.record)


@pytest.mark.parametrize(
    "shape", [(NUM_FEATURES - 1,), (3, NUM_FEATURES + 1), (NUM_FEATURES, 3), (NUM_FEATURES, 999), ()]
)
def test_the_view_wants_whole_observations(shape):
    with pytest.raises(ValueError, match=f"the last axis must have {NUM_FEATURES} features"):
        Observations(np.zeros(shape, np.float32))
    assert Observations(np.zeros((2, 3, NUM_FEATURES), np.float32))["traps_left"].shape == (2, 3, 8)


def test_the_numbers_in_saved_games_keep_their_meaning():
    assert (CONTINUE, LEAVE, NO_DECISION) == (0, 1, -1)
    assert (REVEAL, DECIDE, OVER) == (0, 1, 2)


def test_the_record_of_a_game_is_aligned_as_a_struct_in_c():
    assert GAME.isalignedstruct
    assert all(offset % dtype.base.itemsize == 0 for dtype, offset in GAME.fields.values())


def test_the_rows_of_the_table():
    lines = field_table().splitlines()
    assert lines[:2] == ["| index | field | divided by | range | meaning |", "|---|---|---|---|---|"]
    for line, (name, start, size, scale, low, high), field in zip(lines[2:], LAYOUT, FIELDS, strict=True):
        index = str(start) if size == 1 else f"{start}–{start + size - 1}"
        assert line == f"| {index} | `{name}` | {scale} | {low} … {high} | {field.meaning} |"
