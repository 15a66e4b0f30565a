"""From an observation back to a game: with open chests nothing is lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_observation import HIDDEN

from diamant_env import GAME, NUM_FEATURES, Batch, from_observation
from diamant_env.rules import LAST_EVENTS
from tests.support.play import BASE, INVENTED, PUBLISHED, every

OPEN = [replace(edition, hidden_chests=False) for edition in [*PUBLISHED, *INVENTED]]
BY_SEAT = ("chest", "relics", "inside", "left_turn")


def turned(games: np.ndarray, seat: int, players: int) -> np.ndarray:
    """The same games with this seat as seat 0."""
    games = games.copy()
    for name in BY_SEAT:
        games[name][:, :players] = np.roll(games[name][:, :players], -seat, axis=1)
    return games


@every(OPEN)
@pytest.mark.parametrize("players", [1, 2, 5, 8])
def test_the_game_that_produced_an_observation(edition, players):
    batch, rng = Batch(12, players, edition), np.random.default_rng(players)
    rows = batch.reset(1)
    while True:
        for seat in range(players):
            rebuilt = from_observation(rows[:, seat], batch.games.key, edition)
            expected = turned(batch.games, seat, players)
            for name in set(GAME.names) - set(LAST_EVENTS):
                assert np.array_equal(rebuilt[name], expected[name]), name
        if batch.over.all():
            break
        rows, _, _ = batch.step((rng.random((12, players)) < 0.15).astype(np.int8))


@every(OPEN)
def test_a_rebuilt_game_shows_the_same_and_goes_on_alike(edition):
    batch, rng = Batch(12, 5, edition), np.random.default_rng(1)
    batch.reset(1)
    for _ in range(6):
        batch.step((rng.random((12, 5)) < 0.1).astype(np.int8))
    again = Batch(12, 5, edition)
    again.restore(from_observation(batch.observe()[:, 0], batch.games.key, edition))
    assert again.observe().tobytes() == batch.observe().tobytes()
    while not batch.over.all():
        actions = (rng.random((12, 5)) < 0.1).astype(np.int8)
        for array, other in zip(batch.step(actions), again.step(actions), strict=True):
            assert array.tobytes() == other.tobytes()


def test_nothing_is_remembered_of_the_last_turn():
    batch = Batch(3, 4)
    games = from_observation(batch.reset(1)[:, 0], [1, 2, 3])
    assert games.key.tolist() == [1, 2, 3]
    assert (games.decision == -1).all()
    assert (games.last_card == -1).all()


ROWS = np.zeros((2, NUM_FEATURES), np.float32)


@pytest.mark.parametrize(
    ("rows", "keys", "message"),
    [
        (ROWS[0], [1], rf"observations of shape \({NUM_FEATURES},\); expected \(rows, {NUM_FEATURES}\)"),
        (ROWS[:, :5], [1, 2], rf"observations of shape \(2, 5\); expected \(rows, {NUM_FEATURES}\)"),
        (Batch(2, 3).reset(1)[:, 0], [1], r"keys of shape \(1,\); expected \(2,\)"),
        (Batch(1, 3).reset(1)[:, 0], [-1], r"keys=\[-1\]; whole numbers from 0 to 18446744073709551615 are allowed"),
        (Batch(1, 3).reset(1)[:, 0], [1.7], r"keys=\[1.7\]; whole numbers from 0 to 18446744073709551615 are allowed"),
        (
            Batch(1, 3).reset(1)[:, 0],
            np.ones(1),
            r"keys=array.*; whole numbers from 0 to 18446744073709551615 are allowed",
        ),
        (Batch(1, 3).reset(1)[:, 0], np.array([-1]), r"keys=array\(\[-1\]\); whole numbers"),
        (Batch(1, 3).reset(1)[:, 0], [2**64], r"keys=\[18446744073709551616\]; whole numbers"),
        (Batch(1, 3).reset(1)[:, 0], ["a"], r"keys=\['a'\]; whole numbers"),
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
