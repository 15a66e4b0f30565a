"""Layout of the published fields, stated independently: stored networks and data sets depend on it."""

from dataclasses import replace

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete

from diamant_env import (
    CONTINUE,
    FIELDS,
    LEAVE,
    NUM_FEATURES,
    Batch,
    Observations,
    columns,
    diamant_v0,
    observation_space,
)
from diamant_env.editions import EDITIONS
from diamant_env.observation import SLICES, shown_columns
from diamant_env.opponents import make_agent
from diamant_env.state import DECIDE, NO_DECISION, OVER, REVEAL

# name, first column, size, stride, scale, low, high
LAYOUT = [
    ("must_decide", 0, 1, 1, 1, 0, 1),
    ("chest", 1, 1, 1, 32, 0, 15500),
    ("relics", 2, 1, 1, 2, 0, 5),
    ("left_turn", 3, 1, 1, 8, 0, 100),
    ("lead", 4, 1, 1, 16, -15500, 15500),
    ("rival_inside", 5, 7, 5, 1, 0, 1),
    ("rival_chest", 6, 7, 5, 32, 0, 15500),
    ("rival_relics", 7, 7, 5, 2, 0, 5),
    ("rival_left_turn", 8, 7, 5, 8, 0, 100),
    ("rival_present", 9, 7, 5, 1, 0, 1),
    ("num_players", 40, 1, 1, 4, 0, 8),
    ("num_inside", 41, 1, 1, 4, 0, 8),
    ("expedition", 42, 1, 1, 4, 0, 15),
    ("expeditions_left", 43, 1, 1, 4, 0, 14),
    ("turn", 44, 1, 1, 8, 0, 100),
    ("bag", 45, 1, 1, 8, 0, 1000),
    ("path_gems", 46, 1, 1, 8, 0, 1000),
    ("path_relics", 47, 1, 1, 1, 0, 5),
    ("path_relic_value", 48, 1, 1, 8, 0, 500),
    ("relics_taken", 49, 1, 1, 2, 0, 5),
    ("hidden_chests", 50, 1, 1, 1, 0, 1),
    ("bust_chance", 51, 1, 1, 0.125, 0, 1),
    ("expected_share", 52, 1, 1, 1, 0, 1000),
    ("treasures_left", 53, 16, 1, 1, 0, 100),
    ("traps_left", 69, 8, 1, 2, 0, 100),
    ("relics_left", 77, 5, 1, 2, 0, 5),
    ("traps_on_path", 82, 8, 1, 1, 0, 1),
]
NAMES = [row[0] for row in LAYOUT]


@pytest.mark.parametrize(("name", "start", "size", "step", "scale", "low", "high"), LAYOUT, ids=NAMES)
def test_space_and_view_follow_layout(name, start, size, step, scale, low, high):
    space, where = observation_space(), list(range(start, start + size * step, step))
    assert list(range(NUM_FEATURES))[SLICES[name]] == where
    assert (space.low[where].tolist(), space.high[where].tolist()) == ([low / scale] * size, [high / scale] * size)
    flat = np.arange(2 * NUM_FEATURES, dtype=np.float32).reshape(2, NUM_FEATURES)
    values = Observations(flat)[name].reshape(2, size)
    assert values.tolist() == (flat[:, where] * scale).tolist()


def test_observations_is_a_mapping():
    obs = Observations(np.zeros((2, 3, NUM_FEATURES), np.float32))
    assert list(obs) == [field.name for field in FIELDS]
    assert len(obs) == len(FIELDS)
    assert obs["traps_left"].shape == (2, 3, 8)
    assert obs["bag"].dtype == np.float32
    with pytest.raises(KeyError, match="gold"):
        obs["gold"]


def test_deciding_rows_by_edition():
    flat = np.zeros((4, NUM_FEATURES), np.float32)
    assert list(Observations(flat).by_edition()) == []
    flat[1:, 0] = 1
    one, other = EDITIONS["everdeck"], replace(EDITIONS["everdeck"], name="mine")
    for given, expected in (
        ("everdeck", [(one, [1, 2, 3])]),
        (other, [(other, [1, 2, 3])]),
        (["iello-2016", other, "everdeck", other], [(other, [1, 3]), (one, [2])]),
    ):
        assert [(edition, rows.tolist()) for edition, rows in Observations(flat, given).by_edition()] == expected
    with pytest.raises(ValueError, match="edition"):
        make_agent("search:ev").act(Observations(flat), np.zeros(4, bool))


def test_stored_constants_are_unchanged():
    assert (CONTINUE, LEAVE, NO_DECISION) == (0, 1, -1)
    assert (REVEAL, DECIDE, OVER) == (0, 1, 2)


def walk(batch, turns):
    """Yield observations along random turns, and terminal observations."""
    random = np.random.default_rng(0)
    yield batch.reset(5).copy()
    for _ in range(turns):
        actions, final = random.random((batch.num_games, batch.max_players)) < 0.2, batch.observe()
        yield batch.step(actions, auto_reset=True, final_observations=final)[0].copy()
        yield final


def test_hidden_rivals_erase_rival_fields_only():
    hidden, plain = (
        walk(Batch(6, [3, 8] * 3, f"iello-2016/{each}:1"), 40) for each in ("hidden_rivals", "hidden_chests")
    )
    for blank, seen in zip(hidden, plain, strict=True):
        for field in FIELDS:
            values = blank[..., SLICES[field.name]]
            if field.name.startswith("rival_"):
                assert not values.any(), field.name
            else:
                assert np.array_equal(values, seen[..., SLICES[field.name]]), field.name
    assert seen[..., columns("rival_present")].any()


def test_unknown_fields_and_lengths():
    with pytest.raises(ValueError, match="did you mean bag"):
        columns("bag", "bags", "gold")
    with pytest.raises(ValueError, match="of shape"):
        Observations(np.zeros(NUM_FEATURES + 1, np.float32))


def test_columns_in_spaces():
    rows = np.zeros((2, NUM_FEATURES), np.float32)
    rows[:, SLICES["bag"]] = [[1], [2]]
    assert f"  {'bag':<18}8 … 16\n" in repr(Observations(rows))
    assert f"  {'bag':<18}8\n" in repr(Observations(rows[0]))
    assert f"  {'bag':<18}\n" in repr(Observations(rows[:0]))
    for chosen, expected in ((None, range(NUM_FEATURES)), (["bag", "relics"], [45, 2])):
        space = diamant_v0.parallel_env(3, observation=chosen).observation_space("player_0")
        assert shown_columns(space).tolist() == list(expected)
    assert shown_columns(Box(0, 1, (NUM_FEATURES + 1,))) is None
    assert shown_columns(Discrete(NUM_FEATURES)) is None
