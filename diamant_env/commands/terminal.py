"""Arguments, output and exit status of the commands."""

from __future__ import annotations

import argparse
import io
import os
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

STOPPED, WRONG = 130, 2
LIST = "Names of agents and editions: diamant list"


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Formatter that does not break hyphenated names."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)


class Parser(argparse.ArgumentParser):
    """Parser that raises a ValueError for a wrong argument instead of printing the usage."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message} (see --help)")


def new_parser(command: str, description: str, epilog: str | None = None, arguments: str = "") -> Parser:
    """Return a parser for a subcommand with preformatted description and epilog."""
    usage = " ".join(["%(prog)s", *filter(None, [arguments]), "[options]"])
    return Parser(prog=command, usage=usage, description=description, epilog=epilog, formatter_class=_HelpFormatter)


def add_edition(parser: Parser, default: str = "iello-2016") -> None:
    parser.add_argument(
        "--edition", default=default, metavar="NAME", help="name, variation or .toml file (%(default)s)"
    )


def new_file(text: str) -> Path:
    """Return the path of a new file in an existing folder."""
    path = Path(text)
    if path.exists():
        raise argparse.ArgumentTypeError(f"{path} exists already; name a new file")
    return in_folder(text)


def in_folder(text: str) -> Path:
    """Return the path of a file in an existing folder."""
    path = Path(text)
    if not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"{path}: there is no folder {path.absolute().parent}")
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{path} is a folder")
    return path


def print_line(*parts: object) -> None:
    """Print texts and reports on separate lines, flushed."""
    print(*parts, sep="\n", flush=True)


def save_and_print(result: object, save: Callable[[Path], object], path: Path | None) -> None:
    """Save a result if `path` is not None, and print it even if saving fails."""
    try:
        if path is not None:
            save(path)
    finally:
        print_line(result)


def run_command(command: str, run: Callable[[], object]) -> int:
    """Run a command's body and return its exit status, that of `run` if it is an int.

    A ValueError, OSError or ImportError is one line on stderr and 2, Ctrl-C 130 and how to resume, a closed pipe 0.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # of characters outside its encoding
    try:
        status = run()
        print(end="", flush=True)
        return status if isinstance(status, int) else 0
    except KeyboardInterrupt as stop:
        line, status = "; ".join(["stopped", *map(str, stop.args)]), STOPPED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # also for the flush when Python exits
        return 0
    except (ValueError, OSError, ImportError) as error:
        line, status = f"error: {' '.join(str(error).split()) or type(error).__name__}", WRONG
    print(f"{command}: {line}", file=sys.stderr)
    return status
