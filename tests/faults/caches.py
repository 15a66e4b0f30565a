"""Compiled code on disk: many processes at once, damaged files and changed sources never give another result."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numba
import numpy as np

import diamant_env
from tests.faults.child import Child, in_child
from tests.faults.hostile import mutated
from tests.faults.table import Effort, Row, Trials

AT_ONCE = 16
_SMALL = """
from {decorator}
FACTOR = {factor}
@jit
def part(x):
    return x * FACTOR + 1
@jit
def total(n):
    found = 0
    for x in range(n):
        found += part(x)
    return found
"""
_OURS, _NUMBA = (
    "diamant_env.native.compiled import jit",
    "functools import partial\nimport numba\njit = numba.njit(cache=True)",
)
_ENDING = "return 1.0 / winners"  # in rules.py; rewards.py, which pays it, does not change


def caches(effort: Effort) -> Iterator[Row]:
    """All rows about the compile cache."""
    yield from small_functions(effort)
    yield changed_sources(effort)
    if effort.scale >= 0.1:
        yield whole_engine(effort)


def use_cache(folder: Path) -> None:
    """Let this process keep compiled code there."""
    os.environ["DIAMANT_CACHE_DIR"] = os.environ["NUMBA_CACHE_DIR"] = numba.config.CACHE_DIR = str(folder)


def small_functions(effort: Effort) -> Iterator[Row]:
    """Start 16 processes at once with an empty cache, then 16 with the same cache, damaged."""
    cold = Trials(f"{AT_ONCE} cold starts at once with one compile cache", effort)
    damaged = Trials(f"{AT_ONCE} starts at once with a damaged compile cache", effort)
    expected = sum(3 * x + 1 for x in range(50))
    for number in effort.trials(30, seconds=300):
        folder = effort.place(f"small-{number}")
        module = _module(folder, _OURS, 3)
        for trial in (cold, damaged):
            for problem in _together(partial(_call, module, folder / "cache"), expected):
                trial(problem)
            _damage(effort, folder / "cache")
        shutil.rmtree(folder)
    folder = effort.place("in-place")
    yield cold.row("a cache that is written in place", any(_together(partial(_naive, folder / "result"), expected)))
    folder = effort.place("numba")
    module = _module(folder, _NUMBA, 3)
    in_child(partial(_call, module, folder / "cache"))
    for path in _files(folder / "cache"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    caught = any(_together(partial(_call, module, folder / "cache"), expected))
    yield damaged.row("Numba's own cache", caught)


def _module(folder: Path, decorator: str, factor: int) -> Path:
    path = folder / "small_functions.py"
    path.write_text(_SMALL.format(decorator=decorator, factor=factor), encoding="utf-8")
    return path


def _call(module: Path, cache: Path) -> int:
    use_cache(cache)
    sys.path.insert(0, str(module.parent))
    return import_module(module.stem).total(50)


def _naive(path: Path) -> int:
    """The control: the result is kept in a file, which is written in two halves."""
    if not path.exists():
        with path.open("w") as file:
            file.write("36")
            file.flush()
            time.sleep(0.2)
            file.write("75 and more")
    time.sleep(0.05)
    return int(path.read_text().split()[0])


def _together(work: Callable[[], Any], expected: object) -> list[str | None]:
    """Do some work in many processes at once; return what is wrong with each."""
    children = [Child(work) for _ in range(AT_ONCE)]
    return [_wrong(child.end(), expected) for child in children]


def _wrong(end: Any, expected: object) -> str | None:
    if end.problem is not None:
        return end.problem
    return None if end.result == expected else f"{end.result} instead of {expected}"


def _files(cache: Path) -> list[Path]:
    return sorted(path for path in cache.rglob("*") if path.is_file())


def _damage(effort: Effort, cache: Path) -> None:
    for path in _files(cache):
        path.write_bytes(mutated(effort.random, path.read_bytes() or b"?"))


# The package itself, copied


def copy_package(folder: Path, name: str = "diamant_env") -> Path:
    """Copy a package of this checkout into a folder; return the folder."""
    source = Path(diamant_env.__file__).parents[1] / name
    shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.nb?"))
    return folder


def _paid(folder: Path, cache: Path) -> float:
    """Return what the only winner of a game is paid, by the package in that folder."""
    use_cache(cache)
    _forget_package(folder)
    rules, rewards, state = (import_module(f"diamant_env.{name}") for name in ("rules", "rewards", "state"))
    numbers_of = import_module("diamant_env.engine.edition_numbers").numbers_of
    game, paid = np.zeros(1, state.GAME)[0], np.zeros((1, 3), np.float32)
    edition = numbers_of("iello-2016")
    rules.start_game(game, edition, 3, np.uint64(7))
    game.phase = state.OVER
    game.chest[0] = 5
    rewards.pay(game, edition, list(rewards.REWARDS).index("win"), True, paid, 0)
    return float(paid[0, 0])


def _forget_package(folder: Path) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "diamant_env"]:
        del sys.modules[name]
    sys.path.insert(0, str(folder))


def changed_sources(effort: Effort) -> Row:
    """Change a constant in a file; a function in another file, whose code is kept, must follow."""
    trial = Trials("a constant changed in another file of the package", effort)
    folder = copy_package(effort.place("changed"))
    rules = folder / "diamant_env" / "rules.py"
    source = rules.read_text(encoding="utf-8")
    if source.count(_ENDING) != 1:
        raise RuntimeError(f"{_ENDING!r} is not in rules.py once")
    for number in effort.trials(20, seconds=120):
        paid = float(number % 3 + 1)
        rules.write_text(source.replace(_ENDING, f"return {paid} / winners"), encoding="utf-8")
        trial(_wrong(in_child(partial(_paid, folder, folder / "cache")), paid))
    return trial.row("Numba's own cache", _is_stale(effort.place("stale")))


def _is_stale(folder: Path) -> bool:
    """Whether Numba's own cache misses a constant that another file holds."""
    text = "import numba\nfrom constants import FACTOR\n@numba.njit(cache=True)\ndef total(x):\n    return x * FACTOR\n"
    (folder / "small_functions.py").write_text(text)
    found = []
    for factor in (2, 3):
        (folder / "constants.py").write_text(f"FACTOR = {factor}\n#{'-' * factor}\n")
        found.append(in_child(partial(_call, folder / "small_functions.py", folder / "cache")).result)
    return found == [100, 100]


def whole_engine(effort: Effort) -> Row:
    """Start 16 processes at once that compile the whole engine into one cache."""
    trial = Trials(f"{AT_ONCE} cold starts at once of the whole engine", effort)
    folder = copy_package(effort.place("engine"))
    expected = in_child(partial(_chests, folder, folder / "cache-of-one")).result
    for problem in _together(partial(_chests, folder, folder / "cache"), expected):
        trial(problem)
    other = in_child(partial(_chests, folder, folder / "cache", 8)).result
    return trial.row("games of another seed", other != expected)


def _chests(folder: Path, cache: Path, seed: int = 7) -> bytes:
    use_cache(cache)
    _forget_package(folder)
    batch = import_module("diamant_env").Batch(50, 4)
    batch.reset(seed)
    batch.step(np.zeros((50, 4), np.int8))
    return batch.play_out(0.3).tobytes()
