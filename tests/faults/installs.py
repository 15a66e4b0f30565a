"""The package as others install and start it: compiled code on disk, changed sources, machines of others."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numba
import numpy as np

import diamant_env
from tests.faults.child import HANG, Child, End, in_child
from tests.faults.hostile import mutated
from tests.faults.table import Effort, Row, Trials

AT_ONCE = 16
_SMALL = """
FACTOR = 3
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
_EXPECTED = sum(3 * x + 1 for x in range(50))
_OURS = "from diamant_env.native.compiled import jit\n"
_NUMBA = "from functools import partial\nimport numba\njit = numba.njit(cache=True)\n"
_ENDING = "return 1.0 / winners"  # in rules.py; rewards.py, which pays it, does not change
PAYS = """
import numpy as np
import diamant_env
from diamant_env import rewards, rules, state
from diamant_env.engine.edition_numbers import numbers_of
game, paid = np.zeros(1, state.GAME)[0], np.zeros((1, 3), np.float32)
edition = numbers_of("iello-2016")
rules.start_game(game, edition, 3, np.uint64(7))
game.phase, game.chest[0] = state.OVER, 5
rewards.pay(game, edition, list(rewards.REWARDS).index("win"), True, paid, 0)
found = game.tobytes() + paid.tobytes()
"""
"""A rule, and a reward that uses a rule of another file: the only winner of a game is paid."""


