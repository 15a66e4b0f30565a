"""The benchmark: ``python -m train.benchmark``. `docs/benchmark.md` has the protocol."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from pydantic import ValidationError
from tyro.conf import arg

from diamant_env.commands.command import run_command
from diamant_env.commands.terminal import say, warn
from train.benchmarking.algorithms import REFERENCES, find_algorithms
from train.benchmarking.benchmark_run import BenchmarkRun
from train.benchmarking.config import QUICK, BenchmarkConfig
from train.benchmarking.drawn_line_ups import finished_runs, play_line_ups
from train.benchmarking.folder import PAGE, RESULTS, finished, open_folder, run_folder, write
from train.benchmarking.playing import play_all
from train.benchmarking.suite import find_tasks
from train.runs.command_line import Changes, ConfigFile, change_keys, optional
from train.runs.config import explain, read_config
from train.runs.lock import held

COMMAND = "python -m train.benchmark"


@dataclass(frozen=True)
class Arguments:
    """Play the benchmark or a part of it: tasks × algorithms × seeds.

    Runs that are finished are kept, so that the same command goes on where it was stopped, and another part can be
    played into the same folder. One JSON and one page of all runs there are written anew after each run.
    """

    tasks: Annotated[tuple[str, ...] | None, optional("TASK …")] = None
    """Tasks by name or family (expedition, solitaire, win, score); by default those of the configuration."""
    algorithms: Annotated[tuple[str, ...] | None, optional("ALGORITHM …")] = None
    """Algorithms by name or kind (learned, scripted, shipped, exact), or your module:function, see docs/enter.md."""
    agents: Annotated[tuple[str, ...] | None, optional("AGENT …")] = None
    """Agents that are finished: texts such as bag:18, policy files, folders of runs, module:object."""
    seeds: Annotated[int | None, optional("N")] = None
    """Seeds of each algorithm that learns, at most; by default all that a task has."""
    line_ups: Annotated[str | None, optional("SEED")] = None
    """Measure what is finished, or of that what is named, at tables of agents drawn from this text: line-ups.md."""
    workers: Annotated[int, arg(metavar="N")] = 1
    """Runs that are played at the same time, each in a process of its own."""
    quick: bool = False
    """Try everything out: budgets and games so small that a run takes seconds and its figures say little."""
    config: ConfigFile = None
    """Budgets and games, by default those of configs/benchmark.toml."""
    set: Changes = ()
    """Change one key, e.g. --set decisions=100000; may be repeated."""
    out: Annotated[Path | None, optional("FOLDER")] = None
    """The benchmark's folder, by default runs/benchmark, or runs/quick: what is finished there is kept."""


def benchmark(arguments: Arguments) -> list[dict[str, Any]]:
    """Play what is missing; return the figures of this part, and write those of all runs in the folder.

    Raises:
        ValueError: If something that was given is wrong, before anything is played; or if runs failed, at the end.
    """
    if arguments.workers < 1:
        raise ValueError(f"--workers {arguments.workers}; at least 1 is needed")
    config = BenchmarkConfig() if arguments.config is None else read_config(arguments.config, BenchmarkConfig)
    config = change_keys(change_keys(config, QUICK if arguments.quick else ()), arguments.set)
    for name in ("tasks", "algorithms", "agents"):
        if getattr(arguments, name) == ():  # as where a variable is not set: not the whole benchmark
            raise ValueError(f"--{name} names nothing; leave it out for the default")
    given = {name: value for name in ("tasks", "seeds") if (value := getattr(arguments, name)) is not None}
    try:
        config = BenchmarkConfig.model_validate({**config.model_dump(), **given})
    except ValidationError as error:
        raise ValueError(explain(error)) from None
    folder = arguments.out or Path("runs/quick" if arguments.quick else "runs/benchmark")
    runs = benchmark_runs(config, folder, arguments.algorithms or (), arguments.agents or ())
    with held(folder):
        open_folder(folder, config)
        for line in finished(folder)[1]:
            warn(line)
        write(config, folder)
        if arguments.line_ups is not None:  # an empty one is refused: a variable that is not set must not train
            chosen = runs if arguments.algorithms or arguments.agents else finished_runs(config, folder)
            return play_line_ups(chosen, arguments.line_ups, folder)
        missing = [run for run in runs if run.result() is None]
        try:
            for _ in play_all(missing, arguments.workers):
                write(config, folder)
        except KeyboardInterrupt:
            write(config, folder)  # a run may have ended since, or the writing of its page been interrupted
            raise KeyboardInterrupt(f"the page of what is done is {folder / PAGE}; the same command goes on") from None
    results = [result for run in runs if (result := run.result()) is not None]
    say(f"The page of all finished runs is {folder / PAGE}, the figures are in {folder / RESULTS}.")
    if failed := len(runs) - len(results):
        raise ValueError(f"{failed} of {len(missing)} runs failed, as the lines above say")
    return results


def benchmark_runs(
    config: BenchmarkConfig, folder: Path, algorithms: tuple[str, ...] = (), agents: tuple[str, ...] = ()
) -> list[BenchmarkRun]:
    """Return the runs of a part of the suite: several seeds where something is learned, else one.

    The first seed of all tasks comes first, then the second: what is cut off has something of everything.

    Args:
        config: Tasks, seeds, budgets, and the algorithms if none are given.
        folder: Of the benchmark.
        algorithms: Names and kinds, and functions of one's own.
        agents: Finished agents; without algorithms, they are played alone, beside the references.

    Raises:
        ValueError: If a name is unknown, or plays none of the tasks.
    """
    names = algorithms or (() if agents else config.algorithms)
    tasks, found = find_tasks(config.tasks), find_algorithms((*names, *REFERENCES) if names or agents else (), agents)
    for name in (*names, *agents):
        if not any(each.plays(task) for each in found if name in (each.name, each.kind) for task in tasks):
            raise ValueError(f"{name} plays none of these tasks: {', '.join(task.name for task in tasks)}")
    return [
        BenchmarkRun(task, algorithm, seed, run_folder(folder, task.name, algorithm.name, seed), config)
        for seed in range(config.seeds)
        for task in tasks
        for algorithm in found
        if algorithm.plays(task) and seed < (task.seeds if algorithm.kind == "learned" else 1)
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    sys.path.append(os.getcwd())  # where modules of one's own are, if Python was told to leave that out
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # like Ctrl-C: one line, and the page
    return run_command(COMMAND, lambda: benchmark(tyro.cli(Arguments, prog=COMMAND, args=argv)))


if __name__ == "__main__":
    sys.exit(main())
