"""What the engine costs beside time per step: import, first step, bytes of a game, memory over many steps."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from benchmarks.engine import action_ring, engine_play
from benchmarks.reference import NoCompilerError, Reference
from benchmarks.results import Comparison
from diamant_env import GAME

IMPORT_SECONDS, COLD_SECONDS, WARM_SECONDS, GAME_BYTES = 0.1, 4.0, 0.6, 200
GROWTH_MEBIBYTES = 8  # what the system may add for reasons of its own

_Times = tuple[float, float]  # wall and CPU seconds

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
# Numba imports these where it finds them; an installation of the package alone has neither.
_SURROUNDINGS = {
    "warm cache, the package alone": "import sys\nsys.modules['scipy'] = sys.modules['coverage'] = None\n",
    "warm cache, SciPy and coverage installed": "",
}
# What no package that imports the same four and calls a function cached by Numba can go below.
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
    dependencies, own = (statistics.median(column) for column in zip(*found, strict=True))
    what, ratio = "import diamant_env after its dependencies", own / IMPORT_SECONDS
    return [
        Comparison("costs", what, "s", own, "limit", IMPORT_SECONDS, ratio, 1.0, True),
        Comparison("costs", "import of the four dependencies", "s", dependencies),
    ]


def _first_steps(repeats: int) -> list[Comparison]:
    """From the start of Python to the end of the first step, with an empty and a filled cache of Numba."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        cold = [_seconds(_FIRST_STEP, f"{folder}/{place}") for place in range(repeats)]
        rows += _rows("empty cache", cold, COLD_SECONDS)
        filled = f"{folder}/0"
        Path(filled, "addition.py").write_text(_ADDITION)
        _fresh(_FIRST_ADDITION, filled)
        for cache, before in _SURROUNDINGS.items():
            pairs = [
                (_seconds(before + _FIRST_STEP, filled), _seconds(before + _FIRST_ADDITION, filled))
                for _ in range(repeats)
            ]
            step, addition = zip(*pairs, strict=True)
            rows += _rows(cache, step, WARM_SECONDS, addition)
    return rows


def _rows(cache: str, found: Sequence[_Times], limit: float, addition: Sequence[_Times] = ()) -> list[Comparison]:
    """Return the first step beside its limit, and beside an addition that Numba has cached, if that was timed."""
    rows = []
    for place, kind in enumerate(("wall", "CPU")):
        what, ours = f"first step, {cache}, from the start of Python, {kind}", [each[place] for each in found]
        seconds, more = statistics.median(ours), {"repeats": ours}
        rows.append(Comparison("costs", what, "s", seconds, "limit", limit, seconds / limit, 1.0, True, more))
        if addition:
            rival, theirs = "an addition that Numba has cached", [each[place] for each in addition]
            bound, more = statistics.median(theirs), {"repeats": ours, "their repeats": theirs}
            rows.append(Comparison("costs", what, "s", seconds, rival, bound, seconds / bound, None, True, more))
    return rows


def _bytes() -> list[Comparison]:
    what, ours = "state of a game", float(GAME.itemsize)
    rows = [Comparison("costs", what, "bytes", ours, "limit", GAME_BYTES, ours / GAME_BYTES, 1.0, True)]
    try:
        theirs = float(Reference(1).bytes_per_game)
    except NoCompilerError:
        return rows
    return [*rows, Comparison("costs", what, "bytes", ours, "C", theirs, ours / theirs, None, True)]


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
    what = f"growth of memory over {turns:,} turns"
    return Comparison("costs", what, "MiB", growth, "limit", GROWTH_MEBIBYTES, growth / GROWTH_MEBIBYTES, 1.0, True)


def _resident_mebibytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _seconds(program: str, cache: str) -> _Times:
    """Return wall and CPU seconds of a program in a fresh Python; others on the machine prolong the wall time more."""
    start, used = perf_counter(), _children_seconds()
    _fresh(program, cache)
    return perf_counter() - start, _children_seconds() - used


def _children_seconds() -> float:
    """CPU seconds, user and system, of all processes that this one started and that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _fresh(program: str, cache: str | None = None) -> str:
    """Run a program in a fresh Python; return what it printed."""
    environment = os.environ | ({} if cache is None else {"NUMBA_CACHE_DIR": cache, "DIAMANT_CACHE_DIR": cache})
    command = [sys.executable, "-c", program]
    folder = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout
