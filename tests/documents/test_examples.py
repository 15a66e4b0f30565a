"""Examples with a small budget, where their library is installed."""

import importlib
import importlib.util
import re
import runpy

import numpy as np
import pytest
import torch

from diamant_env import Observations
from diamant_env.opponents import make
from examples import clone_an_agent, run_all, sb3_league


def test_install_lines_bring_the_judging_extra():
    for recipe in run_all.RECIPES:
        extras = re.search(r"\[(.+?)\]", " ".join(run_all.requirements(recipe)))[1].split(",")
        assert {"judge", "train"} & set(extras), recipe.module  # train includes judge


@pytest.mark.parametrize("recipe", run_all.RECIPES, ids=lambda recipe: recipe.module.replace(" ", ""))
def test_example_recipe_runs(recipe, capsys, monkeypatch):
    library = recipe.package.replace("-", "_")
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    _, module, *options = run_all.command(recipe, 600)
    monkeypatch.setattr("sys.argv", [module, *options])
    runpy.run_module(module, run_name="__main__", alter_sys=True)  # BenchMARL pickles a class of __main__
    if recipe.package == "ray":
        importlib.import_module("ray").shutdown()
    output = capsys.readouterr().out
    result = run_all.FIGURES.search(output)
    assert result, output
    assert result["package"] == recipe.package
    assert int(result["decisions"].replace(",", "")) > 400
    assert 0 <= float(result["share"].split()[0]) <= 1


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


def test_clone_agrees_with_agent(tmp_path):
    path = str(tmp_path / "clone.safetensors")
    torch.manual_seed(0)
    clone_an_agent.save(clone_an_agent.clone(*clone_an_agent.decisions_of("bag:8", 400, seed=0), steps=300), path)
    observations, actions = clone_an_agent.decisions_of("bag:8", 100, seed=5)
    leave = make(path).act(Observations(observations), np.zeros(len(actions), bool))
    assert ((leave > 0.5) == actions).mean() > 0.97
