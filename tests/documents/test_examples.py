"""Recipes of examples/ with a small budget, where their library is installed."""

import importlib
import importlib.util
import re
import runpy

import pytest

from examples import run_all


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
