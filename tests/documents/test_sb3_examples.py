"""Examples around stable-baselines3 that are no recipes: Optuna with pruning, and a league."""

import runpy
import sys

import pytest

from examples import sb3_league


def test_optuna_example_runs(monkeypatch, capsys):
    pytest.importorskip("optuna")
    monkeypatch.setattr(sys, "argv", ["optuna_prunes", "--trials", "1", "--steps", "100", "--games", "60"])
    runpy.run_module("examples.optuna_prunes", run_name="__main__")
    assert "win share 0." in capsys.readouterr().out


def test_league_example_seats_snapshots(monkeypatch):
    seated = []

    class Seen(sb3_league.DiamantVecEnv):
        def __init__(self, *args, opponents, seating, **how):
            seated.append(len(opponents))
            super().__init__(*args, opponents=opponents, seating=seating, **how)

    monkeypatch.setattr(sb3_league, "DiamantVecEnv", Seen)
    monkeypatch.setitem(sb3_league.SETTINGS, "n_steps", 4)
    steps = [sb3_league.learn(480, 40, 3, league, 0).num_timesteps for league in (False, True)]
    assert steps[0] == steps[1] == 480
    assert seated == [0, 0, 0, 0, 1, 2]
