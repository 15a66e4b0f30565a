"""Lazy submodules at the prompt, pictures in a notebook."""

import subprocess
import sys
from pathlib import Path

import pytest

import diamant_env
from diamant_env import diamant_v0
from diamant_env.records import GameRecord

RECORD = Path(__file__).parents[1] / "records" / "games" / "by-hand-two-snakes.txt"


def test_submodules_are_imported_lazily():
    code = (
        "import sys, diamant_env; assert {'judging', 'exact', 'sb3'} <= set(dir(diamant_env)); "
        "assert 'diamant_env.judging' not in sys.modules; print(diamant_env.judging.evaluate.__name__)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "evaluate\n"
    with pytest.raises(AttributeError, match="has no attribute 'judgin'"):
        diamant_env.judgin  # noqa: B018


def test_notebook_pictures():
    pytest.importorskip("pygame")
    env = diamant_v0.parallel_env(3, render_mode="rgb_array")
    assert env._repr_png_() is None
    env.reset(seed=1)
    assert env._repr_png_().startswith(b"\x89PNG")
    assert diamant_v0.parallel_env(3)._repr_png_() is None
    assert GameRecord.read(RECORD)._repr_png_().startswith(b"\x89PNG")
