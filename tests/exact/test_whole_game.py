"""Whole games for score: against optimal stopping, best responses and simulated games."""

from dataclasses import replace

import numpy as np
import pytest

from diamant_env import Batch, exact
from diamant_env.commands.exact import measure, rows_report
from diamant_env.exact.response import games_at, whole_response
from diamant_env.exact.solution import find_nodes
from diamant_env.opponents import make
from diamant_env.opponents.solved import EquilibriumAgent
from tests.exact.test_exact import (
    CARDS_30,
    SMALL_LONG,
    TINY_LATE,
    TINY_TWICE,
    compiled_only,
    four_errors,
    scores_of,
    tree_of,
)
from tests.support.play import every

SMALL = replace(SMALL_LONG, name="small, three", treasures=(1, 5, 9, 17), expeditions=3)
MINE = replace(CARDS_30, name="mine")
RELICS = replace(SMALL, name="small, three, relics", relics=(5, 5, 10))
LATE = replace(RELICS, name="small, three, late relics", relics_enter="expedition")
LOST = replace(LATE, name="small, three, lost relics count", relic_values="taken or lost")
PRINTED = replace(LATE, name="small, three, printed", relic_values="printed")


@compiled_only
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


@compiled_only
def test_best_response_to_agents_in_a_whole_game():
    tree, agent = tree_of(SMALL, 2), EquilibriumAgent()
    found = exact.best_response(agent, tree, whole_game=True)
    assert found.nash_conv == pytest.approx(0, abs=1e-6)  # float32
    bag = exact.best_response(make("bag:9"), tree, whole_game=True)
    scores = scores_of([make("bag:9")], 2, SMALL, 20_000).mean(axis=1)
    assert abs(scores.mean() - bag.profile_value) < four_errors(scores)
    assert bag.exploitability > 1
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


@compiled_only
def test_relics_taken_earlier_or_now_are_one_state():
    batch = Batch(300, 3, RELICS)
    batch.reset(seed=1)
    rng, compared = np.random.default_rng(1), 0
    while not batch.over.all():
        games = batch.games[~batch.over].copy()
        for start, game in zip(exact.current_expedition(games, RELICS), games, strict=True):
            tree = exact.build_tree(start, RELICS, merge_traps=False)
            at = find_nodes(tree, game[None])
            same = games_at(tree, at)[0]
            for name in ("deck", "relics_taken", "path_relics", "path_relic_value", "path_gems", "bag", "num_inside"):
                assert (same[name] == game[name]).all(), name
            compared += 1
            if compared > 400:
                return
        batch.step((rng.random((300, 3)) < 0.3).astype(np.int8))


@pytest.mark.parametrize(
    ("solve", "reason"),
    [
        (lambda: exact.solve_equilibrium(2, PRINTED, whole_game=True), "printed"),
        (lambda: exact.solve_equilibrium(5, "iello-2016", whole_game=True), "nodes"),
        (lambda: exact.whole_game_strategy(exact.start_of_expedition(MINE, 6), MINE), "solve_equilibrium"),
        (lambda: exact.best_response(np.zeros(3), tree_of(TINY_TWICE, 2), whole_game=True), "policy"),
        (lambda: exact.best_response(make("bag:3"), tree_of(TINY_TWICE, 2)), "policy"),
        *(
            (lambda act=act: exact.best_response(make(act), tree_of(TINY_TWICE, 2), whole_game=True), "its own chest")
            for act in (lambda obs: obs["chest"] > 5, lambda obs: obs["chest"] > 40, lambda obs: obs["relics"] == 1)
        ),
    ],
)
def test_unsolvable_whole_game_is_refused(solve, reason):
    with pytest.raises(ValueError, match=reason):
        solve()
