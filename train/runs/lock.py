"""One process at a time writes into a folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


@contextmanager
def held(folder: Path | None) -> Iterator[None]:
    """Hold a folder, which is made if it is not there, so that no other command writes into it meanwhile.

    None holds nothing. The operating system releases the lock when the process ends, however it ends.

    Raises:
        OSError: If another command holds it (then a BlockingIOError), or it can't be written.
    """
    if folder is None:
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock")
        lock.acquire(timeout=0)
    except Timeout:
        raise BlockingIOError(f"{folder} is in use by another process: wait for it, or name another folder") from None
    except OSError as error:
        raise OSError(f"can't write results into the folder {folder}: {error.strerror or error}") from None
    try:
        for left in folder.rglob(".*.partial"):  # by a process that was killed while it wrote
            left.unlink(missing_ok=True)
        yield
    finally:
        lock.release()
