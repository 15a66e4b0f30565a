"""The folder of a benchmark: its configuration, the figures of all its runs, and their page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from diamant_env.storage.files import write_whole
from diamant_env.storage.results import save_json
from train.benchmarking.algorithms import ALGORITHMS
from train.benchmarking.benchmark_run import RESULT, read_result
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.page import write_page
from train.benchmarking.suite import TASKS
from train.runs.config import config_text, read_config
from train.runs.run_folder import CONFIG, machine_and_versions, read_json, slug

RESULTS, PAGE, VERSIONS = "benchmark.json", "benchmark.md", "versions.json"
_PART = ("tasks", "algorithms", "seeds")  # what may differ from call to call in the same folder


def open_folder(folder: Path, config: BenchmarkConfig) -> None:
    """Write the configuration into the folder, or check that it is the one there; else a ValueError.

    A folder that has nothing but the figures of runs, such as docs/measured/benchmark.json, is filled from them.
    """
    path = folder / CONFIG
    if path.is_file():
        there = read_config(path, BenchmarkConfig)
    elif (folder / RESULTS).is_file():
        content = read_json(folder / RESULTS)
        there = BenchmarkConfig.model_validate(content["config"])
        for row in content["runs"]:
            save_json(row, folder / "runs" / row["task"] / slug(row["algorithm"]) / str(row["seed"]) / RESULT)
    else:
        there = config
    changed = [name for name in BenchmarkConfig.model_fields if getattr(there, name) != getattr(config, name)]
    if changed := [name for name in changed if name not in _PART]:
        raise ValueError(f"{folder} has runs of another {', '.join(changed)}; give another folder by --out")
    if not path.is_file():
        write_whole(path, config_text(config))
        save_json(machine_and_versions(), folder / VERSIONS)


def write(config: BenchmarkConfig, folder: Path) -> None:
    """Write the JSON and the page of all that is finished, by task, algorithm and seed."""
    order = [*TASKS, *ALGORITHMS]

    def place(row: dict[str, Any]) -> tuple[int, ...]:
        names = row["task"], row["algorithm"]
        return *(order.index(name) if name in order else len(order) for name in names), row["seed"]

    rows = [read_result(path) for path in (folder / "runs").rglob(RESULT)]
    content = {
        "config": config.model_dump(mode="json"),
        "versions": read_json(folder / VERSIONS),
        "runs": sorted((row for row in rows if row is not None), key=place),
    }
    save_json(content, folder / RESULTS)
    write_page(content, folder / PAGE)
