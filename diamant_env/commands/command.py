"""Exit of a command: one line for an expected error, status 130 for Ctrl-C, silence on a closed pipe."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable

STOPPED, WRONG = 130, 2


def run_command(command: str, run: Callable[[], object]) -> int:
    """Run a command and return its exit status.

    A ValueError, OSError or ImportError prints one line on stderr and returns 2; Ctrl-C prints the arguments of the
    KeyboardInterrupt, such as how to resume, and returns 130; a closed pipe (``| head``) returns 0. Other errors keep
    their traceback.

    Args:
        command: What the user typed, such as ``"python -m train.ppo"``.
        run: The command's body; returns the exit status, or anything else for 0.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # for characters outside its encoding
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
