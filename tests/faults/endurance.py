"""Long runs: the same games whatever is played side by side, and nothing that grows."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from diamant_env import Batch, diamant_v0
from tests.faults.child import in_child, used_memory
from tests.faults.table import Effort, Row, Trials

_PLAYERS, _LEAVE = 5, 0.25
_PART = 100_000
_MEBIBYTES = 48
"""What a process may grow by: a thousandth of what 10^7 turns would leave behind if each kept its observations."""


def endurance(effort: Effort) -> Iterator[Row]:
    """All rows about long runs."""
    yield same_games(effort)
    yield growth(effort)


def _final(first: int, number: int, size: int, threads: int = 1, by_turns: bool = False) -> NDArray[np.int16]:
    """Play games of these seeds to their ends in batches of `size`, at once or by turns; return the final chests."""
    found = []
    for start in range(first, first + number, size):
        games = min(size, first + number - start)
        batch = Batch(games, _PLAYERS, threads=min(threads, games))
        batch.reset(start)
        leave, actions = np.full((games, _PLAYERS), _LEAVE, np.float32), np.zeros((games, _PLAYERS), np.int8)
        while by_turns and not batch.over.all():
            batch.draw_decisions(leave, actions)
            batch.play(actions)
        found.append(batch.play_out(_LEAVE))
    return np.concatenate(found)


def _follow_ups(size: int, threads: int, auto_reset: bool, games: int = 3) -> NDArray[np.float32]:
    """Play some games in each place; return what was earned in all of them, (games, places, seats)."""
    batch = Batch(size, _PLAYERS, threads=min(threads, size))
    batch.reset(1)
    number, earned = np.zeros(size, int), np.zeros((games + 1, size, _PLAYERS), np.float32)
    leave, actions = np.full((size, _PLAYERS), _LEAVE, np.float32), np.zeros((size, _PLAYERS), np.int8)
    while (number < games).any():
        batch.draw_decisions(leave, actions)
        rewards, done = batch.play(actions, auto_reset=auto_reset)
        earned[number, np.arange(size)] += rewards
        if auto_reset:
            number = np.minimum(number + done, games)
        elif batch.over.all():
            number += 1
            batch.reset(mask=np.ones(size, bool))
    return earned[:games]


def same_games(effort: Effort) -> Row:
    """Play the same games in batches of several sizes, with threads, turn by turn and with automatic resets."""
    trial = Trials("games bit for bit over batch sizes, threads and auto-reset", effort)
    size = min(_PART, effort.times(1_000_000))
    for part in effort.trials(10_000_000 // _PART, seconds=360):
        trial(in_child(partial(_compare, part * size, size, part)).problem, times=size)
    with_another = np.array_equal(_final(0, 100, 7), _final(1, 100, 7))
    return trial.row("games of seeds that are one further", not with_another)


def _compare(first: int, number: int, part: int) -> None:
    expected = _final(first, number, number)
    size, threads = (7, 64, 999)[part % 3], 1 + part % 3
    found = {
        "with two threads": _final(first, number, number, 2),
        "turn by turn": _final(first, number, 4096, threads, by_turns=True),
        f"in batches of {size}": _final(first, min(number, 3_000), size, threads),
        f"turn by turn in batches of {size}": _final(first, min(number, 1_000), size, threads, by_turns=True),
        "one at a time": _final(first, min(number, 50), 1),
    }
    for name, chests in found.items():
        if not np.array_equal(chests, expected[: len(chests)]):
            raise RuntimeError(f"other final chests {name}, seeds from {first}")
    if not np.array_equal(_follow_ups(size, 2, True), _follow_ups(size, 1, False)):
        raise RuntimeError("other games follow with automatic resets")


def growth(effort: Effort) -> Row:
    """Watch memory, threads and descriptors over many turns and environments."""
    trial = Trials("memory, threads and descriptors over 10^7 turns and 10^5 environments", effort)
    uses: dict[str, tuple[Callable[[], object], int]] = {
        "turns with 1 thread": (partial(_turns, 1), 500),
        "turns with 2 threads": (partial(_turns, 2), 500),
        "batches": (lambda: Batch(8, 4).reset(1), 50_000),
        "batches with threads": (partial(_turns, 2, 1), 5_000),
        "parallel_env": (lambda: diamant_v0.parallel_env().reset(seed=1), 25_000),
        "AEC": (lambda: diamant_v0.env().reset(seed=1), 10_000),
        "gymnasium": (lambda: gymnasium.make("diamant_env/Diamant-v0").reset(seed=1), 10_000),
    }
    worst = 0.0
    for name, (use, times) in uses.items():
        end = in_child(partial(_grown, use, effort.times(times)), seconds=1200)
        problem, more = (end.problem, 0.0) if end.problem else end.result
        worst = max(worst, more)
        trial(problem and f"{name}: {problem}", times=effort.times(times))
    kept: list[Any] = []
    leaks = [lambda: kept.append(bytearray(os.urandom(1 << 20))), lambda: kept.append(os.dup(0)), partial(_stay, kept)]
    caught = all(in_child(partial(_grown, leak, 100)).result[0] for leak in leaks)
    return trial.row("leaks of memory, of descriptors and of threads", caught, f"{worst:.1f} MiB more")


def _turns(threads: int, turns: int = 10) -> None:
    """Play 10 turns of 1,000 games."""
    batch = Batch(1_000, 4, threads=threads)
    batch.reset(1)
    actions = np.zeros((1_000, 4), np.int8)
    for _ in range(turns):
        batch.step(actions, auto_reset=True)


def _stay(kept: list[Any]) -> None:
    kept.append(threading.Event())
    threading.Thread(target=kept[-1].wait, daemon=True).start()


def _grown(use: Callable[[], object], times: int) -> tuple[str | None, float]:
    """Do something often; return what has grown, and by how many mebibytes."""
    for _ in range(max(3, times // 50)):
        use()
    before = _now()
    for _ in range(times):
        use()
    more = _now() - before
    for name, grown, most in zip(("mebibytes", "threads", "descriptors"), more, (_MEBIBYTES, 2, 0), strict=True):
        if grown > most:
            return f"{grown:.0f} {name} more", float(more[0])
    return None, float(more[0])


def _now() -> NDArray[np.float64]:
    gc.collect()
    return np.array([used_memory(1) / 2**20, threading.active_count(), len(os.listdir("/proc/self/fd"))])
