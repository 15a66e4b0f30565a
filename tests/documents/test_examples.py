"""Each recipe runs with a small budget, where its library is installed; the table has figures only of what ran."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import measured_parts  # docs/measured_parts.py
import pytest

from examples import run_all

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("recipe", run_all.RECIPES, ids=lambda recipe: recipe.module.replace(" ", ""))
def test_recipe_runs(recipe):
    library = recipe.package.replace("-", "_")
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    done = subprocess.run(
        [sys.executable, *run_all.command(recipe, 600)],
        cwd=ROOT, capture_output=True, text=True, check=False, env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = run_all.FIGURES.search(done.stdout)
    assert result, done.stdout
    assert result["package"] == recipe.package
    assert int(result["decisions"].replace(",", "")) > 400
    assert 0 <= float(result["share"].split()[0]) <= 1


def test_what_did_not_run_has_no_figures():
    rows = measured_parts.libraries({}).splitlines()[2:]
    assert len(rows) == len(run_all.RECIPES)
    assert all("**not run**" in row for row in rows)
    for recipe in run_all.RECIPES:
        assert (ROOT / "examples" / f"{recipe.module.split()[0]}.py").is_file(), recipe.module
