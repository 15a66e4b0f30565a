"""Saving: killed at any moment or with no space left, what was saved stays, and a run goes on to the same bytes."""

from __future__ import annotations

import errno
import os
import pickle
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.logger import Logger

from tests.faults.child import Child, in_child
from tests.faults.stored import Stored, fingerprint, stored
from tests.faults.table import Effort, Row, Trials
from train import ppo
from train.learning.decisions import DecisionBuffer
from train.runs.config import Config
from train.runs.run_folder import POLICY, new_run_folder, save_checkpoint

TINY = {
    "threads": 1,
    "checkpoints": 8,
    "ppo": {"decisions": 4_000, "games": 12, "turns": 16, "minibatch": 128, "average": 0.5, "explore": 0.4},
    "opponents": {
        "learner": 0.6, "snapshots": 0.2, "scripted": 0.2, "snapshot_every": 1_000, "snapshot_places": 2
    },
    "network": {"hidden": [8]},
    "judge": {"curve_points": 0},
}  # fmt: skip
"""A run of half a second in which everything happens that a checkpoint must hold."""
Ways = dict[str, Callable[[Callable[[], object]], object]]
"""Disturbances of a save, by name."""
_OPERATIONS = {
    *("open", "write", "writelines", "writestr", "flush", "fsync", "fdatasync", "close", "truncate", "ftruncate"),
    *("replace", "rename", "link", "symlink", "unlink", "remove", "mkdir", "chmod", "fchmod", "copyfileobj"),
}


def warm_up(folder: Path) -> None:
    """Train once, so that the forked processes have imported and compiled all."""
    config = Config.model_validate(TINY)
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        _train(config, new_run_folder(folder, config))


def saves(effort: Effort) -> Iterator[Row]:
    """All rows about saving."""
    yield killed_training(effort)
    both = states(effort)
    fault = "kill -9 before and after each file operation of a save: old or new content"
    yield struck_saves(effort, fault, both, _kills, "SIGKILL")
    yield struck_saves(effort, "no space left at each write: the old content stays", both, _full_disks, "OSError")


# A run that is killed


def killed_training(effort: Effort) -> Row:
    """Kill runs at random moments and let them go on."""
    trial = Trials("kill -9 at a random moment of training, then resume: the same bytes", effort)
    config = Config.model_validate(TINY)
    pattern = new_run_folder(effort.place("runs"), config)
    whole = shutil.copytree(pattern, effort.folder / "runs" / "whole")
    began = time.monotonic()
    in_child(partial(_train, config, whole))
    lasts, expected = time.monotonic() - began, _written(whole)
    for number in effort.trials(300, seconds=480):
        folder = shutil.copytree(pattern, pattern.with_name(f"killed-{number}"))
        for _ in range(2):
            child = Child(partial(_train, config, folder))
            time.sleep(effort.random.random() * lasts)
            child.kill()
            child.end()
        problem = in_child(partial(_train, config, folder)).problem
        if problem is None and _written(folder) != expected:
            problem = "the resumed run gives other bytes"
        trial(problem, Path(shutil.make_archive(str(folder), "tar", folder)).read_bytes() if problem else b"")
        shutil.rmtree(folder)
    caught = _forgetful(config, shutil.copytree(pattern, pattern.with_name("forgetful")), expected)
    return trial.row("a resume that forgets the open decisions", caught)


def _train(config: Config, folder: Path) -> None:
    """Train without TensorBoard, whose threads are none of ours."""
    ppo.configure = lambda *_: Logger(None, [])
    ppo.train(config, folder)


def _forgetful(config: Config, folder: Path, expected: dict[str, bytes]) -> bool:
    """Whether the bytes tell a resume that restores less."""

    def dies() -> None:
        saves = iter([save_checkpoint] * 3)  # the fourth fails
        ppo.save_checkpoint = lambda *given: next(saves)(*given)
        _train(config, folder)

    def goes_on() -> None:
        DecisionBuffer.restore = lambda self, state: None
        _train(config, folder)

    in_child(dies)
    return in_child(goes_on).problem is not None or _written(folder) != expected


