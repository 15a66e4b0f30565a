"""Printing for people; a command prints after it has saved its results."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from diamant_env.drawing.plain import plain


def say(*parts: object) -> None:
    """Print texts and tables, a line or more each, at once.

    An output that takes nothing any more, such as that of ``| head -1``, does not stop a command that has still to
    save something: what it would print is dropped.
    """
    text = plain("".join(f"{part}\n" for part in parts), sys.stdout.encoding or "utf-8")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            print(f"can't print: {error}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def save_and_say(result: object, save: Callable[[Path], object], path: Path | None) -> None:
    """Save a result, if there is a path, and print it, even if it could not be saved."""
    try:
        if path is not None:
            save(path)
    finally:
        say(result)
    if path is not None:
        say(f"saved: {path}")
