"""Threads that share the games of a batch. Compiled code holds no lock, so they run at the same time."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any
from weakref import finalize

from numpy.typing import NDArray

from diamant_env.observing import new_scratch

Task = Callable[[slice, NDArray], Any]


class Team:
    """Each thread has its part of the games and its own room to work in.

    Args:
        num_games: How many games there are.
        threads: How many threads share them; the caller's is one of them, and with 1 no other is started.

    Attributes:
        parts: The games of each thread.
        scratch: An array (1,) of type `diamant_env.observing.SCRATCH` for each thread.
    """

    def __init__(self, num_games: int, threads: int) -> None:
        bounds = [num_games * part // threads for part in range(threads + 1)]
        self.parts = [slice(first, last) for first, last in itertools.pairwise(bounds)]
        self.scratch = [new_scratch() for _ in self.parts]
        self._others = [_Other(*share) for share in zip(self.parts[1:], self.scratch[1:], strict=True)]

    def work(self, task: Task) -> None:
        """Call `task(part, scratch)` for each thread's part, all at the same time, and wait for all.

        Raises:
            Exception: What one of the calls raised, when all have ended.
        """
        for other in self._others:
            other.begin(task)
        try:
            task(self.parts[0], self.scratch[0])
        finally:
            errors = [other.end() for other in self._others]
        for error in errors:
            if error is not None:
                raise error


class _Other:
    """A thread that waits for tasks. Queues hand them over in half the time that `concurrent.futures` takes."""

    def __init__(self, part: slice, scratch: NDArray) -> None:
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._results: SimpleQueue[BaseException | None] = SimpleQueue()
        Thread(target=_serve, args=(self._tasks, self._results, part, scratch), daemon=True).start()
        finalize(self, self._tasks.put, None)  # ends the thread
        self.begin, self.end = self._tasks.put, self._results.get


def _serve(
    tasks: SimpleQueue[Task | None], results: SimpleQueue[BaseException | None], part: slice, scratch: NDArray
) -> None:
    while (task := tasks.get()) is not None:
        try:
            task(part, scratch)
            results.put(None)
        except BaseException as error:  # the caller raises it
            results.put(error)
        del task  # which knows the batch: nobody else may, so that it and this thread can end
