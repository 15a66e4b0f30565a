"""The folder of a benchmark: its configuration, the figures of all its runs, and their page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from diamant_env.storage.files import write_whole
from diamant_env.storage.results import save_json
from train.benchmarking.algorithms import ALGORITHMS
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.reporting.page import write_page
from train.benchmarking.reporting.paper import FOLDER, write_paper
from train.benchmarking.reporting.pictures import draw_for_page
from train.benchmarking.results import RESULT, checked_result, read_result, write_result
from train.benchmarking.suite import TASKS
from train.runs.config import config_text, read_config
from train.runs.run_folder import CONFIG, machine_and_versions, read_json, slug

RESULTS, PAGE, VERSIONS = "benchmark.json", "benchmark.md", "versions.json"
_PLACE = {"platform", "python"}  # of the versions that a page names


def open_folder(folder: Path, config: BenchmarkConfig) -> None:
    """Write the configuration into the folder, or check that it is the one there; else a ValueError.

    A folder that has nothing but the figures of runs, such as docs/measured/benchmark.json, is filled from them.
    """
    path, kept = folder / CONFIG, None
    if path.is_file():
        there = read_config(path, BenchmarkConfig)
    elif (folder / RESULTS).is_file():
        there, kept = _kept(folder / RESULTS)
    else:
        there = config
    if changed := [name for name in BenchmarkConfig.model_fields if getattr(there, name) != getattr(config, name)]:
        raise ValueError(f"{folder} has runs of another {', '.join(changed)}; give another folder by --out")
    if kept is not None:
        for row in kept["runs"]:
            write_result(run_folder(folder, row["task"], row["algorithm"], row["seed"]) / RESULT, row)
        save_json(kept["versions"], folder / VERSIONS)
    if not path.is_file():
        write_whole(path, config_text(config))


def run_folder(folder: Path, task: str, algorithm: str, seed: int) -> Path:
    """Return where a run lies in the folder of a benchmark."""
    return folder / "runs" / slug(task) / slug(algorithm) / str(seed)


def _versions(folder: Path) -> dict[str, Any]:
    """Return what the runs of a folder began with; today's, which are written, if that is missing or damaged."""
    try:
        found = read_json(folder / VERSIONS)
        if found.keys() >= _PLACE:
            return found
    except (ValueError, OSError, AttributeError):
        pass
    found = machine_and_versions()
    save_json(found, folder / VERSIONS)
    return found


def _kept(path: Path) -> tuple[BenchmarkConfig, dict[str, Any]]:
    """Return the configuration and all of a file of figures; ValueError if it is damaged."""
    content = read_json(path)
    try:
        config, rows, where = BenchmarkConfig.model_validate(content["config"]), content["runs"], content["versions"]
        if where.keys() >= _PLACE and all(map(checked_result, rows)):
            return config, content
    except (ValidationError, TypeError, KeyError, AttributeError):
        pass
    raise ValueError(f"{path} is damaged: it has no configuration, versions and runs of a benchmark")


def write(config: BenchmarkConfig, folder: Path, paper: bool = True) -> None:
    """Write the JSON and the page of all that is finished, by task, algorithm and seed, and what a paper takes."""
    content: dict[str, Any] = {
        "config": config.model_dump(mode="json"),
        "versions": _versions(folder),
        "runs": in_order(row for _, row in finished(folder)[0]),
    }
    save_json(content, folder / RESULTS)
    draw_for_page(content["runs"], folder)
    write_page(content, folder / PAGE)
    if paper:
        write_paper(content["runs"], folder / FOLDER)


def finished(folder: Path) -> tuple[list[tuple[Path, dict[str, Any]]], list[str]]:
    """Return each finished run once, its folder and its figures, and a line on each file that is left out.

    Of copies, such as one under another seed's number, the run in its own folder counts.
    """
    runs: dict[tuple[str, str, int], list[tuple[Path, dict[str, Any]]]] = {}
    lines = []
    for path in sorted((folder / "runs").rglob(RESULT)):
        if (row := read_result(path)) is None:
            again = "its run is played anew when it is asked for"
            lines.append(f"{path} is damaged: it is left out of the page, and {again}")
            continue
        key = row["task"], row["algorithm"], row["seed"]
        places = runs.setdefault(key, [])
        places.insert(0 if path.parent == run_folder(folder, *key) else len(places), (path.parent, row))
    for (own, _), *others in runs.values():
        lines += [f"{place} has the same run as {own}: it is left out of the page" for place, _ in others]
    return [found[0] for found in runs.values()], lines


def in_order(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows of runs by task, algorithm and seed."""
    order = [*TASKS, *ALGORITHMS]

    def place(row: dict[str, Any]) -> tuple[int, ...]:
        names = row["task"], row["algorithm"]
        return *(order.index(name) if name in order else len(order) for name in names), row["seed"]

    return sorted(rows, key=place)
