"""Folder of a benchmark: results of the runs, JSON of all figures, and page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from diamant_env.benchmark import TASKS
from diamant_env.storage.results import save_json
from train.benchmarking.algorithms import ALGORITHMS
from train.benchmarking.benchmark_run import RESULT
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.reporting.aggregate import iqms, marl_eval
from train.benchmarking.reporting.page import write_page
from train.benchmarking.reporting.pictures import draw_for_page
from train.runs.run_folder import machine, machine_and_versions, read_json, slug

RESULTS, PAGE, MARL_EVAL = "benchmark.json", "benchmark.md", "marl-eval.json"


class BenchmarkFolder:
    """Folder of runs with the same configuration; it can be created from `RESULTS` alone."""

    def __init__(self, path: Path, config: BenchmarkConfig) -> None:
        self.path, self.config = path, config
        self.versions = {**machine_and_versions(), **machine(config.threads)}
        if not (path / RESULTS).is_file():
            self._save([])
            return
        content = read_json(path / RESULTS)
        saved, self.versions = BenchmarkConfig.model_validate(content["config"]), content["versions"]
        if changed := [name for name in BenchmarkConfig.model_fields if getattr(saved, name) != getattr(config, name)]:
            raise ValueError(f"{path} has runs of other settings ({', '.join(changed)}); give another folder by --out")
        if content["runs"] and not (path / "runs").is_dir():
            unpacked = path / "unpacked"
            for row in content["runs"]:
                save_json(row, run_folder(unpacked, row["task"], row["algorithm"], row["seed"]) / RESULT)
            (unpacked / "runs").rename(path / "runs")  # at once: a process killed before has lost nothing
            unpacked.rmdir()

    def write(self) -> None:
        """Write JSON and page of all finished runs."""
        runs = in_order(read_json(path) for path in (self.path / "runs").rglob(RESULT))
        content = self._save(runs)
        draw_for_page(runs, self.path)
        write_page(content, self.path / PAGE)
        save_json(marl_eval(runs), self.path / MARL_EVAL)

    def _save(self, runs: list[dict[str, Any]]) -> dict[str, Any]:
        """Write and return the content of `RESULTS`."""
        content = {
            "config": self.config.model_dump(mode="json"),
            "versions": self.versions,
            "runs": runs,
            "iqm": iqms(runs),
        }
        save_json(content, self.path / RESULTS)
        return content


def run_folder(folder: Path, task: str, algorithm: str, seed: int) -> Path:
    return folder / "runs" / slug(task) / slug(algorithm) / str(seed)


def in_order(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows of runs by task, algorithm and seed."""
    order = [*TASKS, *ALGORITHMS]

    def place(row: dict[str, Any]) -> tuple[int, ...]:
        names = row["task"], row["algorithm"]
        return *(order.index(name) if name in order else len(order) for name in names), row["seed"]

    return sorted(rows, key=place)
