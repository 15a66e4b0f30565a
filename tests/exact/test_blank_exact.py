"""What plays blank games is what `diamant_env.exact` exploits: gains stay below the exact one."""

from types import SimpleNamespace

import numpy as np
import pytest

from diamant_env import Edition, exact
from diamant_env.judging.deviation import DeviationGame, deviation_gains
from diamant_env.judging.games import seeds_for
from diamant_env.opponents import make
from train.benchmarking.benchmark_run import exploitability
from train.benchmarking.suite import TASKS


def test_nobody_gains_more_than_the_exact_best_response():
    task = TASKS["expedition-2"]
    truth = exploitability("bag:10", task)["exploitability"]
    match = DeviationGame("bag:10", 2, task.game.played(), "score", blank_rivals=True)
    found = deviation_gains(["ev:0.75", "ev-others-stay:0.2", "bag:5", "cards:7"], match, 20_000, seeds_for(0, "exact"))
    assert all(gain.among(4).low < truth for gain in found)
    assert max(gain.gain.mean for gain in found) > 0.3 * truth


def test_an_agent_with_a_memory_has_no_exact_figure():
    assert "as a function of the observation" in exploitability("mixture", TASKS["expedition-2"])["refused"]


class FirstTrap:
    """Leaves at one kind of trap, not at the others, and earlier if the deck holds few of another."""

    def act(self, obs, first):
        return np.maximum(obs["traps_on_path"][:, 0] * 0.7, obs["traps_left"][:, 2] < 3)


def test_an_agent_that_sees_traps_in_one_order_is_the_same_whether_kinds_are_merged_or_not():
    game = TASKS["expedition-2"].game.played()
    start, agent = exact.start_of_expedition(game, 1), exact.OrderedTraps(FirstTrap())
    values = []
    for merge in (True, False):
        tree = exact.build_tree(start, game, merge)
        found = exact.best_response(exact.policy_of(agent, tree), tree)
        values.append((found.value, found.profile_value))
    assert values[0] == pytest.approx(values[1], abs=1e-12)
    apart = exact.best_response(exact.policy_of(FirstTrap(), tree), tree)
    assert apart.profile_value != pytest.approx(found.profile_value, abs=1e-3)  # the agent does tell them apart


def test_a_memory_that_shows_late_in_the_tree_alone_is_refused():
    game = TASKS["expedition-2"].game.played()
    tree = exact.build_tree(exact.start_of_expedition(game, 2), game)
    random, parts = np.random.default_rng(3), []

    def act(obs, first):
        parts.append(len(first))
        return random.random(len(first)) if len(parts) > 40 else np.full(len(first), 0.5)

    with pytest.raises(ValueError, match="as a function of the observation"):
        exact.policy_of(SimpleNamespace(act=act), tree)
    assert len(parts) > 40


def test_only_nodes_that_play_can_reach_are_asked_about():
    game = Edition(name="small", treasures=(1, 4, 5, 7, 9, 11, 17), traps=("a", "b", "c"), relics=(), expeditions=1)
    tree = exact.build_tree(exact.start_of_expedition(game, 4), game)
    nodes, agent, asked = exact.reachable(tree), make("random:0.3"), []

    def act(obs, first):
        if not first.any():  # otherwise it is only tested for a memory
            asked.append(len(first))
        return agent.act(obs, first)

    policy = exact.policy_of(SimpleNamespace(act=act), tree)
    assert 0 < nodes.sum() < len(nodes)
    assert sum(asked) == nodes.sum()
    assert not policy[~nodes].any()
    everywhere = exact.policy_of(agent, tree, nodes=np.ones_like(nodes))
    for each in (policy, everywhere):
        assert exact.best_response(each, tree).value == exact.best_response(policy, tree).value
    assert everywhere[~nodes].any()
