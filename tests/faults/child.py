"""Functions run in forked processes; crashes, kills and timeouts are returned."""

from __future__ import annotations

import os
import resource
import signal
import threading
import traceback
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tqdm import tqdm

TIMEOUT = 300.0
"""Seconds; no call takes a tenth of it."""


def in_child(work: Callable[[], Any], memory: int | None = None) -> tuple[str, Any]:
    """Call `work` in a forked process without output, with at most `memory` more bytes.

    Returns:
        The error, "" if there is none, and the result.
    """
    receiver, sender = Pipe(duplex=False)
    pid = os.fork()
    if pid == 0:
        _serve(work, memory, sender)
    sender.close()
    hangs = not receiver.poll(TIMEOUT)
    if hangs:
        os.kill(pid, signal.SIGKILL)
    try:
        error, result = ("it hangs", None) if hangs else receiver.recv()
    except EOFError:
        error, result = "", None
    receiver.close()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return error or (f"it died by {signal.Signals(-status).name}" if status < 0 else ""), result


def _serve(work: Callable[[], Any], memory: int | None, sender: Connection) -> None:
    """Call `work`, send the result, and exit without the parent's exit handlers."""
    try:
        tqdm.set_lock(threading.RLock())  # the default lock is shared by forks, and a killed one would keep it
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        if memory is not None:
            used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
            resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))
        try:
            result = "", work()
        except BaseException:
            result = traceback.format_exc(), None
        sender.send(result)
    finally:
        os._exit(0)
