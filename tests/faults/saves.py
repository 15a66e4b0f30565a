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

from tests.faults.child import Child, End, in_child
from tests.faults.stored import Stored, fingerprint, stored
from tests.faults.table import Effort, Row, Trials
from train.learning import training
from train.learning.rollout import DecisionBuffer
from train.learning.training import train
from train.runs.checkpoint import save_checkpoint
from train.runs.config import Config
from train.runs.run_folder import POLICY, new_run_folder

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
    for place, row in (("killed", killed_saves), ("full", no_space)):
        kinds = stored(effort.folder / place, both)
        del kinds["configuration"]  # which is only written with its run's folder
        yield row(effort, kinds, in_place(effort.place(f"{place}-in-place") / "file"))


# A run that is killed


def killed_training(effort: Effort) -> Row:
    """Kill runs at random moments and let them go on."""
    trial = Trials("kill -9 at a random moment of training, then resume: the same bytes", effort)
    config = Config.model_validate(TINY)
    pattern = new_run_folder(effort.place("runs"), config)
    whole = shutil.copytree(pattern, effort.folder / "runs" / "whole")
    began = time.monotonic()
    _sound(in_child(partial(_train, config, whole)))
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
        trial(problem, _bytes_in(folder) if problem else None)
        shutil.rmtree(folder)
    caught = _forgetful(config, shutil.copytree(pattern, pattern.with_name("forgetful")), expected)
    return trial.row("a resume that forgets the open decisions", caught)


def _train(config: Config, folder: Path) -> None:
    """Train without TensorBoard, whose threads are none of ours."""
    training.configure = lambda *_: Logger(None, [])
    train(config, folder)


def _forgetful(config: Config, folder: Path, expected: dict[str, bytes]) -> bool:
    """Whether the bytes tell a resume that restores less."""

    def dies() -> None:
        saved = []

        def save(*arguments: Any) -> None:
            save_checkpoint(*arguments)
            saved.append(1)
            if len(saved) == 3:
                os.kill(os.getpid(), signal.SIGKILL)

        training.save_checkpoint = save
        _train(config, folder)

    def goes_on() -> None:
        DecisionBuffer.restore = lambda self, state: None
        _train(config, folder)

    in_child(dies)
    return in_child(goes_on).problem is not None or _written(folder) != expected


def _sound(end: End) -> Any:
    """Return the result of what must not fail."""
    if end.problem is not None:
        raise RuntimeError(end.problem)
    return end.result


def _written(folder: Path) -> dict[str, bytes]:
    paths = [folder / POLICY, *sorted((folder / "checkpoints").glob("*.safetensors"))]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def _bytes_in(folder: Path) -> bytes:
    archive = shutil.make_archive(str(folder), "tar", folder)
    content = Path(archive).read_bytes()
    Path(archive).unlink()
    return content


# One save that is killed or finds no space


def states(effort: Effort) -> tuple[dict, dict]:
    """Return the first two states that a run saves."""
    config = Config.model_validate(TINY)
    folder = new_run_folder(effort.place("states"), config)

    def noted() -> list[bytes]:
        found: list[bytes] = []
        training.save_checkpoint = lambda folder, config, state: found.append(pickle.dumps(state))
        _train(config, folder)
        return found[:2]

    first, second = map(pickle.loads, _sound(in_child(noted)))
    return first, second


def in_place(path: Path) -> Stored:
    """The control: it writes over what is there."""
    return Stored(
        path,
        lambda which: path.write_bytes(bytes([which]) * 100_000),
        lambda: fingerprint(path.read_bytes()),
    )


def killed_saves(effort: Effort, kinds: dict[str, Stored], control: Stored) -> Row:
    """Kill a save before and after each of its file operations."""
    trial = Trials("kill -9 before and after each file operation of a save: old or new content", effort)
    for name, kind in kinds.items():
        for problem in _killed(effort, name, kind):
            trial(problem)
    return trial.row("a writer that writes in place", any(_killed(effort, "in place", control)))


def _killed(effort: Effort, name: str, kind: Stored) -> Iterator[str | None]:
    both, save = _both(kind), partial(kind.save, 1)
    operations = in_child(partial(_struck, save, -1, _die)).result
    chosen = effort.random.permutation(operations)[: max(4, effort.times(10 * operations))]
    for at in chosen.tolist():
        kind.save(0)
        ended = in_child(partial(_struck, save, at, _die))
        what = f"{name}, operation {at} of {operations}"
        if ended.status != -signal.SIGKILL:
            yield f"{what}: {ended.problem or 'it was not killed'}"
        else:
            yield _loads(kind, both, what)


def _both(kind: Stored) -> list[str]:
    """Return what the two contents load as."""
    found = []
    for which in (1, 0):
        kind.save(which)
        found.append(kind.load())
    assert found[0] != found[1] != "" != found[0]
    return found


def _loads(kind: Stored, allowed: list[str], what: str) -> str | None:
    try:
        found = kind.load()
    except Exception as error:
        return f"{what}: it can't be loaded: {type(error).__name__}: {error}"
    return None if found in (*allowed, "") else f"{what}: another content is loaded"


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _struck(work: Callable[[], object], at: int, strike: Callable[[], None], after: bool = True) -> int:
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
    return count


def no_space(effort: Effort, kinds: dict[str, Stored], control: Stored) -> Row:
    """Let the disk be full at each operation and at each byte."""
    trial = Trials("no space left at each write: the old content stays", effort)
    for name, kind in kinds.items():
        for problem in _full(effort, name, kind):
            trial(problem)
    return trial.row("a writer that writes in place", any(_full(effort, "in place", control)))


def _full(effort: Effort, name: str, kind: Stored) -> Iterator[str | None]:
    both, save = _both(kind), partial(kind.save, 1)
    operations = in_child(partial(_struck, save, -1, _refuse, after=False)).result
    size = kind.path.stat().st_size
    ways = [(f"operation {at}", partial(_struck, after=False, at=at, strike=_refuse)) for at in range(operations)]
    ways += [(f"byte {at}", partial(_limited, at)) for at in np.linspace(0, size - 1, 100).astype(int).tolist()]
    for where, way in [ways[i] for i in effort.random.permutation(len(ways))[: max(6, effort.times(len(ways)))]]:
        kind.save(0)
        ended = in_child(partial(way, save))
        what = f"{name}, {where}"
        loaded = _loads(kind, both if ended.problem is None else both[1:], what)
        if ended.problem and "OSError" not in ended.problem:
            yield f"{what}: {ended.problem}"
        else:
            yield loaded


def _refuse() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _limited(size: int, work: Callable[[], object]) -> None:
    """Do some work while no file can have more bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    work()
