"""How runs are played: one after the other, or several at a time in processes of their own."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from multiprocessing import active_children, get_context, parent_process
from threading import Thread
from typing import Any

from diamant_env.commands.terminal import say, warn
from diamant_env.storage.files import write_whole
from train.benchmarking.algorithms import find_algorithms
from train.benchmarking.benchmark_run import BenchmarkRun
from train.benchmarking.suite import TASKS

ERROR = "error.txt"


def play_all(runs: Sequence[BenchmarkRun], workers: int) -> Iterator[None]:
    """Play runs, and yield after each one that is finished or has failed.

    A line says when a run begins, and one why it failed; the traceback is then in its folder.

    Raises:
        RuntimeError: If the operating system ended a worker, such as for want of memory.
    """
    numbered = [(f"[{number}/{len(runs)}] {run} …", run) for number, run in enumerate(runs, 1)]
    if workers == 1:
        for line, run in numbered:
            play(line, run)
            yield
        return
    sys.warnoptions.append("ignore:resource_tracker")  # what ends in the middle leaves semaphores, which it then frees
    with ProcessPoolExecutor(min(workers, max(1, len(runs))), get_context("spawn"), _begin, (os.getcwd(),)) as pool:
        try:
            waiting = [
                pool.submit(
                    _play, line, run.task.name, run.algorithm.name, run.algorithm.kind, run.seed, run.folder, run.config
                )
                for line, run in numbered
            ]
            for done in as_completed(waiting):
                done.result()
                yield
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in active_children():
                child.terminate()
            raise


def play(line: str, run: BenchmarkRun) -> None:
    """Play one run; a failure is one line, and a traceback in its folder."""
    say(line)
    path = run.folder / ERROR
    try:
        run.play()
    except Exception as error:  # in somebody's own code, anything; the other runs go on
        with suppress(OSError):  # where nothing can be written, the run's own error says so
            write_whole(path, traceback.format_exc())
        text, kind = " ".join(str(error).split()), type(error).__name__
        reason = f"{kind}: {text}" if text and not isinstance(error, ValueError) else text or kind
        warn(f"{run} failed: {reason} (traceback: {path})")
    else:
        path.unlink(missing_ok=True)


def _begin(folder: str) -> None:
    """Prepare a worker: modules of one's own are found, Ctrl-C is the command's, and whose end is the worker's."""
    sys.path.append(folder)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_command, daemon=True).start()


def _end_with_command() -> None:
    command = parent_process()
    if command is not None:
        command.join()
        os._exit(1)


def _play(line: str, task: str, name: str, kind: str, *where: Any) -> None:
    (algorithm,) = find_algorithms((), (name,)) if kind == "agent" else find_algorithms((name,))
    play(line, BenchmarkRun(TASKS[task], algorithm, *where))
