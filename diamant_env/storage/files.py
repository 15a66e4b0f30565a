"""Atomic writing of files."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

_DEVICES = [Path(name) for name in ("/dev", "/dev/fd", "/proc/self/fd")]  # /dev/stdout may be a regular file


def write_whole(path: str | Path, *content: bytes | memoryview | str) -> None:
    """Write a file atomically by a temporary file in the same folder, which is created if missing.

    A symbolic link is replaced, not followed, so that an untrusted folder can't redirect the write. Devices are written
    directly.

    Args:
        path: Path of the file; an existing one is replaced.
        content: Parts of the content in order; text is encoded in UTF-8.

    Raises:
        OSError: If it can't be written; the message names the file, which is unchanged.
    """
    target = Path(path)
    parts = [part.encode() if isinstance(part, str) else part for part in content]
    partial = target.with_name(f".{secrets.token_hex(8)}.partial")  # unique per writer
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.parent in _DEVICES or (target.exists() and not target.is_file()):
            target.write_bytes(b"".join(parts))
            return
        with partial.open("xb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        if isinstance(error, OSError) and error.errno is not None:
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise
