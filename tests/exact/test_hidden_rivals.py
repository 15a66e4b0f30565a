"""Exact exploitability of games with hidden rivals, and agents that distinguish kinds of trap."""

import numpy as np
import pytest

from diamant_env import exact, find_edition
from diamant_env.benchmark import TASKS, evaluate
from diamant_env.opponents.exact_view import ExactView


def test_stateful_agent_is_refused():
    with pytest.raises(ValueError, match="answers the same observations differently"):
        evaluate("mixture", "expedition-2")


class FirstTrap:
    """Leaves at one kind of trap, not at the others, and earlier if the deck holds few of another."""

    def act(self, obs, episode_start):
        return np.maximum(obs["traps_on_path"][:, 0] * 0.7, obs["traps_left"][:, 2] < 3)


def test_ordered_traps_agent_is_invariant_to_merging():
    game = find_edition(TASKS["expedition-2"].edition)
    start, agent = exact.start_of_expedition(game, 1), ExactView(FirstTrap())
    values = []
    for merge in (True, False):
        tree = exact.build_tree(start, game, merge)
        found = exact.best_response(exact.policy_of(agent, tree), tree)
        values.append((found.value, found.profile_value))
    assert values[0] == pytest.approx(values[1], abs=1e-12)
    apart = exact.best_response(exact.policy_of(FirstTrap(), tree), tree)
    assert apart.profile_value != pytest.approx(found.profile_value, abs=1e-3)  # the agent distinguishes them
