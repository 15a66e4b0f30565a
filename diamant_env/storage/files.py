"""Atomic writing of files, and parts of error messages."""

from __future__ import annotations

import contextlib
import difflib
import inspect
import os
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path

_DEVICES = [Path(name) for name in ("/dev", "/dev/fd", "/proc/self/fd")]  # /dev/stdout may be a regular file


def write_atomic(path: str | Path, content: bytes | memoryview | str) -> None:
    """Write a file atomically through a temporary file in its folder, which is created if missing; UTF-8 for text.

    A symbolic link is replaced, not followed, so that an untrusted folder can't redirect the write. Devices are written
    directly. An OSError names the file, which is then unchanged.
    """
    target = Path(path)
    data = content.encode() if isinstance(content, str) else content
    partial = target.with_name(f".{secrets.token_hex(8)}.partial")  # unique per writer
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.parent in _DEVICES or (target.exists() and not target.is_file()):
            target.write_bytes(data)
            return
        with partial.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        if isinstance(error, OSError) and error.errno is not None:
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


def nearest(name: object, names: Iterable[str], otherwise: str) -> str:
    """Return a suggestion of similar names, most similar first, or `otherwise`."""
    near = difflib.get_close_matches(str(name).partition(":")[0], list(names))
    return f"did you mean {' or '.join(near)}?" if near else otherwise


def check_parameters(function: Callable, label: str, *names: str) -> None:
    """Raise a ValueError if a function can't be called with `names`."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of some builtins
        return
    try:
        signature.bind(*names)
    except TypeError as error:
        raise ValueError(f"{label} is called as ({', '.join(names)}): {error}") from None
