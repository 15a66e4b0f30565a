"""The GPU's games are the CPU's, in Numba's CUDA simulator (with the JIT off) and, where there is one, on a GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba import cuda

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tests" / "support" / "cuda_games.py"
NO_GPU = pytest.mark.skipif(not cuda.is_available(), reason="there is no GPU here")


@pytest.mark.parametrize("simulator", ["1", pytest.param("0", marks=NO_GPU)])
def test_the_same_games_and_bad_input(simulator):
    settings = {"NUMBA_ENABLE_CUDASIM": simulator, "NUMBA_DISABLE_JIT": simulator, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, SCRIPT], env=os.environ | settings, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "step before reset: call reset() first",
        "actions of shape (2, 4); expected (2, 3)",
        "actions of dtype float64; expected int8",
        "the same games",
    ]
