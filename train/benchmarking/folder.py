"""Folder of a benchmark: results of the runs, JSON of all figures, and page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from diamant_env.storage.results import save_json
from train.benchmarking.algorithms import ALGORITHMS
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.reporting.aggregate import marl_eval
from train.benchmarking.reporting.page import write_page
from train.benchmarking.reporting.pictures import draw_for_page
from train.benchmarking.results import RESULT, checked_result, read_result, write_result
from train.benchmarking.suite import TASKS
from train.runs.run_folder import machine, machine_and_versions, read_json, slug

RESULTS, PAGE, MARL_EVAL = "benchmark.json", "benchmark.md", "marl-eval.json"


class BenchmarkFolder:
    """Folder of runs with the same configuration; it can be created from `RESULTS` alone.

    Args:
        path: Path of the folder.
        config: Budgets and games.

    Raises:
        ValueError: If the folder's runs have another configuration, or its `RESULTS` is damaged.
    """

    def __init__(self, path: Path, config: BenchmarkConfig) -> None:
        self.path, self.config = path, config
        self.versions = {**machine_and_versions(), **machine(config.threads)}
        if not (path / RESULTS).is_file():
            self._save([])
            return
        there, self.versions, rows = _read(path / RESULTS)
        if changed := [name for name in BenchmarkConfig.model_fields if getattr(there, name) != getattr(config, name)]:
            raise ValueError(f"{path} has runs of other settings ({', '.join(changed)}); give another folder by --out")
        if rows and not (path / "runs").is_dir():
            unpacked = path / "unpacked"
            for row in rows:
                write_result(run_folder(unpacked, row["task"], row["algorithm"], row["seed"]) / RESULT, row)
            (unpacked / "runs").rename(path / "runs")  # at once: a process killed before has lost nothing
            unpacked.rmdir()

    def write(self) -> list[str]:
        """Write JSON and page of all finished runs; return a line on each ignored file."""
        rows, left_out = finished(self.path)
        runs = in_order(rows)
        content = self._save(runs)
        draw_for_page(runs, self.path)
        write_page(content, self.path / PAGE)
        save_json(marl_eval(runs), self.path / MARL_EVAL)
        return left_out

    def _save(self, runs: list[dict[str, Any]]) -> dict[str, Any]:
        """Write and return the content of `RESULTS`."""
        content = {"config": self.config.model_dump(mode="json"), "versions": self.versions, "runs": runs}
        save_json(content, self.path / RESULTS)
        return content


def run_folder(folder: Path, task: str, algorithm: str, seed: int) -> Path:
    """Return the folder of a run in the folder of a benchmark."""
    return folder / "runs" / slug(task) / slug(algorithm) / str(seed)


def _read(path: Path) -> tuple[BenchmarkConfig, dict[str, Any], list[dict[str, Any]]]:
    """Return configuration, versions and runs of a file of figures; raise a ValueError if it is damaged."""
    content = read_json(path)
    try:
        config, versions, rows = (content[name] for name in ("config", "versions", "runs"))
        if {"platform", "python"} <= versions.keys() and all(map(checked_result, rows)):
            return BenchmarkConfig.model_validate(config), versions, rows
    except (ValidationError, TypeError, KeyError, AttributeError):
        pass
    raise ValueError(f"{path} is damaged: it has no configuration, versions and runs of a benchmark")


def finished(folder: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the result of each finished run, and a line on each ignored file: damaged or misplaced."""
    rows, lines = [], []
    for path in sorted((folder / "runs").rglob(RESULT)):
        row = read_result(path)
        if row is None:
            lines.append(f"{path} is damaged and ignored; its run counts as missing")
        elif path.parent != (own := run_folder(folder, row["task"], row["algorithm"], row["seed"])):
            lines.append(f"{path} is ignored: its run belongs in {own}")
        else:
            rows.append(row)
    return rows, lines


def in_order(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows of runs by task, algorithm and seed."""
    order = [*TASKS, *ALGORITHMS]

    def place(row: dict[str, Any]) -> tuple[int, ...]:
        names = row["task"], row["algorithm"]
        return *(order.index(name) if name in order else len(order) for name in names), row["seed"]

    return sorted(rows, key=place)
