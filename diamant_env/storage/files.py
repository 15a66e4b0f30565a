"""Atomic writing of files, fields in TOML and JSON, and parts of error messages."""

from __future__ import annotations

import contextlib
import difflib
import inspect
import json
import os
import secrets
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

_DEVICES = [Path(name) for name in ("/dev", "/dev/fd", "/proc/self/fd")]  # /dev/stdout may be a regular file


def write_atomic(path: str | Path, *content: bytes | memoryview | str) -> None:
    """Write a file atomically through a temporary file in its folder, which is created if missing.

    A symbolic link is replaced, not followed, so that an untrusted folder can't redirect the write. Devices are written
    directly. Text is encoded in UTF-8. An OSError names the file, which is then unchanged.
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


def read_fields(path: str | Path) -> dict[str, Any]:
    """Return the fields in a ``.toml`` or ``.json`` file; the message of a ValueError does not name the file."""
    parsers: dict[str, Callable[[str], Any]] = {".toml": tomllib.loads, ".json": json.loads}
    parse = parsers.get(Path(path).suffix)
    if parse is None:
        raise ValueError("its name must end in .toml or .json")
    fields = parse(Path(path).read_text("utf-8-sig"))
    if not isinstance(fields, dict):
        raise ValueError("it holds no fields")
    return fields


def fields_text(path: str | Path, fields: dict[str, Any]) -> str:
    """Return fields of text, numbers and lists in the format of a path's suffix."""
    values = {
        key: json.dumps(value, ensure_ascii=False, default=int) for key, value in fields.items() if value is not None
    }
    if Path(path).suffix == ".toml":
        return "".join(f"{key} = {value}\n" for key, value in values.items()).replace("\x7f", "\\u007F")
    if Path(path).suffix == ".json":
        return json.dumps(fields, ensure_ascii=False, indent=1, default=int) + "\n"
    raise ValueError(f"{path} must end in .toml or .json")


def nearest(name: object, names: Iterable[str], otherwise: str) -> str:
    """Return a suggestion of similar names, most similar first, or `otherwise`."""
    near = difflib.get_close_matches(str(name).partition(":")[0], list(names))
    return f"did you mean {' or '.join(near)}?" if near else otherwise


def check_parameters(function: Callable, label: str, *names: str, optional: str = "") -> None:
    """Raise a ValueError if a function can't be called with `names`, and with `optional` by name if it has it."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of some builtins
        return
    try:
        signature.bind(*names, **{name: name for name in [optional] if name in signature.parameters})
    except TypeError as error:
        raise ValueError(f"{label} is called as ({', '.join(names)}): {error}") from None
