"""Public names in docs/api/, and the examples in their docstrings."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

import diamant_env
from diamant_env import opponents, sb3

ROOT = Path(__file__).parents[2]
PAGE = "".join(room.read_text(encoding="utf-8") for room in sorted((ROOT / "docs" / "api").glob("*.rst")))
SHOWN = {
    module: names.split(", ") if names else import_module(module).__all__
    for module, names in re.findall(r"^\.\. automodule:: (\S+)\n   :members:(?: (.+))?$", PAGE, re.MULTILINE)
}
SINGLE = re.findall(r"^\.\. auto(?!module)\w+:: (\S+)\.(\w+)$", PAGE, re.MULTILINE)
NAMES = [*((module, name) for module, names in SHOWN.items() for name in names), *SINGLE]
LIBRARIES = {"diamant_env.jax": "jax", "diamant_env.jax.jaxmarl": "jax", "diamant_env.open_spiel": "pyspiel"}
ENVIRONMENTS = ("batch", "diamant_v0", "editions", "game", "gym_env", "observation")


def test_public_names_are_documented():
    assert len(SHOWN) + len(SINGLE) == PAGE.count(".. auto")
    assert {*diamant_env.__all__, *opponents.__all__, *sb3.__all__} <= {name for _, name in NAMES}


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_documented_names_exist(module, name):
    if module in LIBRARIES:
        pytest.importorskip(LIBRARIES[module])
    assert hasattr(import_module(module), name)


@pytest.mark.parametrize(
    "module", [*ENVIRONMENTS, "benchmark", "exact", "evaluation", "opponents.seated_agents", "records", "rules"]
)
def test_examples_in_docstrings(module):
    failures, tried = doctest.testmod(import_module(f"diamant_env.{module}"))
    assert tried > 0
    assert failures == 0
