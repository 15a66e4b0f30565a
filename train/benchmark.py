"""The benchmark: ``python -m train.benchmark``. `docs/benchmark.md` has the protocol."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import arg

from diamant_env.commands.command import run_command
from diamant_env.commands.terminal import say, warn
from train.benchmarking.algorithms import REFERENCES, find_algorithms
from train.benchmarking.benchmark_run import BenchmarkRun
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.folder import PAGE, RESULTS, BenchmarkFolder, run_folder
from train.benchmarking.playing import MapJobs, map_on_processes, play_all
from train.benchmarking.reporting.paper import FOLDER as PAPER
from train.benchmarking.suite import MOST_SEEDS, Task, find_tasks
from train.cluster import map_on_ray, require_ray
from train.runs.config import CONFIGS, ConfigFile, Settings, optional, parse_arguments
from train.runs.run_folder import held

COMMAND = "python -m train.benchmark"


@dataclass(frozen=True)
class Arguments:
    """Play the benchmark or a part of it: tasks × algorithms × seeds.

    Runs that are finished are kept, so that the same command goes on where it was stopped, and another part can be
    played into the same folder. One JSON and one page of all runs there are written anew after each run.
    """

    settings: Settings[BenchmarkConfig]
    tasks: Annotated[tuple[str, ...] | None, optional("TASK …")] = None
    """Tasks by name or family (expedition, solitaire, win, score); all by default."""
    algorithms: Annotated[tuple[str, ...] | None, optional("ALGORITHM …")] = None
    """Algorithms by name or kind (learned, scripted, shipped, exact), or your module:function, see docs/enter.md; all
    by default."""
    agents: Annotated[tuple[str, ...] | None, optional("AGENT …")] = None
    """Agents that are finished: texts such as bag:18, policy files, folders of runs, module:object."""
    seeds: Annotated[int | None, optional("N")] = None
    """Seeds of each algorithm that learns, at most; by default all that a task has, with --quick one."""
    workers: Annotated[int, arg(metavar="N")] = 1
    """Runs that are played at the same time, each in a process of its own."""
    ray: bool = False
    """Play the runs on Ray, all at once (see docs/cluster.md)."""
    quick: bool = False
    """Try everything out, with configs/benchmark_quick.toml: a run takes seconds and its figures say little."""
    config: ConfigFile = None
    """Budgets and games, which the other options change, by default those of configs/benchmark.toml."""
    out: Annotated[Path | None, optional("FOLDER")] = None
    """The benchmark's folder, by default runs/benchmark, or runs/quick: what is finished there is kept."""


def benchmark(arguments: Arguments) -> list[dict[str, Any]]:
    """Play what is missing; return the figures of this part, and write those of all runs in the folder.

    Raises:
        ValueError: If something that was given is wrong, before anything is played; or if runs failed, at the end.
    """
    map_jobs = _map_of(arguments)
    config, tasks = arguments.settings, find_tasks(arguments.tasks or ())
    seeds = arguments.seeds or (1 if arguments.quick else None)
    folder = arguments.out or Path("runs/quick" if arguments.quick else "runs/benchmark")
    runs = benchmark_runs(config, folder, tasks, seeds, arguments.algorithms or (), arguments.agents or ())
    with held(folder):
        written = BenchmarkFolder(folder, config)
        for line in written.write(paper=False):
            warn(line)
        missing = [run for run in runs if run.result() is None]
        try:
            for _ in play_all(missing, map_jobs):
                written.write(paper=False)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"the page of what is done is {folder / PAGE}; the same command goes on") from None
        finally:
            written.write()
    results = [result for run in runs if (result := run.result()) is not None]
    say(
        f"The page of all finished runs is {folder / PAGE}, the figures are in {folder / RESULTS}, those "
        f"of a paper are in {folder / PAPER}."
    )
    if failed := len(runs) - len(results):
        raise ValueError(f"{failed} of {len(missing)} runs failed, as the lines above say")
    return results


def _map_of(arguments: Arguments) -> MapJobs:
    """Return what plays the runs; ValueError if an argument is out of range."""
    for name, given in (("workers", arguments.workers), ("seeds", arguments.seeds)):
        if given is not None and given < 1:
            raise ValueError(f"--{name} {given}; at least 1 is needed")
    for name in ("tasks", "algorithms", "agents"):
        if getattr(arguments, name) == ():  # as where a variable is not set: not the whole benchmark
            raise ValueError(f"--{name} names nothing; leave it out for the default")
    if arguments.ray:
        require_ray()
        return map_on_ray
    return partial(map_on_processes, arguments.workers) if arguments.workers > 1 else map


def benchmark_runs(
    config: BenchmarkConfig,
    folder: Path,
    tasks: Sequence[Task],
    seeds: int | None = None,
    algorithms: tuple[str, ...] = (),
    agents: tuple[str, ...] = (),
) -> list[BenchmarkRun]:
    """Return the runs of a part of the suite: several seeds where something is learned, else one.

    The first seed of all tasks comes first, then the second: what is cut off has something of everything.

    Args:
        config: Budgets and games.
        folder: Of the benchmark.
        tasks: Of the suite.
        seeds: Of each algorithm that learns, at most.
        algorithms: Names, kinds and ``module:function``; all for none.
        agents: Finished agents; without algorithms, they are played alone, beside the references.

    Raises:
        ValueError: If a name is unknown, or plays none of the tasks.
    """
    found = find_algorithms((*algorithms, *REFERENCES) if algorithms or agents else (), agents)
    for name in (*algorithms, *agents):
        if not any(each.plays(task) for each in found if name in (each.name, each.kind) for task in tasks):
            raise ValueError(f"{name} plays none of these tasks: {', '.join(task.name for task in tasks)}")
    return [
        BenchmarkRun(task, algorithm, seed, run_folder(folder, task.name, algorithm.name, seed), config)
        for seed in range(min(seeds or MOST_SEEDS, MOST_SEEDS))
        for task in tasks
        for algorithm in found
        if algorithm.plays(task) and seed < (task.seeds if algorithm.kind == "learned" else 1)
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    sys.path.append(os.getcwd())  # for the user's modules, if Python was told to leave that out
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # like Ctrl-C: one line, and the page
    words = sys.argv[1:] if argv is None else argv
    standard = CONFIGS / ("benchmark_quick.toml" if "--quick" in words else "benchmark.toml")
    return run_command(COMMAND, lambda: benchmark(parse_arguments(Arguments, words, COMMAND, standard)))


if __name__ == "__main__":
    sys.exit(main())
