"""Invalid arguments of a batch: one error with given and allowed values, no game changed."""

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
    ({"num_games": 0}, "num_games=0; a whole number, at least 1"),
    ({"num_players": 0}, "num_players=0; 1 to 8"),
    ({"num_players": [3, 3, 3]}, r"num_players=\[3, 3, 3\]; give a whole number, or one per game \(2,\)"),
    ({"num_players": [[3], [3, 4]]}, r"num_players=.*; its rows must have the same length"),
    ({"num_players": 3.0}, "num_players=3.0; give a whole number"),
    ({"edition": "diamond"}, "unknown edition 'diamond'; published editions: iello-2016"),
    ({"edition": ["iello-2016"]}, "1 editions for 2 games"),
    ({"reward": "gold"}, "unknown reward 'gold'; rewards: score, win, margin"),
    ({"reward": ["win"]}, r"unknown reward \['win'\]; did you mean win"),
    ({"seats": 3}, "seats=3; 4 to 8"),
]

ACTIONS = [
    (np.zeros((2, 4), np.int8), r"actions of shape \(2, 4\) and .*; integers of shape \(2, 3\)"),
    (None, r"actions of shape \(\) and dtype object; integers of shape \(2, 3\)"),
    ([[0, 0, 0], [0]], r"actions=\[\[0, 0, 0\], \[0\]\]; its rows must have the same length"),
    (np.zeros((2, 3)), r"actions of shape \(2, 3\) and dtype float64; integers of shape \(2, 3\) expected"),
    (np.array([[0, 0, 0], [0, 2, 0]], np.int8), "action 2 of seat 1 in game 1; allowed: 0 .* and 1"),
    (np.array([[0, 0, -1], [0, 0, 0]], np.int8), "action -1 of seat 2 in game 0; allowed: 0 .* and 1"),
    (np.array([[0, 0, 0], [0, 0, 200]], np.uint8), "action 200 of seat 2 in game 1; allowed: 0 .* and 1"),
    (np.array([[0, 0, 0], [0, 0, -(2**40)]]), f"action {-(2**40)} of seat 2 in game 1; allowed: 0 .* and 1"),
]

OUTPUTS = [
    ("observations", np.zeros((2, 3, 5), np.float32), r"observations: shape \(2, 3, 5\).*expected"),
    ("rewards", [0.0], "rewards: <class 'list'>; expected"),
    ("rewards", READ_ONLY, "rewards must be C-contiguous, aligned and writeable"),
    ("rewards", UNALIGNED, "rewards must be C-contiguous, aligned and writeable"),
    ("rewards", TRANSPOSED, "rewards must be C-contiguous, aligned and writeable"),
    ("done", np.zeros(2, np.int8), "done: .*dtype int8; expected .* bool"),
    ("final_observations", np.zeros((2, 3), np.float32), r"final_observations: shape \(2, 3\)"),
    ("final_observations", np.zeros((2, 3, NUM_FEATURES), np.float32), "with auto_reset=True only"),
]

OFF = [FAIR + np.float32([[0] * 3, [0, 0, off]]) for off in (-0.6, 1, np.nan)]
SEEDS = [-1, 1.5, "x", True, 2**70, [1, 2, 3], [1, -2], [[3], [3, 4]]]
ALLOWED_SEEDS = (
    r"seed=.*; (give a whole number of at least 0, or one per game \(2,\)|its rows must have the same length)"
)
MASKS = [[True], [2, 0], [0.5, 1], "x"]
CALLS = [
    ("draw_decisions", (FAIR.astype(float), NOTHING), "leave_probability of dtype float64; expected float32"),
    ("draw_decisions", (FAIR[:, :2], NOTHING), r"leave_probability of shape \(2, 2\); expected \(2, 3\)"),
    ("draw_decisions", (FAIR, NOTHING.astype(np.int64)), r"actions: .*dtype int64; expected .* int8"),
    *[("draw_decisions", (off, NOTHING), "leave_probability .* of seat 2 in game 1; 0 to 1 is allow") for off in OFF],
    *[("reset", (seed,), ALLOWED_SEEDS) for seed in SEEDS],
    *[("reset", (1, mask), "mask of (shape|dtype) .*; expected") for mask in MASKS],
    *[(call, (actions,), message) for call in ("step", "play") for actions, message in ACTIONS],
]


@pytest.fixture
def batch():
    started = Batch(2, 3)
    started.reset(1)
    return started


def refused(batch, message, call, *given, **named):
    """Assert that the call raises this message and changes no game."""
    before = batch.games.tobytes()
    with pytest.raises(ValueError, match=message):
        call(*given, **named)
    assert batch.games.tobytes() == before


@pytest.mark.parametrize(("arguments", "message"), ARGUMENTS)
def test_invalid_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        Batch(**{"num_games": 2, **arguments})


def test_too_many_editions():
    many = [replace(EDITIONS["iello-2016"], name=f"box {i}") for i in range(128)]
    assert len(Batch(127, 3, many[:127]).editions) == 127
    with pytest.raises(ValueError, match="128 different editions; at most 127 are allowed in a batch"):
        Batch(128, 3, many)


@pytest.mark.parametrize(("call", "given", "message"), CALLS)
def test_invalid_calls(batch, call, given, message):
    refused(batch, message, getattr(batch, call), *given)


@pytest.mark.parametrize(("name", "array", "message"), OUTPUTS)
def test_invalid_output_arrays(batch, name, array, message):
    refused(batch, message, batch.step, NOTHING, **{name: array})
    if name == "observations":
        refused(batch, message, batch.reset, 1, **{name: array})
    elif name != "final_observations":
        refused(batch, message, batch.play, NOTHING, **{name: array})


def test_calls_before_reset():
    for call in (Batch(2, 3).step, Batch(2, 3).play):
        with pytest.raises(RuntimeError, match="no games yet: call reset"):
            call(NOTHING)
    with pytest.raises(ValueError, match="the first reset must start all games"):
        Batch(2, 3).reset(6, mask=[True, False])
