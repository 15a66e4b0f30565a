"""Files for other hosts: the conda recipe, Binder's requirements and the heads of the model cards fit the package."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_conda_recipe():
    recipe = yaml.safe_load((ROOT / "contrib" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    python = recipe["context"]["python_min"]
    assert (recipe["package"]["name"], recipe["context"]["version"]) == (PROJECT["name"], PROJECT["version"])
    assert (recipe["about"]["license"], f">={python}") == (PROJECT["license"], PROJECT["requires-python"])
    needed = ["python >=${{ python_min }}", *(re.sub(r"(?<=\w)(?=>=)", " ", each) for each in PROJECT["dependencies"])]
    assert recipe["requirements"]["run"] == needed
    entry_points = [f"{name} = {target}" for name, target in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == entry_points
    judge = [re.sub(r"(?<=\w)(?=>=)", " ", each) for each in PROJECT["optional-dependencies"]["judge"]]
    assert recipe["tests"][1]["requirements"]["run"][1:] == judge


def test_binder_asks_for_extras_that_exist():
    name, *extras = re.findall(r"[\w-]+", (ROOT / "binder" / "requirements.txt").read_text(encoding="utf-8").split()[0])
    assert name == PROJECT["name"]
    assert set(extras) <= PROJECT["optional-dependencies"].keys()


@pytest.mark.parametrize("name", ["champion", "hunter"])
def test_head_of_model_card(name):
    card = ROOT / "agents" / "policies" / f"{name}.md"
    _, head, _ = card.read_text(encoding="utf-8").split("---\n", 2)
    found, record = yaml.safe_load(head), json.loads(card.with_suffix(".json").read_text(encoding="utf-8"))
    assert found["license"].upper() == PROJECT["license"]
    (row,) = (row for row in record["tables"] if (row["edition"], row["players"]) == ("iello-2016", 4))
    shares = [result["metrics"][0]["value"] for result in found["model-index"][0]["results"]]
    assert shares == [round(row[pool]["mean"], 3) for pool in ("pool", "held_out")]
