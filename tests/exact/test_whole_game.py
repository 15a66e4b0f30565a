"""Whole games for score: against optimal stopping, best responses and simulated games."""

from dataclasses import replace

import numpy as np
import pytest

from diamant_env import exact
from diamant_env.commands.exact import measure, rows_report
from diamant_env.exact.response import games_at, whole_response
from diamant_env.opponents import make_agent
from diamant_env.opponents.solved import EquilibriumAgent
from tests.exact.test_exact import (
    CARDS_30,
    SMALL_LONG,
    TINY_LATE,
    TINY_TWICE,
    tree_of,
)
from tests.support.play import every

SMALL = replace(SMALL_LONG, name="small, three", treasures=(1, 5, 9, 17), expeditions=3)
MINE = replace(CARDS_30, name="mine")
RELICS = replace(SMALL, name="small, three, relics", relics=(5, 5, 10))
LATE = replace(RELICS, name="small, three, late relics", relics_enter="expedition")
LOST = replace(LATE, name="small, three, lost relics count", relic_values="taken or lost")
PRINTED = replace(LATE, name="small, three, printed", relic_values="printed")


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
    found = exact.best_response(agent, tree, whole_game=True)
    assert found.nash_conv == pytest.approx(0, abs=1e-6)  # float32
    bag = exact.best_response(make_agent("bag:9"), tree, whole_game=True)
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
        (lambda: exact.best_response(np.zeros(3), tree_of(TINY_TWICE, 2), whole_game=True), "policy"),
        (lambda: exact.best_response(make_agent("bag:3"), tree_of(TINY_TWICE, 2)), "policy"),
        *(
            (
                lambda act=act: exact.best_response(make_agent(act), tree_of(TINY_TWICE, 2), whole_game=True),
                "its own chest",
            )
            for act in (lambda obs: obs["chest"] > 5, lambda obs: obs["chest"] > 40, lambda obs: obs["relics"] == 1)
        ),
    ],
)
def test_unsolvable_whole_game_is_refused(solve, reason):
    with pytest.raises(ValueError, match=reason):
        solve()
