"""Turns of a table against the same turns played by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from diamant_env import Batch
from diamant_env.evaluation import evaluate
from diamant_env.opponents import SeatedAgents, make_agent
from diamant_env.records import GameSession

GAMES, SEATING = 40, [[0, 1, 0], [1, 0, 1]] * 20


def new_table() -> SeatedAgents:
    batch = Batch(GAMES, 3, reward="win")
    batch.reset(seed=1)
    return SeatedAgents(batch, [make_agent("mixture", 2), make_agent("bag:9")], SEATING)


@pytest.mark.parametrize("auto_reset", [False, True])
def test_turns_equal_steps_by_hand(auto_reset):
    seated, other = new_table(), new_table()
    observations, actions = other.batch.observe(), np.zeros((GAMES, 3), np.int8)
    turns, final = 0, np.zeros_like(observations)
    for turn in seated.turns(auto_reset=auto_reset):
        np.testing.assert_array_equal(turn.observations, observations)
        np.testing.assert_array_equal(turn.leave, other.leave_probabilities(observations))
        other.batch.draw_decisions(turn.leave, actions)
        np.testing.assert_array_equal(turn.actions, actions)
        options = {"auto_reset": True, "final_observations": final} if auto_reset else {}
        observations, rewards, done = other.batch.step(actions, **options)
        np.testing.assert_array_equal(turn.rewards, rewards)
        np.testing.assert_array_equal(turn.done, done)
        np.testing.assert_array_equal(turn.final_observations[done], (final if auto_reset else observations)[done])
        turns += 1
        if turns == 100:
            break
    assert seated.batch.games.tobytes() == other.batch.games.tobytes()
    assert (turns == 100) == auto_reset
    assert seated.batch.over.all() != auto_reset


def test_other_shapes_are_refused():
    seated = new_table()
    seen = seated.batch.observe()
    for rows, mask in ((seen[:1], None), (seen[..., :5], None), (seen, np.ones(GAMES - 1, bool))):
        with pytest.raises(ValueError, match="shape"):
            seated.leave_probabilities(rows, mask)


@pytest.mark.parametrize("seating", [[[0, -2]], [[0, 1]], [[0, 0.5]], [[0]]])
def test_invalid_seating_is_refused(seating):
    with pytest.raises(ValueError, match="seating"):
        SeatedAgents(Batch(1, 2), [make_agent("ev")], seating)


def test_object_with_a_state_is_seated_once():
    stateful = SimpleNamespace(act=lambda obs, episode_start: obs["bag"] > 9)
    with pytest.raises(ValueError, match="seated twice"):
        evaluate(stateful, stateful, 8)
    with pytest.raises(ValueError, match="seated twice"):
        GameSession("iello-2016", [stateful, ("again", stateful)], seed=0)
    around = [SimpleNamespace(act=stateful.act, agent=stateful) for _ in range(2)]
    assert SeatedAgents(Batch(1, 2), around, [[0, 1]]).seating.tolist() == [[0, 1]]
    stateful.stateless = True
    evaluate(stateful, stateful, 8)


def test_stateful_agent_keeps_its_rows_when_reseated():
    rows = []
    agent = SimpleNamespace(
        act=lambda obs, episode_start: (
            rows.append((obs["must_decide"].tolist(), episode_start.tolist())) or episode_start
        )
    )
    batch = Batch(2, 2)
    seated = SeatedAgents(batch, [agent, make_agent("continue")], [[0, 1], [0, 1]])
    seated.leave_probabilities(batch.reset(seed=0))
    for seating, own in (([[1, 0], [0, 1]], [0, 1, 1, 0]), ([[1, 1], [0, 0]], [0, 0, 1, 1])):
        seated.reseat(seating)
        leave = seated.leave_probabilities(batch.observe())
        assert leave.reshape(-1).tolist() == own
        assert rows[-1] == (own, [row == 1 for row in own])
    assert rows[0] == ([1, 1], [True, True])
