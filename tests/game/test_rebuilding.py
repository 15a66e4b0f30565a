"""From an observation back to a game: with open chests nothing is lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from diamant_env import NUM_FEATURES, Batch, from_observation
from tests.support.play import BASE, PRINTED, every

HIDDEN = replace(BASE, name="hidden chests", hidden_chests=True)


@every([BASE, PRINTED])
def test_a_rebuilt_game_shows_the_same_and_goes_on_alike(edition):
    batch, rng = Batch(12, 5, edition), np.random.default_rng(1)
    batch.reset(1)
    for _ in range(6):
        batch.step((rng.random((12, 5)) < 0.1).astype(np.int8))
    again = Batch(12, 5, edition)
    again.restore(from_observation(batch.observe()[:, 0], batch.games.key, edition))
    assert again.observe().tobytes() == batch.observe().tobytes()
    assert again.play_out(0.1).tobytes() == batch.play_out(0.1).tobytes()


def test_nothing_is_remembered_of_the_last_turn():
    batch = Batch(3, 4)
    games = from_observation(batch.reset(1)[:, 0], [1, 2, 3])
    assert games.key.tolist() == [1, 2, 3]
    assert (games.decision == -1).all()
    assert (games.last_card == -1).all()


ROWS = np.zeros((2, NUM_FEATURES), np.float32)
ROW = Batch(1, 3).reset(1)[:, 0]


@pytest.mark.parametrize(
    ("rows", "keys", "message"),
    [
        (ROWS[0], [1], rf"observations of shape \({NUM_FEATURES},\); expected \(rows, {NUM_FEATURES}\)"),
        (ROWS[:, :5], [1, 2], rf"observations of shape \(2, 5\); expected \(rows, {NUM_FEATURES}\)"),
        (Batch(2, 3).reset(1)[:, 0], [1], r"keys of shape \(1,\); expected \(2,\)"),
        (ROW, [-1], r"keys=\[-1\]; whole numbers from 0 to 18446744073709551615 are allowed"),
        (ROW, [1.7], r"keys=\[1.7\]; whole numbers"),
        (ROW, np.ones(1), r"keys=array.*; whole numbers"),
        (ROW, np.array([-1]), r"keys=array\(\[-1\]\); whole numbers"),
        (ROW, [2**64], r"keys=\[18446744073709551616\]; whole numbers"),
        (ROW, ["a"], r"keys=\['a'\]; whole numbers"),
        (Batch(2, 3, HIDDEN).reset(1)[:, 0], [1, 2], "hide the rivals' chests"),
        (Batch(2, [3, 4]).reset(1)[:, 3], [1, 2], "row 0 is of a seat that its table does not have"),
    ],
)
def test_errors(rows, keys, message):
    with pytest.raises(ValueError, match=message):
        from_observation(rows, keys)


def test_every_key_is_allowed():
    assert from_observation(Batch(2, 3).reset(1)[:, 0], [1, 2**64 - 1]).key.tolist() == [1, 2**64 - 1]


def test_an_unknown_edition():
    with pytest.raises(ValueError, match="unknown edition 'diamond'"):
        from_observation(Batch(1, 3, BASE).reset(1)[:, 0], [1], "diamond")
