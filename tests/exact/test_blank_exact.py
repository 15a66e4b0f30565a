"""What plays blank games is what `diamant_env.exact` exploits: gains stay below the exact one."""

from types import SimpleNamespace

import numpy as np
import pytest
from diamant_env.native.compiled import uncompiled

from diamant_env import Edition, exact
from diamant_env.exact.cards import cards_left, read_digits
from diamant_env.exact.equilibrium import root_value
from diamant_env.exact.induction import compare, mean
from diamant_env.exact.tree import coordinates, going_on, nodes_of
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
    assert "decides by more than what it sees" in exploitability("mixture", TASKS["expedition-2"])["refused"]


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

    with pytest.raises(ValueError, match="more than what it sees"):
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


def test_one_pass_answers_and_plays_a_policy_as_two_passes_do():
    rng = np.random.default_rng(5)
    for players, relics in ((2, ()), (4, (5, 10))):
        game = Edition(name="small", treasures=(1, 4, 5, 7, 9), traps=("a", "b", "c"), relics=relics, expeditions=1)
        tree = exact.build_tree(exact.start_of_expedition(game, players), game)
        policy, found = rng.random(tree.boxes.size), []
        for answers_best in (True, False):
            found.append(root_value(tree, one_pass(tree, policy, answers_best)))
        response = exact.best_response(policy, tree)
        assert (response.value, response.profile_value) == pytest.approx(found, abs=1e-12)
    with pytest.raises(ValueError, match="expected bool"):
        exact.best_response(policy, tree, nodes=np.ones(3, bool))


def one_pass(tree, policy, answers_best):
    """Return what a player banks from each node on against all others, or as one of them, by plain Python."""
    x, values = tree, np.zeros(tree.boxes.size)
    digits, leave, stay = np.zeros(x.sets.radix.size, np.int64), np.zeros(8), np.zeros(8)
    for number in range(x.sets.size - 1, -1, -1):
        read_digits(x.sets, number, digits)
        cards = cards_left(x.sets, digits)
        for at in uncompiled(nodes_of)(x.boxes, number):
            where = coordinates(x.boxes, number, at)
            if x.must_reveal and number == 0:
                values[at] = going_on(x.sets, x.boxes, x.moves, digits, cards, values, number, *where)
                continue
            compare(x.sets, x.boxes, x.moves, digits, cards, values, number, *where, leave, stay)
            others, chance = where[0] - 1, policy[at]
            leaving, staying = mean(leave, others, chance), mean(stay, others, chance)
            values[at] = max(leaving, staying) if answers_best else chance * leaving + (1 - chance) * staying
    return values


def test_two_players_who_see_traps_in_one_order_play_alike_at_nodes_that_differ_in_kinds_alone():
    game = Edition(name="small", treasures=(1, 4, 5, 7, 9), traps=("a", "b", "c"), relics=(), expeditions=1)
    start = exact.start_of_expedition(game, 2)
    merged, apart = (exact.build_tree(start, game, merge) for merge in (True, False))
    agent = exact.OrderedTraps(SimpleNamespace(act=leave_by_kinds))
    policies = [exact.policy_of(agent, tree) for tree in (merged, apart)]
    assert np.array_equal(policies[0][_merged_nodes(merged, apart)], policies[1])
    found = [exact.best_response(policy, tree) for policy, tree in zip(policies, (merged, apart), strict=True)]
    assert found[0][:2] == pytest.approx(found[1][:2], abs=1e-12)
    told_apart = exact.policy_of(SimpleNamespace(act=leave_by_kinds), apart)
    assert not np.array_equal(told_apart, policies[1])


def leave_by_kinds(obs, first):
    """Look at each kind by itself, and at the gems."""
    on_path = obs["traps_on_path"]
    kinds = on_path @ 2.0 ** np.arange(on_path.shape[1])
    return ((kinds + obs["traps_left"][:, 1] * 8 + obs["bag"] + obs["path_gems"]) % 1.3 / 1.3).astype(np.float32)


def _merged_nodes(merged, apart):
    """Return for each node of `apart` the one of `merged` with as many kinds of trap."""
    first = apart.boxes.first[:, 2]
    number = np.searchsorted(first, np.arange(apart.boxes.size), "right") - 1
    treasures = int(np.prod(merged.sets.radix[:-1]))  # sets of them; the traps are the last digits
    traps = np.array([bits.bit_count() for bits in range(apart.sets.size // treasures)])
    alike = number % treasures + treasures * traps[number // treasures]
    return merged.boxes.first[alike, 2] + np.arange(apart.boxes.size) - first[number]
