"""Printing of texts and tables; a command prints after it has saved its results."""

from __future__ import annotations

import os
import sys
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from agents.plain import plain

PIPE_WIDTH = 150  # columns of a text that goes to a file


class Screen(Console):
    """A console whose tables are laid out with the characters that the output has."""

    def render_str(self, text: str, **options: Any) -> Text:
        """See `rich.console.Console.render_str`."""
        return super().render_str(plain(text, self.encoding), **options)


def console() -> Screen:
    """Return where tables are printed: wide enough where the output is no terminal."""
    found = Screen(highlight=False)
    return found if found.is_terminal else Screen(highlight=False, width=PIPE_WIDTH)


def say(*parts: str | Table) -> None:
    """Print texts and tables, at once.

    An output that takes nothing any more, such as that of ``| head -1``, does not stop a command that has still to
    save something: what it would print is dropped.
    """
    for part in parts:
        if isinstance(part, str):
            text = plain(part, sys.stdout.encoding or "utf-8") + "\n"
        else:
            screen = console()
            with screen.capture() as captured:
                screen.print(part)
            text = captured.get()
        _write(text)


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            print(f"can't print: {error}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
