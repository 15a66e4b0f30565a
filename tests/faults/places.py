"""Machines of others: read-only packages, no home, another user, an ASCII locale, paths with odd characters."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.caches import copy_package
from tests.faults.child import HANG
from tests.faults.table import Effort, Row, Trials

_STRANGER = 54_321  # a user id that nobody has
_ODD = "a path with spaces,\na newline and é"
_PROGRAM = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from diamant_env import GAME, Batch, Edition, rules
from diamant_env.engine.edition_numbers import numbers_of
game = np.zeros(1, GAME)[0]
rules.start_game(game, numbers_of("iello-2016"), 3, np.uint64(7))
found = game.tobytes()
if sys.argv[2] == "all":
    batch = Batch(3, 3)
    batch.reset(7)
    found += batch.step(np.zeros((3, 3), np.int8))[0].tobytes()
    from diamant_env.exact.equilibrium import solve_equilibrium
    small = Edition("small", treasures=(5, 7, 11), traps=("snake", "fire"), trap_copies=2, expeditions=2)
    found += repr(solve_equilibrium(2, small).value).encode()
    import train.learning.rollout
    print("\\u00e9 \\xb1".encode().hex())
print(hashlib.sha256(found).hexdigest())
"""


@dataclass(frozen=True)
class Place:
    """How a machine differs.

    Attributes:
        environment: Variables that are set, or with None removed.
        prepare: Changes the folder that the packages are in.
        user: Who runs it, None for who runs this.
        folder: Where the packages are.
    """

    environment: dict[str, str | None] = field(default_factory=dict)
    prepare: Callable[[Path], object] = lambda folder: None
    user: int | None = None
    folder: str = "packages"


def _read_only(folder: Path) -> None:
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)


def _blocked(folder: Path) -> None:
    """Even root can't make a folder where a file is."""
    _read_only(folder)
    (folder / "diamant_env").chmod(0o755)
    (folder / "diamant_env" / "__pycache__").write_text("a file where a folder would be")


_NOWHERE = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "DIAMANT_CACHE_DIR", "NUMBA_CACHE_DIR"))
PLACES = {
    "ASCII locale, odd path": Place({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, folder=_ODD),
    "read-only, no place for a cache": Place(
        {**_NOWHERE, "HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null", "TMPDIR": "/dev/null"}, _blocked
    ),
    "read-only": Place(_NOWHERE, _read_only),
    "no home": Place(_NOWHERE),
    "another user without a home": Place(_NOWHERE, _read_only, _STRANGER),
    "a home that can not be made": Place({**_NOWHERE, "HOME": "/dev/null/at/all"}),
    "a cache in an odd path": Place({"DIAMANT_CACHE_DIR": _ODD, "NUMBA_CACHE_DIR": _ODD}),
    "a cache folder that is a file": Place({"DIAMANT_CACHE_DIR": "/dev/null", "NUMBA_CACHE_DIR": "/dev/null"}),
}


def places(effort: Effort) -> Iterator[Row]:
    """The row about machines of others."""
    trial = Trials(f"play and solve on machines of others: {'; '.join(PLACES)}", effort)
    much = "all" if effort.scale >= 0.1 else "some"
    found: list[str] = []
    for number, (name, place) in enumerate(PLACES.items()):
        if number < effort.times(len(PLACES)):
            status, said, error = _play(effort.place(f"place-{number}"), place, much)
            found.append(said if status == 0 else "")
            lines = error.strip().splitlines() or ["no word"]
            trial(f"{name}: status {status}: {lines[-1]}" if status else None, error.encode())
    if len({said for said in found if said}) > 1:
        trial("the games are not the same everywhere")
    broken = Place(prepare=lambda folder: (folder / "diamant_env" / "rules.py").write_text("rules = 1"))
    caught = _play(effort.place("broken"), broken, "some")[0] != 0
    yield trial.row("a package with a file that is not its own", caught)


def _anybody_may_run(program: Path) -> bool:
    """Whether the folders of the interpreter are open to other users: root's own one is not."""
    return all(path.stat().st_mode & 0o001 for path in (program.resolve(), *program.resolve().parents))


def _play(folder: Path, place: Place, much: str) -> tuple[int | None, str, str]:
    """Play there; return exit status, output and errors."""
    packages = folder / place.folder
    packages.mkdir(parents=True)
    for name in ("diamant_env", "agents", "train") if much == "all" else ("diamant_env",):
        copy_package(packages, name)
    place.prepare(packages)
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", *place.environment)}
    environment = kept | {name: value for name, value in place.environment.items() if value is not None}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    user = place.user if os.getuid() == 0 and _anybody_may_run(Path(sys.executable)) else None
    if user is not None:
        for above in (packages, *packages.parents):
            if above.stat().st_uid == 0 and above != Path("/") and str(above).startswith(str(folder.parent)):
                above.chmod(above.stat().st_mode | 0o055)
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, str(packages), much],
            cwd="/", env=environment, capture_output=True, user=user, timeout=HANG, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, "", "it hangs"
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
