"""What the commands of this package share at the terminal: what they print, refuse and how they end."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from agents.plain import print_plainly


class Parser(argparse.ArgumentParser):
    """Reports a wrong argument as a ValueError: one line instead of the usage."""

    def error(self, message: str) -> NoReturn:
        """See `argparse.ArgumentParser.error`."""
        raise ValueError(f"{message} (see --help)")


def finish(command: str, run: Callable[[], int]) -> NoReturn:
    """Run a command and end the process: an error in what was given is one line and status 2, Ctrl-C status 130."""
    print_plainly()
    try:
        status = run()
    except BrokenPipeError:  # whoever read the output has stopped, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except (ValueError, OSError, ImportError) as error:
        print(f"{command}: error: {error}", file=sys.stderr)
        status = 2
    except KeyboardInterrupt:
        status = 130
    raise SystemExit(status)


def say(*lines: str) -> None:
    """Print lines."""
    print(*lines, sep="\n", flush=True)


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
