"""Unilateral deviation gain against copies of a policy."""

import numpy as np
import pytest

from diamant_env.judging.deviation import PAYOFFS, DeviationGame, deviation_gains, self_play
from diamant_env.judging.evaluation import judge
from diamant_env.judging.games import play, seeds_for
from diamant_env.judging.lineups import clone_line_ups, seat_with

SEEDS = seeds_for(0, "test gains")


def match(reward, agent="ev:0.75", players=4):
    return DeviationGame(agent, players, "iello-2016", reward)


@pytest.mark.parametrize("reward", PAYOFFS)
def test_copy_has_no_deviation_gain(reward):
    (found,) = deviation_gains(["random:0.2"], match(reward, "random:0.2"), 4000, SEEDS)
    assert found.gain.low < 0 < found.gain.high
    assert found.gain.high - found.gain.mean == pytest.approx(found.gain.mean - found.gain.low, rel=0.2)
    assert found.quotas.sum() == 4000
    (same,) = deviation_gains(["ev:0.75"], match(reward), 400, SEEDS)
    assert same.gain.mean == pytest.approx(0)  # all at the table do the same


@pytest.mark.parametrize("players", [3, 5, 6, 7])
@pytest.mark.parametrize(("player", "agent", "payoff"), [("bag:1", "continue", 1), ("continue", "bag:1", 0)])
def test_gain_of_who_always_or_never_wins_has_an_interval(player, agent, payoff, players):
    (found,) = deviation_gains([player], match("win", agent, players), 300, SEEDS)
    gain = found.gain
    assert found.payoff == payoff
    assert gain.mean == payoff - 1 / players
    ends = (gain.low, gain.high) if payoff else (gain.high, gain.low)
    assert abs(ends[0] - gain.mean) == pytest.approx(0.0127, abs=0.001)  # Wilson's, of 300 games
    assert ends[1] == pytest.approx(gain.mean)


@pytest.mark.parametrize("reward", PAYOFFS)
def test_gain_is_payoff_minus_self_play(reward):
    against = match(reward)
    (found,) = deviation_gains(["bag:8"], against, 800, SEEDS)
    usual = np.mean(self_play(against, 800, SEEDS))
    assert found.gain.mean == pytest.approx(found.payoff - usual)
    assert found.among(5).low < found.gain.low
    assert found.among(5).high > found.gain.high
    played = play(["bag:8", "ev:0.75"], seat_with(np.ones((len(found.quotas), 3), int)), 800, SEEDS)
    own = np.arange(800), np.arange(800) % 4
    others = (played.scores.sum(axis=1) - played.scores[own]) / 3
    payoffs = {"score": played.scores[own], "win": played.shares[own], "margin": played.scores[own] - others}
    assert found.payoff == pytest.approx(payoffs[reward].mean())


def test_hidden_rivals_in_all_games():
    def blind(obs):
        assert not obs["rival_present"].any()
        return obs["bag"] >= 8

    game = DeviationGame(blind, 3, "iello-2016/hidden_rivals:1", "score")
    assert deviation_gains([blind], game, 12, SEEDS)[0].gain.mean == pytest.approx(0)
    assert judge(blind, clone_line_ups(["bag:8"]), 12, players=3, edition=game.edition)[0].games == 12


@pytest.mark.parametrize(("players", "reward", "key"), [(1, "win", "players"), (3, "wins", "reward")])
def test_invalid_game_is_refused_at_once(players, reward, key):
    with pytest.raises(ValueError, match=key):
        DeviationGame("ev", players, "iello-2016", reward)


@pytest.mark.parametrize(("given", "games", "key"), [("ev", 40, "players"), (["ev"], 0, "games")])
def test_invalid_players_or_games_are_refused_at_once(given, games, key):
    with pytest.raises(ValueError, match=key):
        deviation_gains(given, match("win"), games, SEEDS)
