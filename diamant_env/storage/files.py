"""Atomic writing of files: whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def write_whole(path: str | Path, *content: bytes | memoryview | str) -> None:
    """Write a file so that it holds its old or its new content, whenever the process is killed or the disk is full.

    The content goes to the disk under another name in the same folder, which is made if it is not there, and then takes
    the file's place. Where the name is a link, the link is replaced, not the file that it leads to: a folder that
    somebody else made can't lead the writing elsewhere. A device is written as it is.

    Args:
        path: Of the file; one that is there is replaced.
        content: All of it, one part after the other; a text is written in UTF-8.

    Raises:
        OSError: If it can't be written; the message names the file, which is as it was.
    """
    target = Path(path)
    parts = [part.encode() if isinstance(part, str) else part for part in content]
    partial = target.with_name(f".{secrets.token_hex(8)}.partial")  # two writers at once have two of these
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if str(target).startswith(("/dev/", "/proc/")) or (target.exists() and not target.is_file()):
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
    with contextlib.suppress(OSError):  # not every system can: then the file is there, but may have its old name
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
