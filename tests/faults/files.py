"""Opening files: damaged or made to do harm, they are refused within bounds, or are what they were."""

from __future__ import annotations

import pickle
import resource
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from tests.faults.child import in_child
from tests.faults.hostile import hostile_contents, mutated, special_files
from tests.faults.saves import states
from tests.faults.stored import Stored, fingerprint, stored
from tests.faults.table import Effort, Row, Trials

_MEMORY = 1 << 30  # bytes that opening a small file may take
_SECONDS = 5.0  # of CPU time
_CHUNK = 500  # files that one process opens


def files(effort: Effort) -> Iterator[Row]:
    """All rows about opening files."""
    kinds = stored(effort.folder / "kinds", states(effort))
    del kinds["results"]  # which only our own documents are made from
    for name, opened in kinds.items():
        yield damaged(effort, name, opened)
        yield crafted(effort, name, opened)


def _raw(opened: Stored) -> Stored:
    """The control: it believes what it reads, and lets a pickle run."""

    def load() -> str:
        content = opened.path.read_bytes()
        return fingerprint(pickle.loads(content)) if content[:1] in b"\x80c" else fingerprint(content)

    return Stored(opened.path, opened.save, load)


def damaged(effort: Effort, name: str, opened: Stored) -> Row:
    """Open files with random damage."""
    trial = Trials(f"{name}: random damage", effort)
    good, chunk = opened.path.read_bytes(), min(_CHUNK, effort.times(10_000))
    worst = np.zeros(2)
    for part in effort.trials(10_000 // _CHUNK, seconds=150):
        opened.path.write_bytes(good)
        end = in_child(partial(_open_damaged, opened, effort.seed + part, chunk), memory=_MEMORY)
        if end.problem is not None:
            trial(f"damage number {effort.seed + part}: {end.problem}", opened.path.read_bytes())
        for problem, evidence, *figures in end.result or ():
            trial(problem, evidence)
            worst = np.maximum(worst, figures)
    opened.path.write_bytes(good)
    caught = any(problem for problem, *_ in in_child(partial(_open_damaged, _raw(opened), 0, 20)).result)
    opened.path.write_bytes(good)
    return trial.row("a loader that believes what it reads", caught, _figures(worst))


def _open_damaged(opened: Stored, seed: int, number: int) -> list[tuple[str | None, bytes, float, float]]:
    """Open so many damaged files; return what is wrong with each and what shows it, CPU seconds and mebibytes."""
    good, wanted = opened.path.read_bytes(), opened.load()
    random, found = np.random.default_rng(seed), []
    for _ in range(number):
        content = mutated(random, good)
        opened.path.write_bytes(content)
        problem, *figures = _bounded(opened, wanted if content != good else None)
        found.append((problem, content if problem else b"", *figures))
    return found


def _bounded(opened: Stored, wanted: str | None) -> tuple[str | None, float, float]:
    """Open a file once; return what is wrong, the CPU seconds and the mebibytes more at the peak."""
    before, began = _peak(), time.process_time()
    problem = _outcome(opened, wanted)
    seconds, memory = time.process_time() - began, _peak() - before
    if problem is None and seconds > _SECONDS:
        problem = f"it took {seconds:.1f} s of CPU"
    return problem, seconds, memory


def _outcome(opened: Stored, wanted: str | None) -> str | None:
    try:
        found = opened.load()
    except (ValueError, OSError) as error:
        return None if len(str(error).splitlines()) <= 1 else f"its error has several lines: {error}"
    except BaseException as error:
        return f"it raised {type(error).__name__}: {error}"
    same = wanted is None or found in (wanted, "")
    return None if same or opened.may_differ else "another content was loaded without a word"


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _figures(worst: np.ndarray) -> str:
    return f"{worst[0]:.2f} s of CPU, {worst[1]:.0f} MiB more"


def crafted(effort: Effort, name: str, opened: Stored) -> Row:
    """Open files that are made to do harm, each in a process of its own."""
    trial = Trials(f"{name}: files made to do harm", effort)
    path, good, mark = opened.path, opened.path.read_bytes(), effort.folder / f"ran-{name}"
    contents = hostile_contents(good, mark)
    special = special_files(effort.folder / f"special-{name}")
    keys = [*contents, *special]
    worst = np.zeros(2)
    for at in effort.random.permutation(len(keys))[: max(5, effort.times(len(keys)))]:
        key = keys[at]
        _clear(path)
        special[key](path) if key in special else path.write_bytes(contents[key])
        # Every one of them is another file than the good one, but what is behind it may be nothing but a line's end.
        end = in_child(partial(_bounded, opened, None), memory=_MEMORY, seconds=60)
        problem, *figures = (end.problem, 0, 0) if end.problem else end.result
        worst = np.maximum(worst, figures)
        if mark.exists():
            problem, _ = "code from the file ran", mark.rmdir()
        trial(f"{key}: {problem}" if problem else None, contents.get(key, b"")[: 1 << 20])
    _clear(path)
    path.write_bytes(contents["a pickle"])
    in_child(_raw(opened).load)
    caught = mark.exists()
    path.write_bytes(good)
    return trial.row("a loader that unpickles", caught, _figures(worst))


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
