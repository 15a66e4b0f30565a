"""What the engine costs beside time per step: import, first step, bytes of a game, memory over many steps."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks.contenders.engine import action_ring, engine_play
from benchmarks.contenders.reference import NoCompilerError, Reference
from benchmarks.measure import Speed
from benchmarks.results import Comparison, alone, comparisons
from diamant_env import GAME

_SECTION = "costs"
_IMPORT = """
import time
start = time.perf_counter()
import numpy, numba, gymnasium, pettingzoo
middle = time.perf_counter()
import diamant_env
print(middle - start, time.perf_counter() - middle)
"""
_FIRST_STEP = """
import numpy as np
from diamant_env import Batch
batch = Batch(1, 4)
batch.reset(0)
batch.step(np.zeros((1, 4), np.int8))
"""
# Numba imports SciPy and coverage where it finds them; an installation of the package alone has neither.
_SURROUNDINGS = {
    "warm cache, the package alone": "import sys\nsys.modules['scipy'] = sys.modules['coverage'] = None\n",
    "warm cache, SciPy and coverage installed": "",
}
# A lower bound: the same imports and one function that Numba has cached.
_ADDITION = """
import numba, numpy, gymnasium, pettingzoo
@numba.njit(cache=True)
def add(one, other):
    return one + other
"""
_FIRST_ADDITION = (
    "import os, sys\nsys.path.append(os.environ['NUMBA_CACHE_DIR'])\nimport addition\naddition.add(1, 2)\n"
)


def measure_costs(repeats: int, turns: int) -> list[Comparison]:
    """Return all costs; `turns` of games are played to see whether memory grows."""
    return [*_imports(repeats), *_first_steps(repeats), *_bytes(), _memory(turns)]


def _imports(repeats: int) -> list[Comparison]:
    found = [tuple(map(float, _fresh(_IMPORT).split())) for _ in range(repeats)]
    dependencies, own = (Speed(column) for column in zip(*found, strict=True))
    return [
        alone(_SECTION, "import diamant_env after its dependencies", "s", own),
        alone(_SECTION, "import of the four dependencies", "s", dependencies),
    ]


def _first_steps(repeats: int) -> list[Comparison]:
    """From the start of Python to the end of the first step, with an empty and with a filled compile cache."""
    with tempfile.TemporaryDirectory() as folder:
        cold = Speed(tuple(_seconds(_FIRST_STEP, f"{folder}/{place}") for place in range(repeats)))
        rows = [alone(_SECTION, "first step, empty cache", "s", cold)]
        filled = f"{folder}/0"
        Path(filled, "addition.py").write_text(_ADDITION)
        _fresh(_FIRST_ADDITION, filled)
        for cache, before in _SURROUNDINGS.items():
            pairs = [
                (_seconds(before + _FIRST_STEP, filled), _seconds(before + _FIRST_ADDITION, filled))
                for _ in range(repeats)
            ]
            step, addition = (Speed(column) for column in zip(*pairs, strict=True))
            rates = {"ours": step, "one cached addition": addition}
            rows += comparisons(_SECTION, f"first step, {cache}", "s", rates)
    return rows


def _bytes() -> list[Comparison]:
    ours = float(GAME.itemsize)
    try:
        theirs = float(Reference(1).bytes_per_game)
    except NoCompilerError:
        return [Comparison(_SECTION, "state of a game", "bytes", ours)]
    return [Comparison(_SECTION, "state of a game", "bytes", ours, "plain C", theirs, ours / theirs)]


def _memory(turns: int) -> Comparison:
    """How much the process grows over many turns, in large and in small batches, once all is warm."""
    shares = {1: 0.01, 1024: 0.99}  # of the turns; a call for a single game costs more than its turn
    plays = {num_games: engine_play(num_games, 4, action_ring(num_games, 4, 0.1)) for num_games in shares}
    for play in plays.values():
        play(1000)
    before = _resident_mebibytes()
    for num_games, play in plays.items():
        play(max(1, int(turns * shares[num_games] / num_games)))
    growth = max(0.0, _resident_mebibytes() - before)
    return Comparison(_SECTION, f"growth of memory over {turns:,} turns", "MiB", growth)


def _resident_mebibytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _seconds(program: str, cache: str) -> float:
    """Return the wall time of a program in a fresh Python."""
    start = perf_counter()
    _fresh(program, cache)
    return perf_counter() - start


def _fresh(program: str, cache: str | None = None) -> str:
    """Run a program in a fresh Python; return what it printed."""
    environment = os.environ | ({} if cache is None else {"NUMBA_CACHE_DIR": cache, "DIAMANT_CACHE_DIR": cache})
    command = [sys.executable, "-c", program]
    folder = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout
