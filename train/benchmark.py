"""Benchmark command: ``python -m train.benchmark``; protocol in `docs/benchmark_tasks.md`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import arg

from diamant_env.benchmark import TASKS, BenchmarkTask
from diamant_env.commands.terminal import print_line, run_command
from diamant_env.storage.files import nearest
from train.benchmarking.algorithms import REFERENCES, find_algorithms
from train.benchmarking.benchmark_run import BenchmarkRun
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.folder import MARL_EVAL, PAGE, RESULTS, BenchmarkFolder, run_folder
from train.benchmarking.playing import MapJobs, map_on_processes, play_all
from train.benchmarking.reporting.page import figure_lines
from train.benchmarking.verification import verify
from train.cluster import map_on_ray, require_ray
from train.runs.arguments import CONFIGS, ConfigFile, Settings, optional, parse_arguments
from train.runs.run_folder import locked

COMMAND = "python -m train.benchmark"


@dataclass(frozen=True)
class Arguments:
    """Play the benchmark or a part of it: tasks × algorithms × seeds.

    Finished runs are skipped: the same command resumes, another one adds runs to the folder. Its JSON and page are
    written at the end, also of an interrupted command.
    """

    settings: Settings[BenchmarkConfig]
    tasks: Annotated[tuple[str, ...] | None, optional("TASK …")] = None
    """Tasks by name or family (expedition, small, game, two-player, win); all by default."""
    algorithms: Annotated[tuple[str, ...] | None, optional("ALGORITHM …")] = None
    """Algorithms by name or kind (learned, scripted, shipped, exact), or module:function, see docs/benchmark.md; all by
    default."""
    agents: Annotated[tuple[str, ...] | None, optional("AGENT …")] = None
    """Finished agents: specs such as bag:18, policy files, folders of runs, module:object."""
    seeds: Annotated[str | None, optional("N|A:B")] = None
    """Seeds of each learning algorithm, in the full game also of searches against shipped policies: N is 0 to N - 1,
    A:B is A to B - 1, so that 7:8 is seed 7 alone; by default as many as the task has, with --quick one."""
    workers: Annotated[int, arg(metavar="N")] = 1
    """Number of worker processes."""
    ray: bool = False
    """Play the runs on Ray, all at once (see docs/training.md)."""
    verify: bool = False
    """Recompute the NashConv of the policies in docs/measured/policies, of `--tasks` or all but full-2-win, and play
    nothing."""
    quick: bool = False
    """Smoke test with configs/benchmark_quick.toml: seconds per run, no meaningful figures."""
    config: ConfigFile = None
    """Budgets and games, overridden by other options; by default configs/benchmark.toml."""
    out: Annotated[Path | None, optional("FOLDER")] = None
    """Folder of the benchmark, by default runs/benchmark or runs/quick."""


def benchmark(arguments: Arguments) -> list[dict[str, Any]]:
    """Play the missing runs, write the figures of all runs in the folder, and return those of the requested ones."""
    if arguments.verify:
        named = find_tasks(arguments.tasks) if arguments.tasks else []
        learners = find_algorithms(arguments.algorithms) if arguments.algorithms else []
        verify(tasks=[task.name for task in named], algorithms=[algorithm.name for algorithm in learners])
        return []
    map_jobs = _map_of(arguments)
    config, tasks = arguments.settings, find_tasks(arguments.tasks or ())
    seeds = read_seeds("1" if arguments.quick and arguments.seeds is None else arguments.seeds)
    folder = arguments.out or Path("runs/quick" if arguments.quick else "runs/benchmark")
    runs = benchmark_runs(config, folder, tasks, seeds, arguments.algorithms or (), arguments.agents or ())
    with locked(folder):
        written = BenchmarkFolder(folder, config)
        missing = [run for run in runs if run.result() is None]
        try:
            play_all(missing, map_jobs)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"page of the finished runs: {folder / PAGE}; the same command resumes") from None
        finally:
            written.write()
    results = [result for run in runs if (result := run.result()) is not None]
    print_line(
        *figure_lines(results),
        f"Page of all finished runs: {folder / PAGE}; figures: {folder / RESULTS}, for marl-eval: "
        f"{folder / MARL_EVAL}.",
    )
    if failed := len(runs) - len(results):
        raise ValueError(f"{failed} of {len(missing)} runs failed, see above")
    return results


def _map_of(arguments: Arguments) -> MapJobs:
    if arguments.workers < 1:
        raise ValueError(f"--workers {arguments.workers}; at least 1 is needed")
    for name in ("tasks", "algorithms", "agents"):
        if getattr(arguments, name) == ():  # such as an unset shell variable, which must not mean all
            raise ValueError(f"--{name} is empty; omit it for the default")
    if arguments.ray:
        require_ray()
        return map_on_ray
    return partial(map_on_processes, arguments.workers) if arguments.workers > 1 else map


def find_tasks(names: tuple[str, ...]) -> list[BenchmarkTask]:
    """Return the tasks of these names or families, all by default."""
    families = {task.family for task in TASKS.values()}
    unknown = [name for name in names if name not in TASKS and name not in families]
    if unknown:
        allowed = f"tasks: {', '.join(TASKS)}; families: {', '.join(sorted(families))}"
        raise ValueError(f"unknown task {unknown[0]!r}; {nearest(unknown[0], [*TASKS, *families], allowed)}")
    return [task for task in TASKS.values() if not names or task.name in names or task.family in names]


def read_seeds(text: str | None) -> range | None:
    """Return the seeds ``"N"``, 0 to N - 1, or ``"A:B"``, A to B - 1."""
    if text is None:
        return None
    match = re.fullmatch(r"(?:(\d+):)?(\d+)", text)
    seeds = range(int(match[1] or 0), int(match[2])) if match else range(0)
    if not seeds:
        raise ValueError(f"--seeds {text}; a number such as 3 or a range such as 7:8 is needed")
    return seeds


def benchmark_runs(
    config: BenchmarkConfig,
    folder: Path,
    tasks: Sequence[BenchmarkTask],
    seeds: range | None = None,
    algorithms: tuple[str, ...] = (),
    agents: tuple[str, ...] = (),
) -> list[BenchmarkRun]:
    """Return the runs of these tasks and algorithms, with one seed or several (`Algorithm.repeated`).

    Runs are ordered by seed first, so that an interrupted benchmark covers all tasks. All algorithms are played by
    default; with `agents` and without `algorithms`, only the agents and the references.
    """
    chosen = find_algorithms((*algorithms, *REFERENCES) if algorithms or agents else (), agents)
    for name in (*algorithms, *agents):
        named = [algorithm for algorithm in chosen if name in (algorithm.name, algorithm.kind)]
        omitted = [task.name for task in tasks if not any(algorithm.plays(task) for algorithm in named)]
        if len(omitted) == len(tasks):
            raise ValueError(f"{name} plays none of these tasks: {', '.join(omitted)}")
        if omitted:
            print_line(f"{name} does not play {', '.join(omitted)}.")
    runs = [
        BenchmarkRun(task, algorithm, seed, run_folder(folder, task.name, algorithm.name, seed), config)
        for task in tasks
        for algorithm in chosen
        if algorithm.plays(task)
        for seed in ((seeds or range(task.seeds)) if algorithm.repeated(task) else range(1))
    ]
    return sorted(runs, key=lambda run: run.seed)


def main(argv: Sequence[str] | None = None) -> int:
    sys.path.append(os.getcwd())  # for custom modules under PYTHONSAFEPATH
    words = sys.argv[1:] if argv is None else argv
    standard = CONFIGS / ("benchmark_quick.toml" if "--quick" in words else "benchmark.toml")
    return run_command(COMMAND, lambda: benchmark(parse_arguments(Arguments, words, COMMAND, standard)))


if __name__ == "__main__":
    sys.exit(main())
