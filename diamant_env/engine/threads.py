"""Threads that share the games of a batch. Compiled code holds no lock, so they run at the same time."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple
from weakref import WeakSet, finalize

from numpy.typing import NDArray

from diamant_env.engine.workspace import new_workspace

Task = Callable[[slice, NDArray], Any]


class _Job(NamedTuple):
    """A task for all threads, what each of them answers, and what rings when one has."""

    number: int
    task: Task
    answers: list[BaseException | None]
    bell: SimpleQueue


class ThreadTeam:
    """Each thread has its part of the games and its own room to work in.

    Args:
        num_games: How many games there are.
        threads: How many threads share them; the caller's is one of them, the others start with the first task.
        blank_rivals: See `new_workspace`.

    Attributes:
        parts: The games of each thread.
        workspace: An array (1,) of type `diamant_env.engine.workspace.WORKSPACE` for each thread.
    """

    def __init__(self, num_games: int, threads: int, blank_rivals: bool = False) -> None:
        bounds = [num_games * part // threads for part in range(threads + 1)]
        self.parts = [slice(first, last) for first, last in itertools.pairwise(bounds)]
        self.workspace = [new_workspace(blank_rivals) for _ in self.parts]
        self._others: list[SimpleQueue] = []
        self._number = 0

    def work(self, task: Task) -> None:
        """Call `task(part, workspace)` for each thread's part, all at the same time, and wait for all.

        Raises:
            Exception: What one of the calls raised, when all have ended.
        """
        if not self._others:
            self._others = self._started()
        self._number += 1
        job = _Job(self._number, task, [], SimpleQueue())
        failed: list[BaseException] = []
        for tasks in self._others:
            _surely(partial(tasks.put, job), failed)
        try:
            task(self.parts[0], self.workspace[0])
        except BaseException as error:
            failed.append(error)
        while len(job.answers) < len(self._others):  # Ctrl-C or not, since the others write into the same games
            try:
                job.bell.get()
            except BaseException as stop:
                failed.append(stop)
        failed += [answer for answer in job.answers if answer is not None]
        job.answers.clear()
        del job
        if failed:
            raise failed.pop()  # no name here may keep it, since its traceback keeps this frame, and so the batch

    def _started(self) -> list[SimpleQueue]:
        """Start the other threads. Queues hand a job over faster than `concurrent.futures` does."""
        others = []
        for part, workspace in zip(self.parts[1:], self.workspace[1:], strict=True):
            tasks: SimpleQueue = SimpleQueue()
            Thread(target=_serve, args=(tasks, part, workspace), daemon=True).start()
            finalize(self, tasks.put, None).atexit = False  # ends the thread; at exit it may still be needed
            others.append(tasks)
        return others


def _surely(hand_over: Callable[[], None], failed: list[BaseException]) -> None:
    """Hand a job over, again if an interrupt comes between: a thread does each job once."""
    while True:
        try:
            hand_over()
            return
        except BaseException as stop:
            failed.append(stop)


def _serve(tasks: SimpleQueue, part: slice, workspace: NDArray) -> None:
    """Do jobs until None comes."""
    last = 0
    while (job := tasks.get()) is not None:
        if job.number != last:
            last = job.number
            answer: BaseException | None = None
            try:
                job.task(part, workspace)
            except BaseException as error:  # the caller raises it
                answer = error
            job.answers.append(answer)
            job.bell.put(None)
            del answer
        del job  # its task knows the batch, which must be able to end, and this thread with it


_LONGEST_TURN = 60.0  # seconds
_cores: WeakSet = WeakSet()
_forking: list[Any] = []


def survive_forks(core: Any) -> None:
    """Let the core of a batch go on in a forked process.

    Its `lock` is held while the process forks, and its `prepare` is called in the new one.
    """
    _cores.add(core)


def _wait_for_games() -> None:
    """Let no thread be in the middle of a turn when the process forks: the new one has the games as they are then."""
    _forking[:] = [core for core in list(_cores) if core.lock.acquire(timeout=_LONGEST_TURN)]


def _go_on() -> None:
    for core in _forking:
        core.lock.release()
    _forking.clear()


def _begin_anew() -> None:
    """In a forked process there are no other threads."""
    _forking.clear()
    for core in list(_cores):
        core.prepare()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_wait_for_games, after_in_parent=_go_on, after_in_child=_begin_anew)
