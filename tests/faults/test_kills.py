"""Atomic file writes: kills before and after each file operation."""

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from diamant_env.storage.files import write_atomic

OPERATIONS = {"open", "writelines", "flush", "fsync", "replace", "unlink", "mkdir", "close"}
OLD, NEW = b"old" * 50_000, b"new" * 70_000


def killed_at(at: int, work: Callable[[], object]) -> int:
    """Call `work` in a fork, killed before or after file operation `at`.

    Returns:
        The number of operations if it is not killed, else minus the signal.
    """
    if pid := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
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
        os._exit(count)


def test_killed_save_is_atomic(tmp_path):
    path, found = tmp_path / "file", set()
    save = partial(write_atomic, path, NEW)
    operations = killed_at(-1, save)
    assert operations >= 9
    for at in range(operations):
        path.write_bytes(OLD)
        assert killed_at(at, save) == -signal.SIGKILL
        found.add(path.read_bytes())
    assert found == {OLD, NEW}
