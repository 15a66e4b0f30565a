"""One process at a time writes into a folder."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from diamant_env.storage.files import write_whole

LOCK, HOLDER = ".lock", ".held-by"


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a folder, which is made if it is not there, so that no other command writes into it meanwhile.

    The operating system releases the lock when the process ends, however it ends.

    Raises:
        BlockingIOError: If another command holds it; the message says who and since when.
        OSError: If it can't be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / LOCK)
        lock.acquire(timeout=0)
    except Timeout:
        raise BlockingIOError(f"{folder} is in use by {_holder(folder)}: wait for it, or name another folder") from None
    except OSError as error:
        raise OSError(f"can't write results into the folder {folder}: {error.strerror or error}") from None
    try:
        for left in folder.rglob(".*.partial"):  # by a process that was killed while it wrote
            left.unlink(missing_ok=True)
        since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        write_whole(folder / HOLDER, f"process {os.getpid()} on {platform.node()} since {since}")
        yield
    finally:
        (folder / HOLDER).unlink(missing_ok=True)
        lock.release()


def _holder(folder: Path) -> str:
    try:
        return (folder / HOLDER).read_text(encoding="utf-8") or "another process"
    except (OSError, ValueError):  # it has not written its name yet
        return "another process"
