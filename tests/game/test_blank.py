"""Blank observations: everything which plays sees the same; what is erased is in `test_layout`."""

from dataclasses import replace

import numpy as np
import pytest

from diamant_env.judging.deviation import DeviationGame, deviation_gains, self_play
from diamant_env.judging.evaluation import judge
from diamant_env.judging.games import seeds_for
from diamant_env.judging.lineups import LineUp
from train.algorithms import stable_baselines
from train.algorithms.counting import Meter
from train.algorithms.fictitious import fictitious_play
from train.algorithms.response_oracles import Population, distilled, response_oracles
from train.ppo import train
from train.responding.config import SearchConfig
from train.responding.search import learn
from train.runs.config import Config, GameConfig
from train.runs.judging import curve_point, pool_line_ups

GAME = GameConfig(edition="iello-2016-fr", expeditions=1, blank=True, num_players=(3,), reward="score")


def test_all_that_learns_and_judges_asks_for_blank_games(monkeypatch, tmp_path):
    asked = []

    def batch(*_args, blank_rivals, **_given):
        asked.append(blank_rivals)
        raise KeyboardInterrupt

    monkeypatch.setattr("diamant_env.sb3.vec_env.Batch", batch)
    monkeypatch.setattr("diamant_env.judging.games.Batch", batch)
    config, copies = Config(game=GAME), DeviationGame("bag:5", 3, GAME.played(), "score", blank_rivals=True)
    random = np.random.default_rng(0)
    seeds, line_up = seeds_for(0), LineUp("pair", ("cards:7", "traps:3"))
    for play_blank in (
        lambda: train(config, tmp_path),
        lambda: fictitious_play(config, Meter(tmp_path / "spent"), tmp_path),
        lambda: response_oracles(config, Meter(tmp_path)),
        lambda: distilled(Population(random), config, 100, random, Meter(tmp_path)),
        lambda: stable_baselines.learn(stable_baselines.a2c, config, Meter(tmp_path), tmp_path),
        lambda: learn(copies, SearchConfig(), seeds, None),
        lambda: self_play(copies, 100, seeds),
        lambda: deviation_gains(["bag:7"], replace(copies, reward="win"), 100, seeds),
        lambda: judge("bag:7", [line_up], 100, players=3, blank_rivals=True),
        lambda: curve_point("bag:7", config),
    ):
        with pytest.raises(KeyboardInterrupt):
            play_blank()
    assert asked == [True] * 10


def test_who_needs_to_see_chests_stays_away_from_blank_games():
    seen, blank = (pool_line_ups(Config(game=GAME.model_copy(update={"blank": blank})))[1] for blank in (False, True))
    assert set(seen.rivals) - set(blank.rivals) == {"catch-up:16,0.5", "catch-up:22,1"}
