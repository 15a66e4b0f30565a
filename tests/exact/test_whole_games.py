"""Whole games: for score by expeditions, and small ones at all states."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from diamant_env import Batch, Edition, Observations, exact
from diamant_env.commands.exact import measure, rows_report
from diamant_env.editions import FIRST_TRAP
from diamant_env.exact.response import games_at, whole_response
from diamant_env.exact.whole import graph
from diamant_env.opponents import make_agent
from diamant_env.opponents.solved import EquilibriumAgent
from diamant_env.rewards import REWARDS
from diamant_env.state import DECIDE
from tests.exact.test_exact import (
    CARDS_30,
    SMALL_LONG,
    TINY,
    TINY_KEPT,
    TINY_LATE,
    TINY_RELICS,
    TINY_TWICE,
    act_by_bag,
    tree_of,
)
from tests.support.play import every

SMALL = replace(SMALL_LONG, name="small, three", treasures=(1, 5, 9, 17), expeditions=3)
MINE = replace(CARDS_30, name="mine")
RELICS = replace(SMALL, name="small, three, relics", relics=(5, 5, 10))
LATE = replace(RELICS, name="small, three, late relics", relics_enter="expedition")
LOST = replace(LATE, name="small, three, lost relics count", relic_values="taken or lost")
PRINTED = replace(LATE, name="small, three, printed", relic_values="printed")
COUNTED = Edition("counted", (2, 3, 5), ("mud", "wind"), trap_copies=2, expeditions=2)
FOUR = Edition("four", (5,), ("mud",), expeditions=2, relics=(4,), tie_break="relics")
whole_game = cache(exact.WholeGame)


@every([SMALL, RELICS, LATE, LOST])
@pytest.mark.parametrize("players", [2, 3])
def test_no_deviation_gains_in_a_whole_game(edition, players):
    solution = exact.solve_equilibrium(players, edition, cache=False, whole_game=True)

    def policy_at(tree):
        found = exact.solve_equilibrium(edition=edition, game=tree.start, whole_game=True)
        nodes = np.flatnonzero(exact.reachable(tree))
        policy = np.zeros(tree.boxes.size)
        policy[nodes] = found.leave_probability(games_at(tree, nodes))
        return policy

    tree = tree_of(edition, players)
    response = whole_response(policy_at, tree)
    assert response.profile_value == pytest.approx(solution.value, abs=1e-12)
    assert abs(response.exploitability) < 1e-12
    assert solution.error < 1e-12
    traps = {deck.traps for deck in solution.later if deck.expedition == 3}
    assert traps == {(3, 3, 3), (2, 3, 3), (1, 3, 3), (2, 2, 3)}


def test_best_response_to_agents_in_a_whole_game():
    tree, agent = tree_of(SMALL, 2), EquilibriumAgent()
    found = exact.best_response(agent, tree)
    assert found.nash_conv == pytest.approx(0, abs=1e-6)  # float32
    bag = exact.best_response(make_agent("bag:9"), tree)
    equilibrium, row = rows = measure(["bag:9"], [2], SMALL, whole_game=True)
    assert "decks" in str(rows_report(rows, "Whole games"))
    assert equilibrium["all play it"] == exact.solve_equilibrium(2, SMALL, whole_game=True).value
    assert (row["all play it"], row["best response"]) == (bag.profile_value, bag.value)


def test_values_of_later_expeditions_are_cached(tmp_path, monkeypatch):
    monkeypatch.setattr("diamant_env.exact.equilibrium.cache_folder", lambda: tmp_path)
    first = exact.solve_equilibrium(2, TINY_LATE, whole_game=True)
    start = exact.start_of_expedition(TINY_LATE, 2)
    strategy = exact.whole_game_strategy(start, TINY_LATE)
    assert len(list(tmp_path.rglob("*.values"))) == len(first.later) + 2
    monkeypatch.setattr("diamant_env.exact.equilibrium.solve", None)  # not needed any more
    again = exact.solve_equilibrium(2, TINY_LATE, whole_game=True)
    assert (again.value, again.error, again.later) == (first.value, first.error, first.later)
    np.testing.assert_array_equal(exact.whole_game_strategy(start, TINY_LATE).leave, strategy.leave)


@pytest.mark.parametrize(
    ("solve", "reason"),
    [
        (lambda: exact.solve_equilibrium(2, PRINTED, whole_game=True), "printed"),
        (lambda: exact.solve_equilibrium(5, "iello-2016", whole_game=True), "nodes"),
        (lambda: exact.whole_game_strategy(exact.start_of_expedition(MINE, 6), MINE), "solve_equilibrium"),
        (lambda: exact.best_response(np.zeros(3), tree_of(TINY_TWICE, 2)), "policy"),
        *(
            (
                lambda act=act: exact.best_response(make_agent(act), tree_of(TINY_TWICE, 2)),
                "its own chest",
            )
            for act in (lambda obs: obs["chest"] > 40, lambda obs: obs["relics"] == 1)
        ),
    ],
)
def test_unsolvable_whole_game_is_refused(solve, reason):
    with pytest.raises(ValueError, match=reason):
        solve()


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


def test_bad_input_of_a_small_whole_game_is_refused(monkeypatch):
    game = exact.WholeGame(TINY, 2)
    for call, key in (
        (lambda: game.best_response(np.zeros((3, 2))), "policy"),
        (lambda: game.best_response([make_agent("ev:0")] * 3), "3 agents"),
        (lambda: game.best_response(make_agent("ev:0"), "gems"), "reward"),
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
