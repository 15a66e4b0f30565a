"""The benchmark: ``python -m train.benchmark``. `docs/benchmark.md` has the protocol."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from pydantic import ValidationError
from tyro.conf import arg

from diamant_env.commands.command import run_command
from diamant_env.commands.terminal import say
from diamant_env.storage.files import write_whole
from diamant_env.storage.results import save_json
from train.benchmarking.aggregate import REFERENCES
from train.benchmarking.algorithms import ALGORITHMS, find_algorithms
from train.benchmarking.benchmark_run import RESULT, BenchmarkRun, read_result
from train.benchmarking.config import QUICK, BenchmarkConfig
from train.benchmarking.page import PAGE, aggregates, write_page
from train.benchmarking.suite import TASKS, find_tasks
from train.runs.command_line import change_keys
from train.runs.config import config_text, explain, read_config
from train.runs.lock import held
from train.runs.run_folder import CONFIG, machine_and_versions, read_json, slug

COMMAND = "python -m train.benchmark"
RESULTS = "benchmark.json"
ERROR = "error.txt"
_PART = ("tasks", "algorithms", "seeds")  # what may differ from call to call in the same folder


@dataclass(frozen=True)
class Arguments:
    """Play the benchmark or a part of it: tasks × algorithms × seeds.

    Runs that are finished are kept, so that the same command goes on where it was stopped, and another part can be
    played into the same folder. One JSON and one page of all runs there are written anew after each run.
    """

    tasks: Annotated[tuple[str, ...], arg(metavar="TASK …")] = ()
    """Tasks by name or family (solitaire, expedition, win, score, margin); by default those of the configuration."""
    algorithms: Annotated[tuple[str, ...], arg(metavar="ALGORITHM …")] = ()
    """Algorithms by name or kind (learned, scripted, exact), or module:function of your own, found in this folder too:
    it is called with (task, budget, seed, folder) and returns an agent, see docs/enter.md."""
    agents: Annotated[tuple[str, ...], arg(metavar="AGENT …")] = ()
    """Agents that are finished: texts such as bag:18, policy files, folders of runs, module:object."""
    seeds: int | None = None
    """Seeds of each algorithm that learns."""
    quick: bool = False
    """Try everything out: budgets and games so small that a run takes seconds and its figures say little."""
    config: Path | None = None
    """Budgets and games, by default those of configs/benchmark.toml."""
    set: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Change one key, e.g. --set decisions=100000; may be repeated."""
    out: Path | None = None
    """The benchmark's folder, by default runs/benchmark, or runs/quick: what is finished there is kept."""


def benchmark(arguments: Arguments) -> list[dict[str, Any]]:
    """Play what is missing; return the figures of this part, and write those of all runs in the folder.

    Raises:
        ValueError: If something that was given is wrong, before anything is played; or if runs failed, at the end.
    """
    config = BenchmarkConfig() if arguments.config is None else read_config(arguments.config, BenchmarkConfig)
    config = change_keys(config, (*(QUICK if arguments.quick else ()), *arguments.set))
    given = {name: value for name in ("tasks", "seeds") if (value := getattr(arguments, name)) not in ((), None)}
    try:
        config = BenchmarkConfig.model_validate({**config.model_dump(), **given})
    except ValidationError as error:
        raise ValueError(explain(error)) from None
    folder = arguments.out or Path("runs/quick" if arguments.quick else "runs/benchmark")
    todo = benchmark_runs(config, folder, arguments.algorithms, arguments.agents)
    results = []
    done = [run.result() is not None for run in todo]
    with held(folder):
        open_folder(folder, config)
        for damaged in (path for path in (folder / "runs").rglob(RESULT) if read_result(path) is None):
            say(f"{damaged} is damaged: it is left out of the page, and its run is played anew when it is asked for")
        write(config, folder)
        try:
            for number, run in enumerate(todo):
                if not done[number]:
                    say(f"[{number + 1}/{len(todo)}] {run} …")
                if (result := play(run)) is not None:
                    results.append(result)
                    if not done[number]:
                        write(config, folder)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"the page of what is done is {folder / PAGE}; the same command goes on") from None
    say(f"{len(results)} runs; the page is {folder / PAGE}, the figures are in {folder / RESULTS}.")
    if len(results) < len(todo):
        raise ValueError(f"{len(todo) - len(results)} of {len(todo)} runs failed, as the lines above say")
    return results


