"""Tournament: balance, cross-table, and the command."""

import json
from itertools import permutations

import numpy as np
import pytest

from diamant_env.commands import diamant
from diamant_env.judging.games import play, seeds_for
from diamant_env.judging.lineups import deal
from diamant_env.judging.tournament import hold_tournament, pairwise_results

ORDERED = ("ev:0.75", "bag:6", "random:0.5", "continue")  # each clearly better than the next at tables of all four


def test_tournament_is_balanced_and_shares_sum_to_games():
    found = hold_tournament(("traps:3", "bag:8", *ORDERED), 2000, seed=1, players=3)
    games = [standing.games for standing in found.standings]
    assert sum(games) == 3 * 2000
    assert max(games) - min(games) <= 2000 / found.tables + 1
    shares = [standing.win_share.mean for standing in found.standings]
    assert np.dot(shares, games) == pytest.approx(found.games)
    assert shares == sorted(shares, reverse=True)
    halves = np.nan_to_num(2 * found.beats * found.met)  # wins, ties counting half, in common games
    np.testing.assert_allclose(halves, np.rint(halves), atol=1e-9)
    assert [standing.agent for standing in found.standings if standing.agent in ORDERED] == list(ORDERED)


def test_pairwise_results_equal_count_by_game():
    seating = deal(10, 3, 4, np.random.default_rng(0))
    run = play(("bag:5", "bag:9", "cards:6", "random:0.3"), seating, 50, seeds_for(0, "test"))
    beats, met = pairwise_results(run, 4)
    wins, common = np.zeros((4, 4)), np.zeros((4, 4))
    for game, scores in enumerate(run.scores.tolist()):
        for (agent, score), (rival, other) in permutations(zip(seating[game % 10], scores, strict=True), 2):
            common[agent, rival] += 1
            wins[agent, rival] += (score > other) + 0.5 * (score == other)
    np.testing.assert_array_equal(met, common)
    np.testing.assert_allclose(beats, np.where(common, wins / np.maximum(common, 1), np.nan))


def test_same_seed_gives_same_tournament():
    first, again, other = (hold_tournament(ORDERED, 300, seed, players=3) for seed in (5, 5, 6))
    assert first.standings == again.standings
    np.testing.assert_array_equal(first.beats, again.beats)
    assert first.standings != other.standings
    assert hold_tournament(ORDERED, 300, np.uint8(5), players=3).standings == first.standings
    with pytest.raises(ValueError, match="1 games seat 3 of 4 agents; play more games"):
        hold_tournament(ORDERED, 1, players=3)


def test_tournament_command(tmp_path, capsys):
    path = tmp_path / "tournament.json"
    diamant.main(["tournament", *ORDERED, "--games", "60", "--out", str(path)])
    text = capsys.readouterr().out
    assert "60 games at 60 tables of 4" in text
    content = json.loads(path.read_text())
    assert content["arguments"]["games"] == 60
    assert content["tournament"]["beats"][0][0] is None
    assert {standing["agent"] for standing in content["tournament"]["standings"]} == set(ORDERED)
