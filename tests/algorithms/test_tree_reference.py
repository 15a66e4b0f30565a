"""Mirror descent on the tree comes near an equilibrium that is computed exactly, and is played as it was found."""

import numpy as np
import pytest

from diamant_env import Batch, Edition, Observations, exact
from train.algorithms.tree_reference import TabularAgent, mirror_descent

SMALL = Edition(name="small", treasures=(1, 4, 5, 7, 9, 11, 17), traps=("a", "b", "c"), relics=(), expeditions=1)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_it_comes_near_the_equilibrium(players):
    tree = exact.build_tree(exact.start_of_expedition(SMALL, players), SMALL)
    found = {n: exact.best_response(mirror_descent(tree, n), tree) for n in (0, 3, 30)}
    assert found[0].exploitability > 1
    assert found[30].exploitability < 0.02 < found[3].exploitability
    solved = exact.solve_equilibrium(edition=SMALL, num_players=players)
    assert found[30].profile_value == pytest.approx(solved.value, abs=0.05)


def test_the_agent_plays_what_was_found():
    tree = exact.build_tree(exact.start_of_expedition(SMALL, 3), SMALL)
    policy, nodes = mirror_descent(tree), exact.reachable(tree)
    asked = exact.policy_of(TabularAgent(SMALL), tree)
    assert np.array_equal(asked[nodes], policy[nodes].astype(np.float32))
    rows = Batch(4, 3, SMALL).reset(1).reshape(12, -1)
    assert TabularAgent(SMALL).act(Observations(rows), np.ones(12, bool)).shape == (12,)
