"""Kills and full disks: a run that is resumed gives the same bytes, and a file holds its old or its new content."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from diamant_env.storage.files import write_whole
from tests.faults.child import Child, in_child
from tests.faults.stored import fingerprint, trained
from tests.support.play import SCALE
from train import ppo

OPERATIONS = {"open", "writelines", "flush", "fsync", "replace", "unlink", "mkdir", "close"}
OLD, NEW = b"old" * 50_000, b"new" * 70_000


def written(folder: Path) -> dict[str, Any]:
    """The bytes of all policies, and what the last checkpoint holds: pickling writes equal texts in two ways."""
    found: dict[str, Any] = {path.name: path.read_bytes() for path in folder.rglob("*.safetensors")}
    return found | {
        path.name: fingerprint(torch.load(path, weights_only=True)) for path in folder.rglob("checkpoint.pt")
    }


def resume(folder: Path) -> int:
    return ppo.main(["--resume", str(folder), "--no-judge"])


def test_a_killed_run_goes_on_to_the_same_bytes(tmp_path):
    """Each run is killed twice, at random moments, and then resumed."""
    random, expected = np.random.default_rng(0), written(trained(tmp_path / "whole"))
    assert len(expected) > 5
    began = time.monotonic()
    in_child(partial(trained, tmp_path / "timed"))
    lasts = time.monotonic() - began
    killed = 0
    for number in range(2 * SCALE):
        out = tmp_path / f"killed-{number}"
        first = Child(partial(trained, out))
        time.sleep(lasts * (0.2 + 0.7 * random.random()))
        first.kill()
        killed += first.end()[0] != ""
        for folder in out.glob("*"):
            second = Child(partial(resume, folder))
            time.sleep(lasts * random.random())
            second.kill()
            second.end()
            assert in_child(partial(resume, folder)) == ("", 0)
            assert written(folder) == expected, f"kills number {number}"
        shutil.rmtree(out)
    assert killed


def test_a_run_that_dies_between_two_checkpoints_goes_on_to_the_same_bytes(tmp_path, monkeypatch):
    """Training fails after the third checkpoint, in the midst of expeditions."""
    expected = written(trained(tmp_path / "whole"))
    saved = []

    def die(path: Any, *content: Any) -> None:
        saved.append(Path(path).name)
        if sum(name.startswith("checkpoint.") for name in saved) == 4:
            raise OSError("the disk is gone")
        write_whole(path, *content)

    monkeypatch.setattr("train.runs.run_folder.write_whole", die)
    with pytest.raises(AssertionError):
        trained(tmp_path / "dies")
    monkeypatch.undo()
    (folder,) = (tmp_path / "dies").iterdir()
    assert written(folder) != expected
    assert resume(folder) == 0
    assert written(folder) == expected


def struck(at: int, work: Callable[[], object]) -> int:
    """Do some work, killed before or after one of its file operations; return how many there are."""
    count = 0

    def follow(frame: Any, event: str, function: Any) -> None:
        nonlocal count
        if event in ("c_call", "c_return") and getattr(function, "__name__", "") in OPERATIONS:
            count += 1
            if count - 1 == at:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(follow)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def limited(size: int, work: Callable[[], object]) -> None:
    """Do some work while no file can have more bytes, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    work()


def test_a_save_that_is_killed_leaves_the_old_or_the_new_content(tmp_path):
    path = tmp_path / "file"
    save = partial(write_whole, path, NEW)
    found = set()
    _, operations = in_child(partial(struck, -1, save))
    assert operations >= 10
    for at in range(operations):
        path.write_bytes(OLD)
        assert in_child(partial(struck, at, save))[0] == "it died by SIGKILL"
        found.add(path.read_bytes())
    assert found == {OLD, NEW}


def test_a_full_disk_leaves_the_old_content(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(OLD)
    for size in np.linspace(0, len(NEW) - 1, 20).astype(int).tolist():
        assert "File too large" in in_child(partial(limited, size, partial(write_whole, path, NEW)))[0]
        assert [each.read_bytes() for each in tmp_path.iterdir()] == [OLD]
