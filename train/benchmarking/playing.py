"""Execution of benchmark runs: sequential, in worker processes, or on Ray."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any, NamedTuple

from diamant_env.benchmark import TASKS
from diamant_env.commands.terminal import print_line
from diamant_env.storage.files import write_atomic
from train.benchmarking.algorithms import find_algorithms
from train.benchmarking.benchmark_run import BenchmarkRun
from train.benchmarking.config import BenchmarkConfig

ERROR = "error.txt"


class Job(NamedTuple):
    """Picklable description of a run."""

    line: str
    modules: str
    """Folder of custom modules."""
    task: str
    algorithm: str
    kind: str
    seed: int
    folder: Path
    config: BenchmarkConfig


MapJobs = Callable[[Callable[[Job], dict[Path, bytes]], Iterable[Job]], Iterable[dict[Path, bytes]]]
"""``map`` or a parallel equivalent such as `train.cluster.map_on_ray`."""


def play_all(runs: Sequence[BenchmarkRun], map_jobs: MapJobs = map) -> None:
    jobs = [
        Job(f"[{number}/{len(runs)}] {run} …", os.getcwd(), run.task.name, run.algorithm.name, run.algorithm.kind,
            run.seed, run.folder, run.config)
        for number, run in enumerate(runs, 1)
    ]  # fmt: skip
    for files in map_jobs(play_job, jobs):
        for path, content in files.items():
            if not path.is_file():  # played on another machine
                write_atomic(path, content)


def play_job(job: Job) -> dict[Path, bytes]:
    """Play one run and return the files in its folder; a failure prints one line and saves the traceback."""
    if job.modules not in sys.path:
        sys.path.append(job.modules)
    finished = job.kind == "agent"
    (algorithm,) = find_algorithms(() if finished else (job.algorithm,), (job.algorithm,) if finished else ())
    run = BenchmarkRun(TASKS[job.task], algorithm, job.seed, job.folder, job.config)
    print_line(job.line)
    path = run.folder / ERROR
    try:
        run.play()
    except Exception as error:  # custom code may raise any type; the other runs continue
        write_atomic(path, traceback.format_exc())
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"{run} failed: {reason} (traceback: {path})", file=sys.stderr, flush=True)
    else:
        path.unlink(missing_ok=True)
    return {file: file.read_bytes() for file in run.folder.rglob("*") if file.is_file()}


def map_on_processes(workers: int, function: Callable[[Job], Any], jobs: Iterable[Job]) -> Iterator[Any]:
    """Map a function over jobs in worker processes; yield results in order of completion."""
    ignored = signal.SIGINT, signal.SIG_IGN  # the parent handles Ctrl-C
    with ProcessPoolExecutor(workers, get_context("spawn"), signal.signal, ignored) as pool:
        try:
            for done in as_completed([pool.submit(function, job) for job in jobs]):
                yield done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in active_children():
                child.terminate()
            raise
