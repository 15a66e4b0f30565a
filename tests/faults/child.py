"""A trial in a forked process: a crash, a kill or a hang there is a result, and what it changes is gone afterwards."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tqdm import tqdm

HANG = 300.0
"""Seconds after which a trial counts as one that hangs; none takes a tenth of it."""
_LIBC, _DIE_WITH_PARENT = ctypes.CDLL(None), 1  # PR_SET_PDEATHSIG of Linux


@dataclass(frozen=True)
class End:
    """How a trial ended."""

    status: int | None  # the exit status, negative for a signal, None if it hung and was killed
    result: Any = None  # what it returned
    error: str = ""  # the traceback of what it raised

    @property
    def problem(self) -> str | None:
        """What went wrong, None if it returned."""
        if self.status is None:
            return "it hangs"
        if self.status < 0:
            return f"it died by {signal.Signals(-self.status).name}"
        return self.error or (f"exit status {self.status}" if self.status else None)


class Child:
    """A forked process that does some work, with at most `memory` bytes more than now; it prints unless `quiet`."""

    def __init__(self, work: Callable[[], Any], memory: int | None = None, quiet: bool = True) -> None:
        self._said, saying = Pipe(duplex=False)
        self.pid = os.fork()
        if self.pid == 0:
            _serve(work, memory, quiet, saying)
        saying.close()

    def kill(self) -> None:
        """Kill it as `kill -9` does."""
        os.kill(self.pid, signal.SIGKILL)

    def end(self, seconds: float = HANG) -> End:
        """Wait for the end; what has not ended after so many seconds hangs."""
        hangs = not self._said.poll(seconds)
        if hangs:
            self.kill()
        try:
            result, error = (None, "") if hangs else self._said.recv()
        except EOFError:  # it ended without a word
            result, error = None, ""
        self._said.close()
        _, status = os.waitpid(self.pid, 0)
        return End(None if hangs else os.waitstatus_to_exitcode(status), result, error)


def in_child(work: Callable[[], Any], memory: int | None = None, seconds: float = HANG) -> End:
    """Do some work in a forked process and wait for it."""
    return Child(work, memory).end(seconds)


def used_memory(kind: int) -> int:
    """Return the bytes of this process: all addresses (0) or what is resident (1)."""
    return int(Path("/proc/self/statm").read_text().split()[kind]) * os.sysconf("SC_PAGE_SIZE")


def _serve(work: Callable[[], Any], memory: int | None, quiet: bool, saying: Connection) -> None:
    """Do the work and end; nothing that the parent had to do at its own end is done."""
    status = 1
    try:
        tqdm.set_lock(threading.RLock())  # its own is shared by forked processes, and one that is killed keeps it
        _LIBC.prctl(_DIE_WITH_PARENT, signal.SIGKILL)  # what hangs is killed with all that it has started
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2) if quiet else (0,):
            os.dup2(nowhere, descriptor)
        if memory is not None:
            limit = used_memory(0) + memory
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        try:
            said, status = (work(), ""), 0
        except BaseException:
            said = None, traceback.format_exc()
        saying.send(said)
    finally:
        os._exit(status)
