"""The benchmark: ``python -m train.benchmark``. `docs/benchmark.md` has the protocol."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from pydantic import ValidationError
from tqdm import tqdm
from tyro.conf import arg

from agents.command import run_command
from diamant_env.storage.files import write_whole
from diamant_env.storage.reading import parse_json
from train.benchmarking.aggregate import REFERENCES
from train.benchmarking.algorithms import ALGORITHMS, find_algorithms
from train.benchmarking.benchmark_run import RESULT, Cell, cells, play_cell, read_result
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.page import PAGE, aggregates, write_page
from train.benchmarking.suite import TASKS, find_tasks
from train.runs.command_line import change_keys
from train.runs.config import config_text, explain, read_config
from train.runs.lock import held
from train.runs.results import save_json
from train.runs.run_folder import CONFIG, machine_and_versions
from train.runs.screen import say

COMMAND = "python -m train.benchmark"
RESULTS = "benchmark.json"
_PART = ("tasks", "algorithms", "seeds")  # what may differ from call to call in the same folder


@dataclass(frozen=True)
class Arguments:
    """Play the benchmark or a part of it: tasks × algorithms × seeds.

    Cells that are finished are kept, so that the same command goes on where it was stopped, and another part can be
    played into the same folder. Each call writes one JSON and one page of all cells there.

    For instance:

    python -m train.benchmark --tasks full-4-win expedition-2 --algorithms ppo league scripted --seeds 3

    python -m train.benchmark --tasks win --algorithms runs/mine ppo
    """

    tasks: Annotated[tuple[str, ...], arg(metavar="TASK …")] = ()
    """Tasks by name or family (solitaire, expedition, win, score, margin); by default those of the configuration."""
    algorithms: Annotated[tuple[str, ...], arg(metavar="ALGORITHM …")] = ()
    """Algorithms by name or kind (learned, scripted, exact), or agents: texts, policy files, folders of runs."""
    seeds: int | None = None
    """Seeds of each algorithm that learns."""
    config: Path = Path("configs/benchmark.toml")
    """Budgets and games."""
    set: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Change one key, e.g. --set decisions=100000; may be repeated."""
    out: Path = Path("runs/benchmark")
    """The benchmark's folder: what is finished there is kept."""


def benchmark(arguments: Arguments) -> list[dict[str, Any]]:
    """Play what is missing; return the figures of this part, and write those of all cells in the folder.

    Raises:
        ValueError: If an argument is wrong, or the folder belongs to other settings; then nothing was played.
        OSError: If another command writes into the folder.
    """
    config = change_keys(read_config(arguments.config, BenchmarkConfig), arguments.set)
    given = {name: value for name in _PART if (value := getattr(arguments, name)) not in ((), None)}
    try:
        config = BenchmarkConfig.model_validate({**config.model_dump(), **given})
    except ValidationError as error:
        raise ValueError(explain(error)) from None
    tasks = find_tasks(config.tasks)
    algorithms = find_algorithms((*config.algorithms, *REFERENCES) if config.algorithms else ())
    todo = cells(tasks, algorithms, config.seeds, arguments.out / "cells")
    with held(arguments.out):
        results = _play(todo, config, arguments)
    say(f"{len(results)} cells; the page is {arguments.out / PAGE}, the figures are in {arguments.out / RESULTS}.")
    return results


def _play(todo: list[Cell], config: BenchmarkConfig, arguments: Arguments) -> list[dict[str, Any]]:
    open_folder(arguments.out, config)
    results = []
    try:
        with tqdm(todo, unit=" cells", disable=None) as bar:
            for cell in bar:
                bar.set_description(f"{cell.task.name} {cell.algorithm.name} {cell.seed}")
                results.append(play_cell(cell, config))
    finally:
        write(config, arguments.out)
    return results


def open_folder(folder: Path, config: BenchmarkConfig) -> None:
    """Write the configuration into the folder, or check that it is the one there.

    Raises:
        ValueError: If cells of other settings are there.
    """
    path = folder / CONFIG
    if path.is_file():
        there = read_config(path, BenchmarkConfig)
        changed = [name for name in BenchmarkConfig.model_fields if getattr(there, name) != getattr(config, name)]
        if changed := [name for name in changed if name not in _PART]:
            raise ValueError(f"{folder} has cells of another {', '.join(changed)}; give another folder by --out")
        return
    write_whole(path, config_text(config))
    save_json(machine_and_versions(), folder / "versions.json")


def finished(folder: Path) -> list[dict[str, Any]]:
    """Return the figures of all finished cells of a folder, by task, algorithm and seed."""
    order = {name: place for place, name in enumerate((*TASKS, *ALGORITHMS))}
    found = [row for path in (folder / "cells").rglob(RESULT) if (row := read_result(path)) is not None]
    last = len(order)
    return sorted(found, key=lambda row: (order.get(row["task"], last), order.get(row["algorithm"], last), row["seed"]))


def write(config: BenchmarkConfig, folder: Path) -> None:
    """Write the JSON and the page of all that is finished."""
    results = finished(folder)
    try:
        versions = parse_json((folder / "versions.json").read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{folder / 'versions.json'} is damaged: {error}") from None
    content = {"command": COMMAND, "config": config.model_dump(mode="json"), "versions": versions}
    save_json({**content, "cells": results, "aggregates": aggregates(results)}, folder / RESULTS)
    write_page(results, header(content, results), folder)


def header(content: dict[str, Any], results: list[dict[str, Any]]) -> str:
    """Return what a page says of its cells: how many, how they were measured, on what, and the tasks."""
    config, versions = content["config"], content["versions"]
    machine = f"{versions['platform']}, {versions['cores']} cores, Python {versions['python']}"
    text = (
        f"{len(results)} cells at {config['decisions']:,} decisions, {config['games']:,} games at the tables of each "
        f"pool, {config['response']['report_games']:,} against copies; {machine}."
    )
    tasks = {row["task"]: f"- `{row['task']}`: {row['meaning']}" for row in results}
    return "\n".join([text, "", *tasks.values()])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""

    def run() -> None:
        benchmark(tyro.cli(Arguments, prog=COMMAND, args=argv))

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