def play(run: BenchmarkRun) -> dict[str, Any] | None:
    """Return the figures of a run; None if it failed, with a line, and a traceback in its folder."""
    path = run.folder / ERROR
    try:
        result = run.play()
    except Exception as error:  # in somebody's own code, anything; the other runs go on
        write_whole(path, traceback.format_exc())
        say(f"{run} failed: {' '.join(str(error).split()) or type(error).__name__} (traceback: {path})")
        return None
    path.unlink(missing_ok=True)
    return result


def benchmark_runs(
    config: BenchmarkConfig, folder: Path, algorithms: tuple[str, ...] = (), agents: tuple[str, ...] = ()
) -> list[BenchmarkRun]:
    """Return the runs of a part of the suite: several seeds where something is learned, else one.

    Args:
        config: Tasks, seeds, budgets, and the algorithms if none are given.
        folder: Of the benchmark.
        algorithms: Names and kinds, and functions of one's own.
        agents: Finished agents; without algorithms, they are played alone, beside the references.
    """
    names = algorithms or (() if agents else config.algorithms)
    found = find_algorithms((*names, *REFERENCES) if names or agents else (), agents)
    return [
        BenchmarkRun(task, algorithm, seed, folder / "runs" / task.name / slug(algorithm.name) / str(seed), config)
        for task in find_tasks(config.tasks)
        for algorithm in found
        if algorithm.plays(task)
        for seed in range(config.seeds if algorithm.kind == "learned" else 1)
    ]


def open_folder(folder: Path, config: BenchmarkConfig) -> None:
    """Write the configuration into the folder, or check that it is the one there; else a ValueError."""
    path = folder / CONFIG
    if path.is_file():
        there = read_config(path, BenchmarkConfig)
        changed = [name for name in BenchmarkConfig.model_fields if getattr(there, name) != getattr(config, name)]
        if changed := [name for name in changed if name not in _PART]:
            raise ValueError(f"{folder} has runs of another {', '.join(changed)}; give another folder by --out")
        return
    write_whole(path, config_text(config))
    save_json(machine_and_versions(), folder / "versions.json")


def write(config: BenchmarkConfig, folder: Path) -> None:
    """Write the JSON and the page of all that is finished, by task, algorithm and seed."""
    order = [*TASKS, *ALGORITHMS]

    def place(row: dict[str, Any]) -> tuple[int, ...]:
        names = row["task"], row["algorithm"]
        return *(order.index(name) if name in order else len(order) for name in names), row["seed"]

    rows = [read_result(path) for path in (folder / "runs").rglob(RESULT)]
    results = sorted((row for row in rows if row is not None), key=place)
    versions = read_json(folder / "versions.json")
    content = {"command": COMMAND, "config": config.model_dump(mode="json"), "versions": versions}
    found = aggregates(results)
    save_json({**content, "runs": results, "aggregates": found}, folder / RESULTS)
    write_page(results, found, header(content, results), folder)


def header(content: dict[str, Any], results: list[dict[str, Any]]) -> str:
    """Return what a page says of its runs: how many, how they were measured and on what."""
    config, versions = content["config"], content["versions"]
    machine = f"{versions['platform']}, {versions['cores']} cores, Python {versions['python']}"
    return (
        f"{len(results)} runs at {config['decisions']:,} decisions, {config['games']:,} games at the tables of each "
        f"pool, {config['response']['report_games']:,} against copies; {machine}."
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    sys.path.append(os.getcwd())  # where modules of one's own are, if Python was told to leave that out
    return run_command(COMMAND, lambda: benchmark(tyro.cli(Arguments, prog=COMMAND, args=argv)))


if __name__ == "__main__":
    sys.exit(main())
