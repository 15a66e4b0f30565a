"""Turns of a table against the same turns played by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from diamant_env import Batch
from diamant_env.opponents import Table, make

GAMES, SEATING = 40, [[0, 1, 0], [1, 0, 1]] * 20


def tables() -> tuple[Table, Table]:
    """Return two equal tables, reset alike."""
    found = []
    for _ in range(2):
        batch = Batch(GAMES, 3, reward="win")
        batch.reset(seed=1)
        found.append(Table(batch, [make("mixture", 2), make("bag:9")], SEATING))
    return found[0], found[1]


@pytest.mark.parametrize("auto_reset", [False, True])
def test_turns_equal_steps_by_hand(auto_reset):
    table, other = tables()
    observations, actions = other.batch.observe(), np.zeros((GAMES, 3), np.int8)
    turns, final = 0, np.zeros_like(observations)
    for turn in table.turns(auto_reset=auto_reset):
        np.testing.assert_array_equal(turn.observations, observations)
        np.testing.assert_array_equal(turn.leave, other.leave_probabilities(observations))
        other.batch.draw_decisions(turn.leave, actions)
        np.testing.assert_array_equal(turn.actions, actions)
        how = {"auto_reset": True, "final_observations": final} if auto_reset else {}
        observations, rewards, done = other.batch.step(actions, **how)
        np.testing.assert_array_equal(turn.rewards, rewards)
        np.testing.assert_array_equal(turn.done, done)
        np.testing.assert_array_equal(turn.next_observations, observations)
        np.testing.assert_array_equal(turn.final_observations[done], (final if auto_reset else observations)[done])
        turns += 1
        if turns == 100:
            break
    assert table.batch.games.tobytes() == other.batch.games.tobytes()
    assert (turns == 100) == auto_reset
    assert table.batch.over.all() != auto_reset


def test_games_stop_where_the_caller_says():
    table, other = tables()
    playing, whole = np.ones(GAMES, bool), other.play_out()
    stopped, earned = np.arange(GAMES) % 2 == 0, np.zeros((GAMES, 3))
    for number, turn in enumerate(table.turns(playing=playing)):
        earned += turn.rewards
        if number == 2:
            assert not turn.done.any()
            playing &= ~stopped
    assert table.batch.over.tolist() == (~stopped).tolist()
    np.testing.assert_array_equal(earned, np.where(stopped[:, None], 0, whole))


def test_first_decisions_of_the_caller():
    table, _ = tables()
    leave = np.zeros((GAMES, 3), np.float32)
    leave[:, 1] = 1
    first, *_ = (turn.actions.tolist() for turn in table.turns(leave))
    assert first == [[0, 1, 0]] * GAMES


def test_stateful_agent_sees_no_game_begin_that_does_not_play():
    given = []

    def act(obs, first):
        given.append((first.tolist(), obs["must_decide"].tolist()))
        return np.zeros(len(first), np.float32)

    batch = Batch(2, 2)
    table = Table(batch, [SimpleNamespace(act=act), make("ev")], [[0, 1]] * 2, reseated=True)
    table.leave_probabilities(batch.reset(seed=0), np.array([True, False]))
    assert given == [([True, False, False, False], [1, 0, 0, 0])]
