"""Loss per decision: zero at equilibrium, exact for a random player, by search with reward win."""

import json
from fractions import Fraction

import numpy as np
import pytest

from diamant_env.advice.hint import observations_of
from diamant_env.commands import diamant
from diamant_env.judging import judge_decisions
from diamant_env.judging.decisions import _searched_gains, lost
from tests.advice.test_hint import FATAL, winning_endgame
from tests.exact.test_exact import CARDS_30, SMALL, TINY, TINY_RELICS, compiled_only
from tests.support import exact_by_hand as by_hand
from tests.support.oracle import Oracle
from tests.support.play import BASE, every


def chance_of(game: Oracle) -> Fraction:
    """Return the rival's equilibrium probability of leaving; 0 if alone."""
    *others, me = [seat for seat, player in enumerate(game.players) if player.inside]
    if not others:
        return Fraction(0)
    gone = (set(), set(others))
    leave = [Fraction(by_hand.left(game, {me, *each}).players[me].banked) for each in gone]
    stay = [by_hand.seat_value(by_hand.left(game, each), by_hand.two_player_equilibrium) for each in gone]
    return by_hand.equilibrium_chance(leave, stay)


def half_the_time(game: Oracle, leave: list[Fraction], stay: list[Fraction]) -> Fraction:
    """Return the payoff of ``random:0.5`` against the equilibrium."""
    chance = chance_of(game)
    return (by_hand.binomial_mean(leave, chance) + by_hand.binomial_mean(stay, chance)) / 2


@compiled_only
@every([TINY, TINY_RELICS])
def test_loss_of_random_player_equals_exact_loss(edition):
    value = by_hand.seat_value(Oracle(edition, 2), by_hand.two_player_equilibrium)
    known = float(value - by_hand.seat_value(Oracle(edition, 2), half_the_time))
    assert known > 0.5
    found = judge_decisions("random:0.5", games=4_000, players=2, edition=edition).losses[0]
    error = (found.per_game.high - found.per_game.mean) / 1.96
    assert abs(found.per_game.mean - known) < 4 * error < 0.1 * known
    assert found.loss.mean * found.decisions == pytest.approx(found.per_game.mean * found.games)


@compiled_only
@pytest.mark.parametrize(("players", "edition"), [(2, CARDS_30), (4, SMALL)], ids=["2", "4"])
def test_equilibrium_has_no_loss(players, edition):
    found = judge_decisions("equilibrium", games=100, players=players, edition=edition).losses[0]
    assert found.decisions > 200
    assert 0 <= found.loss.mean < 1e-6
    assert found.per_game.high < 1e-6


def test_loss_is_cross_validated():
    gains = np.array([[0.3, 0.1], [-0.2, -0.4], [0.1, -0.3]])
    np.testing.assert_allclose(lost(gains, np.zeros(3, np.float32)), [0.2, 0, (-0.3 + 0) / 2])
    np.testing.assert_allclose(lost(gains, np.ones(3, np.float32)), [0, 0.3, -(0.1 + 0) / 2])
    np.testing.assert_allclose(lost(gains, np.full(3, 0.5, np.float32)), [0.1, 0.15, (-0.3 - 0.1) / 4])


def test_search_finds_winning_choice():
    flat = observations_of(0, [winning_endgame().game] * 8, BASE)
    gains = _searched_gains(BASE, 0, flat)
    assert gains.shape == (8, 2)
    assert gains.mean() == pytest.approx(FATAL, abs=4 * (FATAL * (1 - FATAL) / (8 * 128)) ** 0.5)
    assert lost(gains, np.ones(8, np.float32)).tolist() == [0] * 8
    np.testing.assert_allclose(lost(gains, np.zeros(8, np.float32)), gains.mean(axis=1))
    np.testing.assert_array_equal(_searched_gains(BASE, 0, flat), gains)
    assert not np.array_equal(_searched_gains(BASE, 1, flat), gains)


@compiled_only
def test_per_decision_command(tmp_path, capsys):
    file = tmp_path / "losses.json"
    words = ["evaluate", "random:0.5", "--per-decision", "win", "--against", "ev,bag:8", "self", "--players", "3"]
    assert diamant.main([*words, "--games", "3", "--out", str(file)]) == 0
    output = capsys.readouterr().out
    assert "Losses in win share at tables of 3; games per row: 3" in output
    saved = json.loads(file.read_text())
    assert [row["against"] for row in saved["losses"]] == ["ev,bag:8", "copies of random:0.5"]
    assert all(row["decisions"] > 10 for row in saved["losses"])
    assert saved["arguments"]["edition"] == saved["edition"]["name"] == "iello-2016"
    assert saved["seed"] == saved["arguments"]["seed"]
