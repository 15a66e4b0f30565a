"""Exit of a command: one line for an expected error, status 130 for Ctrl-C, silence on a closed pipe."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
from collections.abc import Callable

STOPPED, WRONG = 130, 2
_ASCII = {"±": "+-", "×": "x", "…": "...", "−": "-", "–": "-", "·": "*", "←": "<-", "→": "->"}


def _replace(error: UnicodeError) -> tuple[str | bytes, int]:
    """Error handler of codecs: ASCII for the package's symbols, "?" for other characters outside an encoding."""
    if not isinstance(error, UnicodeEncodeError):
        return codecs.replace_errors(error)
    return "".join(_ASCII.get(each, "?") for each in error.object[error.start : error.end]), error.end


codecs.register_error("diamant-ascii", _replace)


def run_command(command: str, run: Callable[[], object]) -> int:
    """Run a command and return its exit status.

    A ValueError, OSError or ImportError prints one line on stderr and returns 2; Ctrl-C prints the arguments of the
    KeyboardInterrupt, such as how to resume, and returns 130; a closed pipe (``| head``) returns 0. Other errors keep
    their traceback.

    Args:
        command: What the user typed, such as ``"python -m train.ppo"``.
        run: The command's body; returns the exit status, or anything else for 0.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - until the process ends
    for stream in (sys.stdin, sys.stdout):
        with contextlib.suppress(AttributeError, io.UnsupportedOperation):  # not a file, or read already
            stream.reconfigure(errors="diamant-ascii")  # type: ignore[union-attr]  # for characters outside its encoding
    try:
        status = run()
        print(end="", flush=True)
        return status if isinstance(status, int) else 0
    except SystemExit as end:  # of a parser, after --help or a wrong option
        return end.code if isinstance(end.code, int) else WRONG if end.code else 0
    except KeyboardInterrupt as stop:
        line, status = "; ".join(["stopped", *map(str, stop.args)]), STOPPED
    except BrokenPipeError:
        discard_output()
        return 0
    except (ValueError, OSError, ImportError) as error:
        line, status = f"error: {' '.join(str(error).split()) or type(error).__name__}", WRONG
    print(f"{command}: {line}", file=sys.stderr)
    return status


def discard_output() -> None:
    """Discard further output on stdout, also that of the flush when Python exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
