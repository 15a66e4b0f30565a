"""Threads that share the games of a batch. Compiled code holds no lock, so they run at the same time."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any
from weakref import finalize

from numpy.typing import NDArray

from diamant_env.scratch import new_scratch

Task = Callable[[slice, NDArray], Any]


class Team:
    """Each thread has its part of the games and its own room to work in.

    Args:
        num_games: How many games there are.
        threads: How many threads share them; the caller's is one of them, the others start with the first task.

    Attributes:
        parts: The games of each thread.
        scratch: An array (1,) of type `diamant_env.scratch.SCRATCH` for each thread.
    """

    def __init__(self, num_games: int, threads: int) -> None:
        bounds = [num_games * part // threads for part in range(threads + 1)]
        self.parts = [slice(first, last) for first, last in itertools.pairwise(bounds)]
        self.scratch = [new_scratch() for _ in self.parts]
        self._others: list[SimpleQueue] = []

    def work(self, task: Task) -> None:
        """Call `task(part, scratch)` for each thread's part, all at the same time, and wait for all.

        Raises:
            Exception: What one of the calls raised, when all have ended.
        """
        if len(self._others) < len(self.parts) - 1:
            self._start()
        results: SimpleQueue[BaseException | None] = SimpleQueue()
        for tasks in self._others:
            tasks.put((task, results))
        failed: list[BaseException] = []
        try:
            task(self.parts[0], self.scratch[0])
        except BaseException as error:
            failed.append(error)
        waiting = len(self._others)
        while waiting:  # Ctrl-C or not, since the others write into the same games
            try:
                result = results.get()
            except BaseException as stop:
                failed.append(stop)
                continue
            waiting -= 1
            if result is not None:
                failed.append(result)
            del result
        if failed:
            raise failed.pop()  # no name here may keep it, since its traceback keeps this frame, and so the batch

    def _start(self) -> None:
        """Start the other threads. Queues hand a task over faster than `concurrent.futures` does."""
        for part, scratch in zip(self.parts[1:], self.scratch[1:], strict=True):
            tasks: SimpleQueue = SimpleQueue()
            Thread(target=_serve, args=(tasks, part, scratch), daemon=True).start()
            finalize(self, tasks.put, None).atexit = False  # ends the thread; at exit it may still be needed
            self._others.append(tasks)


def _serve(tasks: SimpleQueue, part: slice, scratch: NDArray) -> None:
    """Do tasks until None comes."""
    while (job := tasks.get()) is not None:
        task, results = job
        try:
            task(part, scratch)
            results.put(None)
        except BaseException as error:  # the caller raises it
            results.put(error)
        del job, task, results  # the task knows the batch, which must be able to end, and this thread with it
