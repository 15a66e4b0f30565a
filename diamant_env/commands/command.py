"""How a command begins and ends: one line for what went wrong, 130 after Ctrl-C, no word when nobody reads any more.

`guard_imports` is to run as early as possible, so this module imports next to nothing.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

TYPE_CHECKING = False  # that of `typing`, whose import takes longer than all of this module's
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, NoReturn

STOPPED, WRONG = 130, 2
_LONGEST = 2_000  # characters of an error
_OURS = ("agents", "benchmarks", "diamant_env", "train")
_SCRIPTS = ("diamant", "diamant.exe")
_guarding = ""  # the command that the user typed


def guard_imports() -> None:
    """Prepare a process that runs one of our commands: Ctrl-C ends it at once, with one line.

    The imports of a command take seconds, and an interrupt among them would print a traceback. A missing library is one
    line as well. Any other process, such as a user's own or pytest's, stays as it is.
    """
    global _guarding
    if _guarding or not (typed := _typed()):
        return
    _guarding = typed
    _on_interrupt(_leave_at_once)
    _open_closed_streams()
    sys.excepthook, sys.unraisablehook = _no_traceback, _report_unraisable


def _typed() -> str:
    """Return the command that the user typed, if it is one of ours."""
    first = sys.argv[0] if getattr(sys, "argv", None) else ""
    if first == "-m":  # while Python imports the package of `python -m package.module`
        module = sys.orig_argv[sys.orig_argv.index("-m") + 1]
        return f"python -m {module}" if module.partition(".")[0] in _OURS else ""
    return " ".join(["diamant", *sys.argv[1:2]]) if os.path.basename(first) in _SCRIPTS else ""


def run_command(command: str, run: Callable[[], object]) -> int:
    """Run a command and return its exit status.

    An error in what was given is one line on stderr and status 2, Ctrl-C status 130; a text that the KeyboardInterrupt
    carries says how to go on. Where nobody reads the output any more, such as behind ``| head``, the status is 0.

    Args:
        command: What the user typed, such as ``"python -m train.ppo"``.
        run: Does it all. A whole number that it returns is the status, which is else 0.
    """
    from diamant_env.storage.plain import print_plainly

    _open_closed_streams()
    print_plainly()
    try:
        try:
            _on_interrupt(_interrupt_once)
            status = _status_of(run)
            sys.stdout.flush()
            return status
        finally:
            _on_interrupt(_leave_at_once)
    except BrokenPipeError:
        _stop_writing()
        return 0
    except KeyboardInterrupt as stop:
        _say(f"{command}: {'; '.join(['stopped', *map(str, stop.args)])}")
        if _guarding:  # a library that was interrupted may crash when Python ends
            os._exit(STOPPED)
        return STOPPED
    except (ValueError, OSError, ImportError, MemoryError, RuntimeError) as error:
        text = " ".join(str(error).split()) or type(error).__name__
        no_memory = "allocate memory" in text or "enough memory" in text  # as torch says it
        if isinstance(error, RuntimeError) and not no_memory:
            raise
        if isinstance(error, MemoryError | RuntimeError):
            text = f"out of memory: {text}"
        if len(text) > _LONGEST:
            text = f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"
        _say(f"{command}: error: {text}")
        return WRONG


def _status_of(run: Callable[[], object]) -> int:
    try:
        status = run()
        return status if isinstance(status, int) else 0
    except SystemExit as end:  # a parser's way to end after --help or a wrong option
        return end.code if isinstance(end.code, int) else WRONG if end.code else 0


def _say(line: str) -> None:
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)
    _stop_writing()


def _stop_writing() -> None:
    """Point an output that takes no more to nowhere, so that Python's last flush does not complain."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _open_closed_streams() -> None:
    """Open the null device where a stream was closed, as by ``<&-``: Python has None there.

    What is opened next would take the number of a closed stream, and a library that prints would write into that file.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - it stays open


def _on_interrupt(handler: Callable[..., NoReturn]) -> None:
    if _guarding and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as a job in the background has it
        signal.signal(signal.SIGINT, handler)


def _interrupt_once(*_: object) -> NoReturn:
    """Interrupt the command; a second Ctrl-C, while that is told, ends it at once."""
    signal.signal(signal.SIGINT, _leave_at_once)
    raise KeyboardInterrupt


def _leave_at_once(*_: object) -> NoReturn:
    _leave("stopped", STOPPED)


def _leave(text: str, status: int) -> NoReturn:
    """End the process without another line of Python: nothing can print a traceback any more."""
    with suppress(OSError):
        os.write(2, f"{_guarding}: {text}\n".encode(errors="backslashreplace"))
    os._exit(status)


def _no_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Say in one line what Python would print a traceback for: an interrupt, a library that is not there."""
    if issubclass(kind, KeyboardInterrupt):
        _leave_at_once()
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] not in _OURS:
        _leave(f'error: {error}; in the checkout: pip install -c constraints.txt -e ".[train]"', WRONG)
    sys.__excepthook__(kind, error, trace)


def _report_unraisable(unraisable: Any) -> None:
    """Leave where Python would print an interrupt and go on, as in a finalizer."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _leave_at_once()
    sys.__unraisablehook__(unraisable)
