"""What the commands of this package share at the terminal: what they print and refuse."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """Reports a wrong argument as a ValueError: one line instead of the usage."""

    def error(self, message: str) -> NoReturn:
        """See `argparse.ArgumentParser.error`."""
        raise ValueError(f"{message} (see --help)")


def say(*lines: str) -> None:
    """Print lines; what nobody reads any more, such as behind ``| head``, is dropped: there may be a file to write."""
    try:
        print(*lines, sep="\n", flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def distinct(texts: Sequence[str]) -> list[str]:
    """Return names for agents: their texts, numbered where several are the same."""
    return [
        f"{text} #{texts[:seat].count(text) + 1}" if texts.count(text) > 1 else text for seat, text in enumerate(texts)
    ]


def check_new_file(option: str, path: Path | None) -> None:
    """Check that a file to be written is not there yet, and its folder is.

    Raises:
        ValueError: If it is not so.
    """
    if path is not None and path.exists():
        raise ValueError(f"{option} {path}: this is there already; name a new file")
    if path is not None and not path.absolute().parent.is_dir():
        raise ValueError(f"{option} {path}: there is no folder {path.absolute().parent}")


def check_seed(seed: int) -> None:
    """Check a seed.

    Raises:
        ValueError: If it is out of range.
    """
    if not 0 <= seed < 2**64:
        raise ValueError(f"--seed {seed}; a whole number from 0 to 2**64 - 1 is needed")


def has_colours() -> bool:
    """Whether the terminal shows colours and the user has not asked for none."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
