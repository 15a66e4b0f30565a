"""Files and texts that somebody hands in, read with bounds: whatever is wrong with one is a ValueError."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

TEXT_BYTES = 1_000_000
"""The largest configuration, pool or record that is read: many times the largest that makes sense."""
# A key of a hundred names with dots between them: tomllib's time grows with the square of their number.
_LONG_KEY = re.compile(r"""(?<![\w"'-])(?:[\w"'-]++\s*+\.\s*+){100}""")


def read_text(path: str | Path) -> str:
    """Return the text of a file in UTF-8, with or without a byte-order mark.

    Raises:
        OSError: If it can't be read.
        ValueError: If it is larger than `TEXT_BYTES`, or no UTF-8; the message has no path.
    """
    return read_bytes(path, TEXT_BYTES).decode("utf-8-sig")


def read_bytes(path: str | Path, most: int) -> bytes:
    """Return what a file holds, at most so many bytes: a device such as ``/dev/zero`` has no end.

    Raises:
        OSError: If it can't be read.
        ValueError: If it is larger; the message has no path.
    """
    parts, size = [], 0
    with Path(path).open("rb") as file:
        while part := file.read(1 << 20):
            parts.append(part)
            size += len(part)
            if size > most:
                raise ValueError(f"it has more than {most:,} bytes")
    return b"".join(parts)


def parse_json(text: str) -> Any:
    """Return the value of a text in JSON.

    Raises:
        ValueError: If it is none, or nested too deeply.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def parse_toml(text: str) -> dict[str, Any]:
    """Return the table of a text in TOML.

    Raises:
        ValueError: If it is none, or nested too deeply.
    """
    if _LONG_KEY.search(text):
        raise ValueError("it is nested too deeply")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
