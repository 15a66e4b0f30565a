"""Gains by summed advantages against exact gains."""

from dataclasses import replace

import numpy as np
import pytest

from diamant_env import exact
from diamant_env.editions import find_edition
from diamant_env.envs.settings import with_expeditions
from diamant_env.judging.deviation import DeviationGame
from diamant_env.judging.games import seeds_for
from diamant_env.opponents import make
from diamant_env.opponents.search import Budget, SearchAgent
from diamant_env.opponents.values import Values
from train.learning.values import fit, play_starts
from train.responding import advantages
from train.responding.advantages import summed_gain, with_values

ONE = with_expeditions(find_edition("iello-2016-fr"), 1)
SMALL = replace(ONE, name="small", treasures=(1, 4, 5, 7, 9, 11, 17), traps=("a", "b", "c"))


def response_to(agent, players, edition=ONE):
    tree = exact.build_tree(exact.start_of_expedition(edition, players), edition, merge_traps=True)
    return exact.best_response(exact.policy_of(make(agent), tree), tree)


@pytest.fixture(scope="module")
def network_with_values():
    """Return the champion and a second value network, fitted to other games of three players."""
    champion, seeds = make("champion"), np.random.SeedSequence(0)
    layers, _ = fit(play_starts(champion, 3, 1000, seeds, ["iello-2016"]), seeds)
    return champion, Values({3: layers})


def test_gain_of_never_leaving_is_minus_profile_value():
    """A player that never leaves always busts, so its gain is minus the profile's value."""
    agent, players, edition = "random:0.3", 3, SMALL
    game = DeviationGame(agent, players, edition, "score")
    found = summed_gain("continue", game, 1500, seeds_for(0, agent), pairs=8)
    true = -response_to(agent, players, edition).profile_value
    assert found.summed.gain.low < true < found.summed.gain.high
    assert found.played.gain.low < true < found.played.gain.high
    assert found.summed.gain.high - found.summed.gain.low < 0.5 * abs(true)


def test_search_gains_at_most_the_best_response():
    agent = "bag:8"
    game = DeviationGame(agent, 2, ONE, "score")
    searcher = SearchAgent(make(agent), Budget(32, objective="score"))
    found = summed_gain(searcher, game, 200, seeds_for(0, "search"), pairs=16)
    gain, most = found.summed.gain, response_to(agent, 2).exploitability
    assert gain.low < most
    assert gain.high - gain.low < found.played.gain.high - found.played.gain.low
    assert gain.mean > 0.5 * most


def test_truncated_and_full_rollouts_agree(network_with_values, monkeypatch):
    monkeypatch.setattr(advantages, "_TOGETHER", 100)
    network, other = network_with_values
    game = DeviationGame(with_values(network, None), 3, "iello-2016", "win")
    searcher = SearchAgent(network, Budget(8))
    assert searcher.values is network.values
    found = summed_gain(searcher, game, 150, seeds_for(0, "cut"), 8, other, full_games=40)
    assert found.summed.games == len(found.summed.totals) == 150
    assert (found.full.games, found.cut.games) == (40, 40)
    assert np.array_equal(found.cut.totals, found.summed.totals[:40])
    assert found.bias.low < 0 < found.bias.high
    for parts, number in ((found.by_expedition, 5), (found.by_inside, 3)):
        assert len(parts) == number
        assert sum(part.mean for part in parts) == pytest.approx(found.summed.gain.mean)
    assert found.played.gain.low < found.summed.gain.mean < found.played.gain.high
    again = [summed_gain(searcher, game, 30, seeds_for(0, "again"), 8, other).summed.totals for _ in range(2)]
    assert np.array_equal(*again)
