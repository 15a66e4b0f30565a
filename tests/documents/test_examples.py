"""Each recipe runs with a small budget, where its library is installed; the table says what `make examples` saw."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from examples import run_all

ROOT = Path(__file__).parents[2]
WITH_RECIPE = [recipe for recipe in run_all.RECIPES if recipe.module]


@pytest.mark.parametrize("recipe", WITH_RECIPE, ids=lambda recipe: recipe.module.replace(" ", ""))
def test_recipe_runs(recipe):
    if importlib.util.find_spec(recipe.imports) is None:
        pytest.skip(f"{recipe.imports} is not installed")
    done = subprocess.run(
        [sys.executable, *run_all.command(recipe, 600)],
        cwd=ROOT, capture_output=True, text=True, check=False, env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    share = re.search(rf"^result: {recipe.package} .* win share (\d\.\d+) ", done.stdout, re.MULTILINE)
    assert share, done.stdout
    assert 0 <= float(share[1]) <= 1


def test_table_is_what_was_measured():
    lines = json.loads(run_all.RESULTS.read_text(encoding="utf-8"))
    assert run_all.table(lines) in run_all.DOCUMENT.read_text(encoding="utf-8")


def test_what_did_not_run_is_not_ticked():
    rows = run_all.table({}).splitlines()[2:]
    assert len(rows) == len(run_all.RECIPES)
    assert all("**not run**" in row for row in rows)


def test_every_recipe_is_in_the_table():
    for recipe in WITH_RECIPE:
        assert (ROOT / "examples" / f"{recipe.module.split()[0]}.py").is_file(), recipe.module
