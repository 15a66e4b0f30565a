"""Kills: resumption to the same bytes, atomic file writes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import torch

from diamant_env.storage.files import write_whole
from tests.faults.child import in_child
from tests.faults.stored import fingerprint, trained
from tests.support.play import SCALE
from train import ppo
from train.runs import run_folder
from train.runs.run_folder import CHECKPOINT

OPERATIONS = {"open", "writelines", "flush", "fsync", "replace", "unlink", "mkdir", "close"}
OLD, NEW = b"old" * 50_000, b"new" * 70_000


def written(folder: Path) -> dict[str, Any]:
    """Return the bytes of all policies and a digest of the checkpoint (pickles of equal content may differ)."""
    found: dict[str, Any] = {path.name: path.read_bytes() for path in folder.rglob("*.safetensors")}
    return found | {
        path.name: fingerprint(torch.load(path, weights_only=True)) for path in folder.rglob("checkpoint.pt")
    }


def resume(folder: Path) -> int:
    return ppo.main(["--resume", str(folder), "--no-judge"])


def train_until(checkpoint: int, out: Path) -> None:
    """Train the tiny run; kill it before it saves this checkpoint."""
    checkpoints = count()

    def save_or_die(path: Any, *content: Any) -> None:
        if Path(path).name == CHECKPOINT and next(checkpoints) == checkpoint:
            os.kill(os.getpid(), signal.SIGKILL)
        write_whole(path, *content)

    run_folder.write_whole = save_or_die  # type: ignore[assignment]
    trained(out)


def test_killed_run_resumes_to_same_bytes(tmp_path):
    expected = written(trained(tmp_path / "whole"))
    assert len(expected) > 5
    for checkpoint in (2, 5) if SCALE == 1 else range(1, 7):
        out = tmp_path / f"killed-{checkpoint}"
        assert in_child(partial(train_until, checkpoint, out))[0] == "it died by SIGKILL"
        (folder,) = out.iterdir()
        assert written(folder) != expected
        assert in_child(partial(resume, folder)) == ("", 0)
        assert written(folder) == expected, f"killed at checkpoint {checkpoint}"


def killed_at(at: int, work: Callable[[], object]) -> int:
    """Call `work`, killed before or after file operation `at`; return the number of operations."""
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


def test_killed_save_is_atomic(tmp_path):
    path = tmp_path / "file"
    save = partial(write_whole, path, NEW)
    found = set()
    _, operations = in_child(partial(killed_at, -1, save))
    assert operations >= 9
    for at in range(operations):
        path.write_bytes(OLD)
        assert in_child(partial(killed_at, at, save))[0] == "it died by SIGKILL"
        found.add(path.read_bytes())
    assert found == {OLD, NEW}