def caches(effort: Effort) -> Iterator[Row]:
    """Many processes at once, damaged files and changed sources never give another result."""
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
    for number in effort.trials(30, seconds=300):
        folder = effort.place(f"small-{number}")
        (folder / "small_functions.py").write_text(_OURS + _SMALL)
        for trial in (cold, damaged):
            for problem in _together(partial(_total, folder), _EXPECTED):
                trial(problem)
            _damage(folder / "cache", lambda content: mutated(effort.random, content or b"?"))
        shutil.rmtree(folder)
    folder = effort.place("in-place")
    caught = any(_together(partial(_naive, folder / "result"), _EXPECTED))
    yield cold.row("a cache that is written in place", caught)
    folder = effort.place("numba")
    (folder / "small_functions.py").write_text(_NUMBA + _SMALL)
    in_child(partial(_total, folder))
    _damage(folder / "cache", lambda content: content[: len(content) // 2])
    yield damaged.row("Numba's own cache", any(_together(partial(_total, folder), _EXPECTED)))


def _total(folder: Path) -> int:
    use_cache(folder / "cache")
    sys.path.insert(0, str(folder))
    return import_module("small_functions").total(50)


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


def _wrong(end: End, expected: object) -> str | None:
    return end.problem or (None if end.result == expected else f"{end.result} instead of {expected}")


def _damage(cache: Path, damaged: Callable[[bytes], bytes]) -> None:
    for path in sorted(path for path in cache.rglob("*") if path.is_file()):
        path.write_bytes(damaged(path.read_bytes()))


# The package itself, copied


def copy_package(folder: Path, name: str = "diamant_env") -> Path:
    """Copy a package of this checkout into a folder; return the folder."""
    source = Path(diamant_env.__file__).parents[1] / name
    shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.nb?"))
    return folder


def _use_package(folder: Path, cache: Path) -> None:
    """Import the package from that folder from now on."""
    use_cache(cache)
    for name in [name for name in sys.modules if name.partition(".")[0] == "diamant_env"]:
        del sys.modules[name]
    sys.path.insert(0, str(folder))


def _paid(folder: Path) -> float:
    """Return what the only winner of a game is paid, by the package in that folder."""
    _use_package(folder, folder / "cache")
    names: dict[str, Any] = {}
    exec(PAYS, names)
    return float(names["paid"][0, 0])


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
        trial(_wrong(in_child(partial(_paid, folder)), paid))
    return trial.row("Numba's own cache", _is_stale(effort.place("stale")))


def _is_stale(folder: Path) -> bool:
    """Whether Numba's own cache misses a constant that another file holds."""
    text = "from constants import FACTOR\n@jit\ndef total(x):\n    return x * FACTOR\n"
    (folder / "small_functions.py").write_text(_NUMBA + text)
    found = []
    for factor in (2, 3):
        (folder / "constants.py").write_text(f"FACTOR = {factor}\n#{'-' * factor}\n")
        found.append(in_child(partial(_total, folder)).result)
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
    _use_package(folder, cache)
    batch = import_module("diamant_env").Batch(50, 4)
    batch.reset(seed)
    batch.step(np.zeros((50, 4), np.int8))
    return batch.play_out(0.3).tobytes()


# Machines of others

_STRANGER = 54_321  # a user id that nobody has
_ODD = "a path with spaces,\na newline and é"
_PROGRAM = f"""
import hashlib, sys
sys.path.insert(0, sys.argv[1])
{PAYS}
if sys.argv[2] == "all":
    from diamant_env import Batch, Edition
    batch = Batch(3, 3)
    batch.reset(7)
    found += batch.step(np.zeros((3, 3), np.int8))[0].tobytes()
    from diamant_env.exact.equilibrium import solve_equilibrium
    small = Edition("small", treasures=(5, 7, 11), traps=("snake", "fire"), trap_copies=2, expeditions=2)
    found += repr(solve_equilibrium(2, small).value).encode()
    import train.learning.decisions
    print("\\u00e9 \\xb1".encode().hex())
print(hashlib.sha256(found).hexdigest())
"""


@dataclass(frozen=True)
class Place:
    """How a machine differs."""

    environment: dict[str, str | None] = field(default_factory=dict)  # variables that are set, or with None removed
    prepare: Callable[[Path], object] = lambda folder: None  # changes the folder that the packages are in
    user: int | None = None  # who runs it, None for who runs this
    folder: str = "packages"  # where the packages are


def _read_only(folder: Path) -> None:
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)


def _blocked(folder: Path) -> None:
    """Even root can't make a folder where a file is."""
    _read_only(folder)
    (folder / "diamant_env").chmod(0o755)
    (folder / "diamant_env" / "__pycache__").write_text("a file where a folder would be")


_CACHES = ("DIAMANT_CACHE_DIR", "NUMBA_CACHE_DIR")
_NOWHERE = dict.fromkeys(("HOME", "XDG_CACHE_HOME", *_CACHES))
PLACES = {
    "ASCII locale, odd path": Place({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, folder=_ODD),
    "read-only, no place for a cache": Place(
        {**_NOWHERE, **dict.fromkeys(("HOME", "XDG_CACHE_HOME", "TMPDIR"), "/dev/null")}, _blocked
    ),
    "read-only": Place(_NOWHERE, _read_only),
    "no home": Place(_NOWHERE),
    "another user without a home": Place(_NOWHERE, _read_only, _STRANGER),
    "a home that can not be made": Place({**_NOWHERE, "HOME": "/dev/null/at/all"}),
    "a cache in an odd path": Place(dict.fromkeys(_CACHES, _ODD)),
    "a cache folder that is a file": Place(dict.fromkeys(_CACHES, "/dev/null")),
}


def places(effort: Effort) -> Iterator[Row]:
    """The row about machines of others."""
    trial = Trials(f"play and solve on machines of others: {'; '.join(PLACES)}", effort)
    much = "all" if effort.scale >= 0.1 else "some"
    found = set()
    for number, (name, place) in list(enumerate(PLACES.items()))[: effort.times(len(PLACES))]:
        status, said, error = _play(effort.place(f"place-{number}"), place, much)
        lines = error.strip().splitlines() or ["no word"]
        trial(f"{name}: status {status}: {lines[-1]}" if status else None, error.encode())
        found |= set() if status else {said}
    if len(found) > 1:
        trial("the games are not the same everywhere")
    broken = Place(prepare=lambda folder: (folder / "diamant_env" / "rules.py").write_text("rules = 1"))
    yield trial.row("a package with a file that is not its own", _play(effort.place("broken"), broken, "some")[0] != 0)


def _play(folder: Path, place: Place, much: str) -> tuple[int, str, str]:
    """Play there; return exit status, output and errors."""
    packages = folder / place.folder
    packages.mkdir(parents=True)
    for name in ("diamant_env", "agents", "train") if much == "all" else ("diamant_env",):
        copy_package(packages, name)
    place.prepare(packages)
    environment = {**os.environ, **place.environment, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": None}
    interpreter = Path(sys.executable).resolve()
    # Other users can't run an interpreter in a folder of root's own.
    open_to_all = all(path.stat().st_mode & 0o001 for path in (interpreter, *interpreter.parents))
    user = place.user if os.getuid() == 0 and open_to_all else None
    if user is not None:
        for above in (packages, *packages.parents):
            if above.stat().st_uid == 0 and above.is_relative_to(folder.parent):
                above.chmod(above.stat().st_mode | 0o055)
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, str(packages), much],
            cwd="/", env={name: value for name, value in environment.items() if value is not None},
            capture_output=True, user=user, timeout=HANG, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 1, "", "it hangs"
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
