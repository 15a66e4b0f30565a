"""What a batch refuses: the message names what was given and what is allowed, and nothing was played."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from diamant_env import EDITIONS, NUM_FEATURES, Batch

READ_ONLY = np.zeros((2, 3), np.float32)
READ_ONLY.flags.writeable = False
TURNED = np.zeros((3, 2), np.float32).T
UNALIGNED = np.zeros(1 + 4 * 2 * 3, np.uint8)[1:].view(np.float32).reshape(2, 3)

ARGUMENTS = [
    ({"num_games": 0}, "num_games=0; a whole number of at least 1"),
    ({"num_players": 0}, "num_players=0; 1 to 8"),
    ({"num_players": 9}, "num_players=9; 1 to 8"),
    ({"num_players": [3, 9]}, r"num_players=\[3, 9\]; 1 to 8"),
    ({"num_players": [3, 3, 3]}, r"num_players=\[3, 3, 3\]; give a whole number, or one per game \(2,\)"),
    ({"num_players": 3.0}, "num_players=3.0; give a whole number"),
    ({"num_players": "three"}, "num_players='three'; give a whole number"),
    ({"edition": "diamond"}, "unknown edition 'diamond'; published editions: iello-2016"),
    ({"edition": ["iello-2016"]}, "1 editions for 2 games"),
    ({"edition": ["iello-2016", "diamond"]}, "unknown edition 'diamond'"),
    ({"reward": "gold"}, "unknown reward 'gold'; rewards: score, win, margin"),
    ({"reward": "margin", "num_players": [4, 1]}, "margin"),
    ({"seats": 3}, "seats=3; 4 to 8"),
    ({"seats": 9}, "seats=9; 4 to 8"),
]

ACTIONS = [
    (np.zeros((2, 4), np.int8), r"actions of shape \(2, 4\); expected \(2, 3\)"),
    (np.zeros(3, np.int8), r"actions of shape \(3,\); expected \(2, 3\)"),
    (None, r"actions of shape \(\); expected \(2, 3\)"),
    (np.zeros((2, 3)), "actions of dtype float64; expected int8"),
    (np.full((2, 3), 256), "actions of dtype int64; expected int8"),
    (np.array([[0, 0, 0], [0, 2, 0]], np.int8), "action 2 of seat 1 in game 1; allowed: 0 .* and 1"),
    (np.array([[0, 0, -1], [0, 0, 0]], np.int8), "action -1 of seat 2 in game 0; allowed: 0 .* and 1"),
]

OUTPUTS = [
    ("observations", np.zeros((2, 3, 5), np.float32), r"observations: shape \(2, 3, 5\).*expected"),
    ("observations", np.zeros((2, 3, NUM_FEATURES)), "observations: .*dtype float64; expected .* float32"),
    ("rewards", [0.0], "rewards: <class 'list'>; expected"),
    ("rewards", READ_ONLY, "rewards must be C-contiguous, aligned and writeable"),
    ("rewards", UNALIGNED, "rewards must be C-contiguous, aligned and writeable"),
    ("rewards", TURNED, "rewards must be C-contiguous, aligned and writeable"),
    ("done", np.zeros(2, np.int8), "done: .*dtype int8; expected .* bool"),
    ("final_observations", np.zeros((2, 3), np.float32), r"final_observations: shape \(2, 3\)"),
]


@pytest.fixture
def batch():
    started = Batch(2, 3)
    started.reset(1)
    return started


@pytest.mark.parametrize(("arguments", "message"), ARGUMENTS)
def test_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        Batch(**{"num_games": 2, **arguments})


@pytest.mark.parametrize("seed", [-1, 1.5, "x", True, 2**70, [1, 2, 3], [1, -2]])
def test_seeds(batch, seed):
    before = batch.games.tobytes()
    with pytest.raises(ValueError, match=r"seed=.*; give a whole number of at least 0, or one per game \(2,\)"):
        batch.reset(seed)
    assert batch.games.tobytes() == before


@pytest.mark.parametrize("mask", [[True], [2, 0], [0.5, 1], "x"])
def test_masks(batch, mask):
    before = batch.games.tobytes()
    with pytest.raises(ValueError, match=r"mask of (shape|dtype) .*; expected"):
        batch.reset(1, mask)
    assert batch.games.tobytes() == before


@pytest.mark.parametrize(("actions", "message"), ACTIONS)
def test_actions(batch, actions, message):
    before = batch.games.tobytes()
    for call in (batch.step, batch.play):
        with pytest.raises(ValueError, match=message):
            call(actions)
    assert batch.games.tobytes() == before


@pytest.mark.parametrize(("name", "array", "message"), OUTPUTS)
def test_outputs(batch, name, array, message):
    before = batch.games.tobytes()
    calls = [partial(batch.step, np.zeros((2, 3), np.int8))]
    calls += [partial(batch.reset, 1)] * (name == "observations")
    calls += [partial(batch.play, np.zeros((2, 3), np.int8))] * (name in ("rewards", "done"))
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call(**{name: array})
    assert batch.games.tobytes() == before


def test_final_observations_need_auto_reset(batch):
    with pytest.raises(ValueError, match="with auto_reset=True only"):
        batch.step(np.zeros((2, 3), np.int8), final_observations=batch.observe())


@pytest.mark.parametrize("call", ["step", "play"])
def test_before_the_first_reset(call):
    with pytest.raises(RuntimeError, match=f"{call} before reset"):
        getattr(Batch(2, 3), call)(np.zeros((2, 3), np.int8))


@pytest.mark.parametrize("form", [np.int64, np.uint8, bool, "not contiguous"])
def test_actions_of_other_integers_are_taken(batch, form):
    other = Batch(2, 3)
    other.reset(1)
    leave = np.array([[1, 0, 0], [0, 1, 1]])
    batch.step(np.repeat(leave, 2, axis=1)[:, ::2] if form == "not contiguous" else leave.astype(form))
    other.step(leave.astype(np.int8))
    assert batch.games.tobytes() == other.games.tobytes()


def test_what_idle_seats_send_is_ignored(batch):
    other = Batch(2, 3)
    other.reset(1)
    for actions in ([[1, 0, 0], [1, 0, 0]], [[77, 0, 0], [-128, 1, 0]]):
        batch.step(np.array(actions, np.int8))
        other.step(np.array(actions, np.int8).clip(0, 1) * other.must_decide)
    assert batch.games.tobytes() == other.games.tobytes()


def test_drawn_decisions(batch):
    fair, actions = np.zeros((2, 3), np.float32), np.zeros((2, 3), np.int8)
    with pytest.raises(ValueError, match="leave_probability of dtype float64; expected float32"):
        batch.draw_decisions(fair.astype(float), actions)
    with pytest.raises(ValueError, match=r"leave_probability of shape \(2, 2\); expected \(2, 3\)"):
        batch.draw_decisions(fair[:, :2], actions)
    with pytest.raises(ValueError, match=r"actions: .*dtype int64; expected .* int8"):
        batch.draw_decisions(fair, actions.astype(np.int64))


def test_more_editions_than_a_batch_can_number():
    many = [replace(EDITIONS["iello-2016"], name=f"box {i}") for i in range(128)]
    assert len(Batch(127, 3, many[:127]).editions) == 127
    with pytest.raises(ValueError, match="128 different editions; at most 127 are allowed in a batch"):
        Batch(128, 3, many)


@pytest.mark.parametrize("wrong", [-0.1, 1.5, np.nan])
def test_what_is_no_probability(wrong):
    batch, leave = Batch(2, 3), np.full((2, 3), 0.5, np.float32)
    batch.reset(1)
    leave[1, 2] = wrong
    with pytest.raises(ValueError, match=r"leave_probability .* of seat 2 in game 1; 0 to 1 is allowed"):
        batch.draw_decisions(leave, np.zeros((2, 3), np.int8))


def test_a_batch_names_actions_of_any_integer_type():
    batch = Batch(2, 3)
    batch.reset(1)
    before = batch.games.tobytes()
    for value, dtype in ((300, np.int64), (-(2**40), np.int64), (200, np.uint8), (2, np.int64)):
        actions = np.zeros((2, 3), dtype)
        actions[1, 2] = value
        with pytest.raises(ValueError, match=rf"action {value} of seat 2 in game 1; allowed: 0 .* and 1"):
            batch.step(actions)
    with pytest.raises(ValueError, match=r"actions=\[\[0, 0, 0\], \[0\]\]; its rows must have the same length"):
        batch.step([[0, 0, 0], [0]])
    with pytest.raises(ValueError, match=r"num_players=.*; its rows must have the same length"):
        Batch(2, [[3], [3, 4]])
    with pytest.raises(ValueError, match=r"seed=.*; its rows must have the same length"):
        batch.reset([[3], [3, 4]])
    assert batch.games.tobytes() == before
    batch.step([[1, 0, 0], [1, 0, 0]])
    batch.step([[300, 0, 0], [-300, 0, 0]])  # idle seats
