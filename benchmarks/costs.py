"""What the engine costs before the first step: importing it, and compiling or loading compiled code."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks.measure import Speed
from benchmarks.results import Comparison, alone

_IMPORT = """
import time
import numpy, numba, gymnasium, pettingzoo
start = time.perf_counter()
import diamant_env
print(time.perf_counter() - start)
"""
_FIRST_STEP = """
import numpy as np
from diamant_env import Batch
batch = Batch(1, 4)
batch.reset(0)
batch.step(np.zeros((1, 4), np.int8))
"""


def measure_costs(repeats: int) -> list[Comparison]:
    """Return seconds; a first step is timed from the start of Python on."""
    with tempfile.TemporaryDirectory() as folder:
        imports = [float(_fresh(_IMPORT, f"{folder}/0")[0]) for _ in range(repeats)]
        cold = [_fresh(_FIRST_STEP, f"{folder}/{number}")[1] for number in range(repeats)]
        warm = [_fresh(_FIRST_STEP, f"{folder}/0")[1] for _ in range(repeats)]
    figures = {
        "import diamant_env after its dependencies": imports,
        "first step, empty cache": cold,
        "first step, warm cache": warm,
    }
    return [alone("costs", what, "s", Speed(tuple(seconds))) for what, seconds in figures.items()]


def _fresh(program: str, cache: str) -> tuple[str, float]:
    """Run a program in a fresh Python; return what it printed and the seconds that it took."""
    environment = os.environ | {"NUMBA_CACHE_DIR": cache, "DIAMANT_CACHE_DIR": cache}
    folder, command = Path(__file__).parent.parent, [sys.executable, "-c", program]
    start = perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout, perf_counter() - start
