"""Threads that share the games of a batch. Compiled code holds no lock, so they run at the same time."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from numpy.typing import NDArray

from diamant_env.observing import new_scratch


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
        self._others = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    def work(self, task: Callable[[slice, NDArray], Any]) -> None:
        """Call `task(part, scratch)` for each thread's part, all at the same time, and wait for all."""
        waiting = []
        if self._others is not None:
            shares = zip(self.parts[1:], self.scratch[1:], strict=True)
            waiting = [self._others.submit(task, part, scratch) for part, scratch in shares]
        task(self.parts[0], self.scratch[0])
        for other in waiting:
            other.result()