def _written(folder: Path) -> dict[str, bytes]:
    paths = [folder / POLICY, *sorted((folder / "checkpoints").glob("*.safetensors"))]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


# One save that is killed or finds no space


def states(effort: Effort) -> tuple[dict, dict]:
    """Return the first two states that a run saves."""
    config = Config.model_validate(TINY)
    folder = new_run_folder(effort.place("states"), config)

    def noted() -> list[bytes]:
        found: list[bytes] = []
        ppo.save_checkpoint = lambda folder, config, state: found.append(pickle.dumps(state))
        _train(config, folder)
        return found

    first, second, *_ = in_child(noted).result
    return pickle.loads(first), pickle.loads(second)


def struck_saves(
    effort: Effort, fault: str, both: tuple[dict, dict], ways: Callable[[Stored], Ways], expected: str
) -> Row:
    """Save each kind of file in all these ways, which end with the expected word; the control writes in place."""
    trial, place = Trials(fault, effort), effort.place(ways.__name__)
    kinds = stored(place, both)
    del kinds["configuration"]  # which is only written with its run's folder
    for name, kind in kinds.items():
        for problem in _struck_saves(effort, name, kind, ways(kind), expected):
            trial(problem)
    path = place / "file"
    control = Stored(
        path, lambda which: path.write_bytes(bytes([which]) * 100_000), lambda: fingerprint(path.read_bytes())
    )
    caught = any(_struck_saves(effort, "in place", control, ways(control), expected))
    return trial.row("a writer that writes in place", caught)


def _kills(kind: Stored) -> Ways:
    """Kill a save before and after each of its file operations."""
    kind.save(0)
    operations = in_child(partial(_struck, -1, _die, partial(kind.save, 1))).result
    return {f"operation {at} of {operations}": partial(_struck, at, _die) for at in range(operations)}


def _full_disks(kind: Stored) -> Ways:
    """Let the disk be full at each file operation and at each of a hundred bytes."""
    kind.save(0)
    operations = in_child(partial(_struck, -1, _refuse, partial(kind.save, 1), after=False)).result
    places = np.linspace(0, kind.path.stat().st_size - 1, 100).astype(int).tolist()
    ways: Ways = {f"operation {at}": partial(_struck, at, _refuse, after=False) for at in range(operations)}
    return ways | {f"byte {at}, number {number}": partial(_limited, at) for number, at in enumerate(places)}


def _struck_saves(effort: Effort, name: str, kind: Stored, ways: Ways, expected: str) -> Iterator[str | None]:
    """Save the second content over the first in some of these ways; yield what is wrong with what is there then."""
    kind.save(1)
    new = kind.load()
    kind.save(0)
    old = kind.load()
    assert "" != old != new != ""
    for at in effort.random.permutation(len(ways))[: max(5, effort.times(10 * len(ways)))]:
        where = list(ways)[at]
        kind.save(0)
        problem = in_child(partial(ways[where], partial(kind.save, 1))).problem or ""
        if not problem or expected in problem:
            allowed = ("", old) if "OSError" in problem else ("", old, new)
            try:
                problem = "" if kind.load() in allowed else "another content is loaded"
            except Exception as error:
                problem = f"it can't be loaded: {type(error).__name__}: {error}"
        yield f"{name}, {where}: {problem}" if problem else None


def _struck(at: int, strike: Callable[[], None], work: Callable[[], object], after: bool = True) -> int:
    """Do some work, struck at one of its file operations; return how many there are."""
    count = 0

    def follow(frame: Any, event: str, function: Any) -> None:
        nonlocal count
        if event not in ("c_call", "c_return" if after else "c_call"):
            return
        if getattr(function, "__name__", "") in _OPERATIONS:
            count += 1
            if count - 1 == at:
                strike()

    sys.setprofile(follow)
    try:
        work()
    finally:
        sys.setprofile(None)
    if count <= at:
        raise RuntimeError("it was not struck")
    return count


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _refuse() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _limited(size: int, work: Callable[[], object]) -> None:
    """Do some work while no file can have more bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    work()
