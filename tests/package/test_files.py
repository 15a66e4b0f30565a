"""Atomic file writes, with kills before and after each file operation."""

import errno
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from diamant_env.storage.files import write_atomic

OPERATIONS = {"open", "writelines", "flush", "fsync", "replace", "unlink", "mkdir", "close"}
OLD, NEW = b"old" * 50_000, b"new" * 70_000


def test_write_atomic_bytes_and_text(tmp_path):
    path = tmp_path / "new" / ("x" * 255)  # the longest name allowed
    for content, expected in ((b"\x00\xff", b"\x00\xff"), ("é\n", "é\n".encode()), (b"", b"")):
        write_atomic(path, content)
        assert path.read_bytes() == expected
    assert list((tmp_path / "new").iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt("pressed")])
def test_failed_write_keeps_old_file(tmp_path, monkeypatch, error):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(*_):
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(type(error)):
        write_atomic(path, b"new")
    assert [found.read_bytes() for found in tmp_path.iterdir()] == [b"old"]


def test_link_is_replaced_not_followed(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_atomic(tmp_path / "link", b"new")
    assert [(tmp_path / name).read_bytes() for name in ("file", "link")] == [b"old", b"new"]


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


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_killed_save_is_atomic(tmp_path):
    path, found = tmp_path / "file", set()
    save = partial(write_atomic, path, NEW)
    operations = killed_at(-1, save)
    assert operations >= 7
    for at in range(operations):
        path.write_bytes(OLD)
        assert killed_at(at, save) == -signal.SIGKILL
        found.add(path.read_bytes())
    assert found == {OLD, NEW}
