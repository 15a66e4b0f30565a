"""Exact exploitability of games with hidden rivals, and agents that distinguish kinds of trap."""

import numpy as np
import pytest

from diamant_env import exact
from diamant_env.opponents.exact_view import ExactView
from train.benchmarking.exact_tasks import exploitability
from train.benchmarking.suite import TASKS


def test_stateful_agent_is_refused():
    assert "answers the same observations differently" in exploitability("mixture", TASKS["expedition-2"])["refused"]


class FirstTrap:
    """Leaves at one kind of trap, not at the others, and earlier if the deck holds few of another."""

    def act(self, obs, episode_start):
        return np.maximum(obs["traps_on_path"][:, 0] * 0.7, obs["traps_left"][:, 2] < 3)


def test_ordered_traps_agent_is_invariant_to_merging():
    game = TASKS["expedition-2"].game.evaluation_edition()
    start, agent = exact.start_of_expedition(game, 1), ExactView(FirstTrap())
    values = []
    for merge in (True, False):
        tree = exact.build_tree(start, game, merge)
        found = exact.best_response(exact.policy_of(agent, tree), tree)
        values.append((found.value, found.profile_value))
    assert values[0] == pytest.approx(values[1], abs=1e-12)
    apart = exact.best_response(exact.policy_of(FirstTrap(), tree), tree)
    assert apart.profile_value != pytest.approx(found.profile_value, abs=1e-3)  # the agent distinguishes them
