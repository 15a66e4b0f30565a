"""Invalid arguments of a batch: an error that names the argument, no game changed."""

from dataclasses import replace

import numpy as np
import pytest

from diamant_env import EDITIONS, NUM_FEATURES, Batch

NOTHING = np.zeros((2, 3), np.int8)  # no seat leaves
FAIR = np.full((2, 3), 0.5, np.float32)
READ_ONLY = np.zeros((2, 3), np.float32)
READ_ONLY.flags.writeable = False
TRANSPOSED = np.zeros((3, 2), np.float32).T
UNALIGNED = np.zeros(1 + 4 * 2 * 3, np.uint8)[1:].view(np.float32).reshape(2, 3)

ARGUMENTS = [
    ("num_games", 0),
    *(("num_players", wrong) for wrong in (0, [3, 3, 3], 3.0)),
    *(("edition", wrong) for wrong in ("diamond", ["iello-2016"])),
    *(("reward", wrong) for wrong in ("gold", ["win"])),
]

ACTIONS = [
    np.zeros((2, 4), np.int8),
    None,
    np.zeros((2, 3)),
    np.array([[0, 0, 0], [0, 2, 0]], np.int8),
    np.array([[0, 0, -1], [0, 0, 0]], np.int8),
    np.array([[0, 0, 0], [0, 0, 200]], np.uint8),
    np.array([[0, 0, 0], [0, 0, -(2**40)]]),
]

OUTPUTS = [
    ("observations", np.zeros((2, 3, 5), np.float32)),
    ("rewards", [0.0]),
    ("rewards", READ_ONLY),
    ("rewards", UNALIGNED),
    ("rewards", TRANSPOSED),
    ("done", np.zeros(2, np.int8)),
    ("final_observations", np.zeros((2, 3), np.float32)),
    ("final_observations", np.zeros((2, 3, NUM_FEATURES), np.float32)),  # without auto_reset
]

OFF = [FAIR + np.float32([[0] * 3, [0, 0, off]]) for off in (-0.6, 1, np.nan)]
SEEDS = [-1, 1.5, "x", True, 2**70, [1, 2, 3], [1, -2]]
MASKS = [[True], [2, 0], [0.5, 1], "x"]
CALLS = [
    *[("draw_decisions", (wrong, NOTHING), "leave_probability") for wrong in (FAIR.astype(float), FAIR[:, :2], *OFF)],
    ("draw_decisions", (FAIR, NOTHING.astype(np.int64)), "actions"),
    *[("reset", (seed,), "seed") for seed in SEEDS],
    *[("reset", (1, mask), "mask") for mask in MASKS],
    *[(call, (actions,), "action") for call in ("step", "play") for actions in ACTIONS],
]


@pytest.fixture
def batch():
    started = Batch(2, 3)
    started.reset(1)
    return started


def refused(batch, key, call, *given, **named):
    """Assert that the call raises an error that names the argument and changes no game."""
    before = batch.games.tobytes()
    with pytest.raises(ValueError, match=key):
        call(*given, **named)
    assert batch.games.tobytes() == before


@pytest.mark.parametrize(("name", "value"), ARGUMENTS)
def test_invalid_arguments(name, value):
    with pytest.raises(ValueError, match=name):
        Batch(**{"num_games": 2, name: value})


def test_too_many_editions():
    many = [replace(EDITIONS["iello-2016"], name=f"box {i}") for i in range(128)]
    assert len(Batch(127, 3, many[:127]).editions) == 127
    with pytest.raises(ValueError, match="127"):
        Batch(128, 3, many)


@pytest.mark.parametrize(("call", "given", "key"), CALLS)
def test_invalid_calls(batch, call, given, key):
    refused(batch, key, getattr(batch, call), *given)


@pytest.mark.parametrize(("name", "array"), OUTPUTS)
def test_invalid_output_arrays(batch, name, array):
    refused(batch, name, batch.step, NOTHING, **{name: array})
    if name == "observations":
        refused(batch, name, batch.reset, 1, **{name: array})
    elif name != "final_observations":
        refused(batch, name, batch.play, NOTHING, **{name: array})


def test_calls_before_reset():
    for call in (Batch(2, 3).step, Batch(2, 3).play):
        with pytest.raises(RuntimeError):
            call(NOTHING)
    with pytest.raises(ValueError, match="first reset"):
        Batch(2, 3).reset(6, mask=[True, False])
