"""Best responses by value iteration: values of afterstates, targets, gains against exact ones."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from diamant_env import exact
from diamant_env.editions import Edition, find_edition
from diamant_env.engine.edition_params import edition_params_array
from diamant_env.engine.records import observe_records
from diamant_env.evaluation.games import seeds_for
from diamant_env.game import Game
from diamant_env.observation import Observations
from diamant_env.opponents import make_agent
from diamant_env.state import CONTINUE, LEAVE, OVER
from train.responding.afterstates import Afterstates, GreedyAgent, likely_decisions
from train.responding.config import IterationConfig
from train.responding.gains import ResponseGame, gains_of
from train.responding.value_iteration import Paths, iterate_values, no_values, targets, walk

SMALL = Edition(name="small", treasures=(1, 4, 5, 7, 9, 11, 17), traps=("a", "b", "c"), expeditions=1)
TINY = Edition(name="tiny", treasures=(5, 7), traps=("a", "b"), trap_copies=2, expeditions=2)
FEW = IterationConfig(self_play=600, paths=400, lambdas=(0, 1, 0.5), minibatches=100, hidden=(64, 64))
FEWER = FEW.model_copy(update={"self_play": 60, "paths": 40, "lambdas": (0, 1), "minibatches": 50})


def gain_of(game: ResponseGame, games=20_000, config=FEW):
    values = iterate_values(game, config, seeds_for(0, "values"))
    (found,) = gains_of([GreedyAgent(values)], game, games, 0, "report")
    return found.gain


def test_gain_for_score_is_almost_that_of_the_best_response():
    tree = exact.build_tree(exact.start_of_expedition(SMALL, 3), SMALL, merge_traps=True)
    most = exact.best_response(exact.policy_of(make_agent("random:0.3"), tree), tree).exploitability
    gain = gain_of(ResponseGame("random:0.3", 3, SMALL, "score"))
    assert 0.93 * most < gain.high
    assert gain.low < most


@pytest.mark.parametrize(
    ("agent", "edition", "reward"), [("catch-up", TINY, "margin"), ("bag:5", replace(TINY, relics=(6,)), "win")]
)
def test_gain_in_a_whole_game_is_almost_that_of_the_best_response(agent, edition, reward):
    most = exact.WholeGame(edition, 3).best_response(make_agent(agent), reward).exploitability
    gain = gain_of(ResponseGame(agent, 3, edition, reward))
    assert 0.85 * most < gain.high
    assert gain.low < most


def test_values_of_actions_are_means_over_rivals(monkeypatch):
    """Alone one gets the whole path; with another leaver half, rounded down; all values here are chests."""
    game = Game(3, SMALL)
    game.reveal(3)  # 4 gems: 1 each, 1 on the path
    game.decide([0, 0, 0])
    game.reveal(5)  # 7 gems: 2 each, 2 on the path
    values = Afterstates(ResponseGame("random:0.25", 3, SMALL, "score"))
    monkeypatch.setattr(values, "values", lambda games: games["chest"][:, 0].astype(float))
    games = np.array([game.state])
    leave = values.leave_probabilities(games)
    assert leave.tolist() == [[0, 0.25, 0.25]]
    (found,) = values.action_values(games, leave)
    assert found[CONTINUE] == 0
    assert found[LEAVE] == pytest.approx(3 + 9 / 16 * 2 + 6 / 16 * 1)


def test_rivals_see_chests():
    game = Game(3, SMALL)
    game.reveal(7)  # 9 gems: 3 each
    game.decide([1, 0, 0])
    game.reveal(8)  # 11 gems: 5 each
    values = Afterstates(ResponseGame("champion", 3, SMALL, "score"))
    seen = Observations(np.array([game.observe(seat) for seat in (1, 2)]), SMALL)
    asked = make_agent("champion").act(seen, np.ones(2, np.bool_))
    (found,) = values.leave_probabilities(np.array([game.state]))
    assert found == pytest.approx([0, *asked])
    hidden = edition_params_array([SMALL.replace(hidden_rivals=True)])
    blind = observe_records(np.array([game.state]), hidden, 2)[:, 1]
    assert make_agent("champion").act(Observations(blind, SMALL), np.ones(1, np.bool_)) != asked[0]


def test_likely_decisions_of_many_rivals_are_the_most_likely():
    chance = np.linspace(0.05, 0.2, 7)
    _, joint, weight = likely_decisions(np.array([Game(8, SMALL).state]), chance[None])
    true = np.where(joint, chance, 1 - chance).prod(axis=1)
    assert len(joint) < 128
    assert 0.99 <= true.sum() < 0.99 + true.min()
    assert weight == pytest.approx(true / true.sum())


def test_interchangeable_rivals_decide_once_for_all():
    values = Afterstates(ResponseGame("random:0.2", 6, find_edition("iello-2016"), "win"))
    games = np.repeat(values.starts(1), 2)
    games["chest"][1, 1:6] = [3, 0, 3, 0, 3]
    game, joint, weight = likely_decisions(games, np.array([[0.2, 0, 0, 0, 0.2], [0.3, 0, 0.3, 0, 0.2]]))
    assert joint[game == 0].tolist() == [[False] * 5, [True, *[False] * 4], [True, *[False] * 3, True]]
    assert weight[game == 0] == pytest.approx([0.64, 0.32, 0.04])
    found = dict(zip((tuple(np.flatnonzero(each)) for each in joint[game == 1]), weight[game == 1], strict=True))
    pairs = {(): 0.49, (0,): 0.42, (0, 2): 0.09}
    assert found == pytest.approx(
        {(*first, *other): p * q for first, p in pairs.items() for other, q in (((), 0.8), ((4,), 0.2))}
    )


def test_targets_add_later_residuals_until_exploration():
    stub = SimpleNamespace(card_means=lambda states: states + 1.0, values=lambda states: states * 0.5)
    states = np.array([0.0, 0.0, 2.0, 4.0, 6.0])  # paths 0 and 1, then 0 twice, with residuals 1, 1, 2, 3, 4
    explored = np.array([False, False, False, True, False])
    paths = Paths(states, np.array([0, 1, 0, 0, 0]), explored, [2, 1, 1, 1], np.zeros(2))
    later = 3.0
    assert targets(stub, paths, 0.5).tolist() == [1 + 0.5 * (2 + 0.5 * later), 1, 3 + 0.5 * later, 5, 7]
    assert paths.before_last_exploration().tolist() == [True, False, True, True, False]


def test_paths_by_the_agent_end_with_the_game_and_pay_a_fair_share():
    values = Afterstates(ResponseGame("random:0.4", 4, find_edition("iello-2016"), "win"))
    paths = walk(values, values.starts(4000), np.random.default_rng(0))
    assert (paths.ends["phase"] == OVER).all()
    assert values.payoffs(paths.ends).mean() == pytest.approx(0.25, abs=0.03)
    assert sum(paths.turns) == len(paths.states)
    assert 0.03 < paths.explored[paths.states["inside"][:, 0] > 0].mean() < 0.05


def test_random_decisions_leave_half_of_the_time():
    values = Afterstates(ResponseGame("continue", 2, TINY, "score"))
    paths = walk(values, values.starts(10_000), np.random.default_rng(0))
    second = paths.states[paths.turns[0] :][: paths.turns[1]]
    assert 0.02 < 1 - second["inside"][:, 0].mean() < 0.03


def leave_with_a_gem_per_trap(obs):
    leave = np.zeros(len(obs.flat), np.float32)
    for edition, rows in obs.by_edition():
        leave[rows] = obs["bag"][rows] >= len(edition.traps)
    return leave


@pytest.mark.parametrize("agent", ["random:1", "cards:1", leave_with_a_gem_per_trap])
def test_agents_that_leave_afterstates_unseen_or_read_the_edition(agent):
    gain = gain_of(ResponseGame(agent, 2, TINY, "score"), 2_000, FEWER)
    assert gain.high > 0


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        (ResponseGame("bag", 3, "incan-gold", "win"), "hides"),
        (ResponseGame("bag", 3, SMALL.replace(hidden_rivals=True), "win"), "hides"),
        (ResponseGame("search:bag", 3, SMALL, "win"), "a search"),
        (ResponseGame("mixture", 3, SMALL, "win"), "state"),
        (ResponseGame("bag", 3, SMALL, "win"), ""),
    ],
)
def test_reason_without_value_iteration(game, reason):
    assert reason in no_values(game, FEW)
    assert bool(no_values(game, FEW)) == bool(reason)
