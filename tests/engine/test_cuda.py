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
ERRORS = """
import numpy as np
from diamant_env.cuda import CudaBatch
batch = CudaBatch(2, 3)
for action in (lambda: batch.step(np.zeros((2, 3), np.int8)), lambda: batch.reset(1) and None,
               lambda: batch.step(np.zeros((2, 4), np.int8)), lambda: batch.step(np.zeros((2, 3)))):
    try:
        action()
    except (RuntimeError, ValueError) as error:
        print(error)
"""


def run(*arguments: str, simulator: str) -> str:
    finished = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={
            **os.environ,
            "NUMBA_ENABLE_CUDASIM": simulator,
            "NUMBA_DISABLE_JIT": simulator,
            "PYTHONPATH": str(ROOT),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_the_simulator_plays_the_same_games():
    assert run(str(SCRIPT), simulator="1") == "the same games\n"


@pytest.mark.skipif(not cuda.is_available(), reason="there is no GPU here")
def test_a_gpu_plays_the_same_games():
    assert run(str(SCRIPT), simulator="0") == "the same games\n"


def test_bad_input():
    assert run("-c", ERRORS, simulator="1").splitlines() == [
        "step before reset: call reset() first",
        "actions of shape (2, 4); expected (2, 3)",
        "actions of dtype float64; expected int8",
    ]
