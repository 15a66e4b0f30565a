"""Playing of benchmark runs: one after the other, in processes of their own, or on Ray, by one function."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from multiprocessing import active_children, get_context
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple

from tqdm import tqdm

from diamant_env.commands.terminal import say, warn
from diamant_env.storage.files import write_whole
from train.benchmarking.algorithms import find_algorithms
from train.benchmarking.benchmark_run import BenchmarkRun
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.suite import TASKS

ERROR = "error.txt"


class Job(NamedTuple):
    """A run by the names of its parts, for another process."""

    line: str
    modules: str
    """Folder of modules of one's own."""
    task: str
    algorithm: str
    kind: str
    seed: int
    folder: Path
    config: BenchmarkConfig


MapJobs = Callable[[Callable[[Job], dict[Path, bytes]], Iterable[Job]], Iterable[dict[Path, bytes]]]
"""``map``, or what does the same elsewhere, such as `train.cluster.map_on_ray`."""


def play_all(runs: Sequence[BenchmarkRun], map_jobs: MapJobs = map) -> Iterator[None]:
    """Play runs, and yield after each one that is finished or has failed."""
    jobs = [
        Job(f"[{number}/{len(runs)}] {run} …", os.getcwd(), run.task.name, run.algorithm.name, run.algorithm.kind,
            run.seed, run.folder, run.config)
        for number, run in enumerate(runs, 1)
    ]  # fmt: skip
    with _progress([run for run in runs if run.algorithm.kind == "learned"]):
        for files in map_jobs(play_job, jobs):
            for path, content in files.items():
                if not path.is_file():  # played on another machine
                    write_whole(path, content)
            yield


@contextmanager
def _progress(runs: Sequence[BenchmarkRun]) -> Iterator[None]:
    """Show how many decisions all of these runs have made, how many a second, and the time that is left."""
    over = Event()
    shown = {"unit": " decisions", "unit_scale": True, "smoothing": 0, "miniters": 0, "disable": not runs}
    budget, every = sum(run.config.decisions for run in runs), 0.5 if sys.stderr.isatty() else 30
    with tqdm(desc="benchmark", total=budget, mininterval=every, **shown) as bar:

        def watch() -> None:
            while not over.is_set():
                over.wait(1)
                with suppress(OSError):  # of a meter that is cleared meanwhile
                    bar.update(sum(min(run.meter.spent(), run.config.decisions) for run in runs) - bar.n)

        watcher = Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()


def play_job(job: Job) -> dict[Path, bytes]:
    """Play one run and return the files in its folder; a failure is one line, and a traceback among the files."""
    if job.modules not in sys.path:
        sys.path.append(job.modules)
    finished = job.kind == "agent"
    (algorithm,) = find_algorithms(() if finished else (job.algorithm,), (job.algorithm,) if finished else ())
    run = BenchmarkRun(TASKS[job.task], algorithm, job.seed, job.folder, job.config)
    with tqdm.external_write_mode():  # the line of progress gives way
        say(job.line)
    path = run.folder / ERROR
    try:
        run.play()
    except Exception as error:  # in somebody's own code, anything; the other runs go on
        with suppress(OSError):  # where nothing can be written, the run's own error says so
            write_whole(path, traceback.format_exc())
        text, kind = " ".join(str(error).split()), type(error).__name__
        reason = f"{kind}: {text}" if text and not isinstance(error, ValueError) else text or kind
        with tqdm.external_write_mode():
            warn(f"{run} failed: {reason} (traceback: {path})")
    else:
        path.unlink(missing_ok=True)
    return {file: file.read_bytes() for file in run.folder.rglob("*") if file.is_file()}


def map_on_processes(workers: int, function: Callable[[Job], Any], jobs: Iterable[Job]) -> Iterator[Any]:
    """Do what ``map`` does in so many processes, in the order of the ends.

    Raises:
        RuntimeError: If the operating system ended a worker, such as for want of memory.
    """
    ignored = signal.SIGINT, signal.SIG_IGN  # Ctrl-C is the command's
    with ProcessPoolExecutor(workers, get_context("spawn"), signal.signal, ignored) as pool:
        try:
            for done in as_completed([pool.submit(function, job) for job in jobs]):
                yield done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in active_children():
                child.terminate()
            raise
