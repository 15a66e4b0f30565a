"""Small whole games: counts of states, known figures, simulated games, equilibria, bad input."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from diamant_env import Batch, Edition, Observations, exact
from diamant_env.editions import FIRST_TRAP
from diamant_env.exact.whole import graph
from diamant_env.opponents import make_agent
from diamant_env.rewards import REWARDS
from diamant_env.state import DECIDE
from tests.exact.test_exact import TINY, TINY_KEPT, TINY_RELICS, act_by_bag
from tests.support.play import every

COUNTED = Edition("counted", (2, 3, 5), ("mud", "wind"), trap_copies=2, expeditions=2)
FOUR = Edition("four", (5,), ("mud",), expeditions=2, relics=(4,), tie_break="relics")
whole_game = cache(exact.WholeGame)


def test_number_of_states_equals_independent_count():
    """34,727 decisions, if seats and kinds of trap are interchangeable and turns of leaving are forgotten."""
    games = whole_game(COUNTED, 3).graph.games
    games = games[games["phase"] == DECIDE]
    seats = np.sort(2 * games["chest"][:, :3] + games["inside"][:, :3], axis=1)
    traps = np.sort(2 * games["deck"][:, FIRST_TRAP : FIRST_TRAP + 2] + games["on_path"][:, :2], axis=1)
    table = np.stack([games[name] for name in ("expedition", "bag", "path_gems")], axis=1)
    merged = np.concatenate([seats, traps, table, games["deck"][:, :FIRST_TRAP]], axis=1)
    assert len(np.unique(merged, axis=0)) == 34_727


@pytest.mark.parametrize("players", [2, 3])
@every([TINY, TINY_RELICS])
def test_one_expedition_equals_tree(edition, players):
    tree, agent = (
        exact.build_tree(exact.start_of_expedition(edition, players), edition),
        SimpleNamespace(act=act_by_bag),
    )
    expected = exact.best_response(exact.policy_of(agent, tree), tree)
    found = exact.WholeGame(edition, players).best_response(agent, "score")
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(("edition", "players"), [(COUNTED, 2), (TINY_RELICS, 3), (FOUR, 4)])
@pytest.mark.parametrize("reward", REWARDS)
def test_equilibrium_has_no_nash_conv(edition, players, reward):
    game = whole_game(edition, players)
    policy = game.solve_equilibrium(reward)
    assert abs(game.best_response(policy, reward).nash_conv) < 1e-12
    by_seat = game.best_response([policy] * players, reward)
    np.testing.assert_allclose(by_seat.profile_value, by_seat.profile_value[0], atol=1e-12)
    other = game.best_response(make_agent("ev:0"), reward)
    assert other.exploitability > 0.01


@pytest.mark.parametrize(("edition", "players"), [(COUNTED, 3), (FOUR, 4)])
def test_agent_plays_policy_at_every_state(edition, players):
    game = whole_game(edition, players)
    policy = game.solve_equilibrium("win")
    np.testing.assert_array_equal(game.policy_of(game.agent(policy)), policy.astype(np.float32))


@pytest.mark.parametrize("hidden", ["hidden_chests", "hidden_rivals"])
def test_agent_refuses_hidden_information(hidden):
    game = exact.WholeGame(TINY, 2)
    agent = game.agent(np.zeros((len(game.graph.states), 2)), "equilibrium")
    edition = TINY.replace(**{hidden: True})
    observations = Batch(1, 2, edition).reset(seed=0)
    with pytest.raises(ValueError, match="open chests"):
        agent.act(Observations(observations[0], edition), np.ones(2, bool))


def test_bad_input_is_refused(monkeypatch):
    game = exact.WholeGame(TINY, 2)
    for call, key in (
        (lambda: game.best_response(np.zeros((3, 2))), "policy"),
        (lambda: game.agent(np.zeros((3, 2))), "policy"),
        (lambda: game.best_response([make_agent("ev:0")] * 3), "3 agents"),
        (lambda: game.best_response(make_agent("ev:0"), "gems"), "reward"),
        (lambda: game.best_response(make_agent("ev:0"), len), "reward"),
        (lambda: game.best_response("ev:0"), "method act"),
        (lambda: exact.WholeGame(COUNTED, 2).policy_of(make_agent("mixture:2,4")), "differently"),
    ):
        with pytest.raises(ValueError, match=key):
            call()
    monkeypatch.setattr(graph, "MAX_STATES", 100)
    with pytest.raises(ValueError, match="100 states"):
        exact.WholeGame(TINY, 2)


@pytest.mark.parametrize("players", [2, 3])
def test_equilibrium_in_score_is_one_of_the_game_with_all_information(players):
    """Of relics that the last to leave takes, later expeditions have the values of both methods."""
    solved = exact.solve_equilibrium(players, TINY_KEPT, whole_game=True)
    found = exact.WholeGame(TINY_KEPT, players).best_response(make_agent("equilibrium"), "score")
    assert found.profile_value == pytest.approx(solved.value, abs=1e-6)  # strategies are float32
    assert abs(found.exploitability) < 1e-6
