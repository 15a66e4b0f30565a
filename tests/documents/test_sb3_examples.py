"""The examples around stable-baselines3 that train no recipe: Optuna with pruning, and a league, with small budgets."""

import runpy
import sys

import numpy as np
import pytest

from examples import sb3_league


def test_trials_are_pruned_by_the_curve(monkeypatch, capsys):
    optuna = pytest.importorskip("optuna")
    words = ["optuna_prunes", "--trials", "3", "--steps", "100", "--games", "60"]
    monkeypatch.setattr(sys, "argv", words)
    worse = optuna.pruners.ThresholdPruner(lower=2, n_warmup_steps=1)  # no share of wins is above 1
    monkeypatch.setattr(optuna.pruners, "MedianPruner", lambda **_: worse)
    study = []
    create = optuna.create_study
    monkeypatch.setattr(optuna, "create_study", lambda **how: study.append(create(**how)) or study[0])
    with pytest.raises(ValueError, match="No trials are completed yet"):
        runpy.run_module("examples.optuna_prunes", run_name="__main__")
    assert {trial.state.name for trial in study[0].trials} == {"PRUNED"}
    monkeypatch.undo()
    monkeypatch.setattr(sys, "argv", [*words[:2], "1", *words[3:]])
    runpy.run_module("examples.optuna_prunes", run_name="__main__")
    assert "win share 0." in capsys.readouterr().out


def test_the_league_learns_among_its_past(monkeypatch):
    seated = []

    class Seen(sb3_league.DiamantVecEnv):
        def __init__(self, *args, opponents, seating, **how):
            seated.append((len(opponents), seating))
            super().__init__(*args, opponents=opponents, seating=seating, **how)

    monkeypatch.setattr(sb3_league, "DiamantVecEnv", Seen)
    monkeypatch.setitem(sb3_league.SETTINGS, "n_steps", 4)
    steps = [sb3_league.learn(480, 40, 3, league, 0).num_timesteps for league in (False, True)]
    assert steps[0] == steps[1] == 480
    assert [past for past, _ in seated] == [0, 0, 0, 0, 1, 2]
    assert {int((seating == sb3_league.EMPTY).sum()) for _, seating in seated} == {40}
    _, last = seated[-1]
    assert set(np.unique(last[::2, 1:])) == {0, 1}
