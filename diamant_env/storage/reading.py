"""Reading of files and texts with bounded size, and parts of messages; invalid content raises a ValueError."""

from __future__ import annotations

import difflib
import inspect
import json
import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

TEXT_BYTES = 1_000_000
"""Maximum size of a configuration, pool or record."""
_DEEP_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')[ \t]*\.[ \t]*){100}""")  # in TOML


def read_text(path: str | Path) -> str:
    """Return the text of a file in UTF-8, with or without a byte-order mark.

    Raises:
        OSError: If it can't be read.
        ValueError: If it is larger than `TEXT_BYTES` or not UTF-8; the message has no path.
    """
    return read_bytes(path, TEXT_BYTES).decode("utf-8-sig")


def read_bytes(path: str | Path, most: int) -> bytes:
    """Return the content of a file of at most `most` bytes.

    Raises:
        OSError: If it can't be read.
        ValueError: If it is larger, or a pipe; the message has no path.
    """
    if Path(path).is_fifo():  # it may never end
        raise ValueError("it is a pipe")
    with Path(path).open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"it has more than {most:,} bytes")
    return content


def parse_json(text: str) -> Any:
    """Parse JSON.

    Raises:
        ValueError: If it is invalid or nested too deeply.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML.

    Raises:
        ValueError: If it is invalid or nested too deeply.
    """
    if _DEEP_KEY.search(text):  # its memory grows with the square of the depth
        raise ValueError("it is nested too deeply")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_fields(path: str | Path) -> dict[str, Any]:
    """Return the fields in a ``.toml`` or ``.json`` file.

    Raises:
        OSError: If it can't be read.
        ValueError: If it is neither or damaged; the message has no path.
    """
    parsers: dict[str, Callable[[str], Any]] = {".toml": parse_toml, ".json": parse_json}
    parse = parsers.get(Path(path).suffix)
    if parse is None:
        raise ValueError("its name must end in .toml or .json")
    fields = parse(read_text(path))
    if not isinstance(fields, dict):
        raise ValueError("it holds no fields")
    return fields


def fields_text(path: str | Path, fields: dict[str, Any]) -> str:
    """Return fields of text, numbers and lists in the format of a file's suffix."""
    values = {
        key: json.dumps(value, ensure_ascii=False, default=int) for key, value in fields.items() if value is not None
    }
    if Path(path).suffix == ".toml":
        return "".join(f"{key} = {value}\n" for key, value in values.items()).replace("\x7f", "\\u007F")
    if Path(path).suffix == ".json":
        return json.dumps(fields, ensure_ascii=False, indent=1, default=int) + "\n"
    raise ValueError(f"{path} must end in .toml or .json")


def nearest(given: object, names: Iterable[str], otherwise: str) -> str:
    """Return a suggestion of similar names, most similar first, or `otherwise`."""
    near = difflib.get_close_matches(str(given).partition(":")[0], list(names))
    return f"did you mean {' or '.join(near)}?" if near else otherwise


def check_parameters(function: Callable, what: str, *names: str, optional: str = "") -> None:
    """Raise a ValueError if a function can't be called with these arguments, the last one by name if it has it."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of some builtins
        return
    try:
        signature.bind(*names, **{name: name for name in [optional] if name in signature.parameters})
    except TypeError as error:
        raise ValueError(f"{what} is called as ({', '.join(names)}): {error}") from None
