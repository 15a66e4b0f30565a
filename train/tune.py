"""Random search over the settings of the benchmark's learners: ``python -m train.tune``.

No task has the deck of its expeditions, no table its seeds.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
from tyro.conf import arg

from diamant_env import benchmark
from diamant_env.commands.terminal import print_line, run_command
from diamant_env.evaluation.games import seeds_for
from diamant_env.storage.results import save_json
from train.benchmarking.algorithms import ALGORITHMS
from train.benchmarking.benchmark_run import BenchmarkRun, cpu_seconds
from train.benchmarking.config import BenchmarkConfig
from train.runs.arguments import CONFIGS, ConfigFile, Settings, optional, parse_arguments
from train.runs.run_folder import read_json

COMMAND = "python -m train.tune"
EDITION = f"{CONFIGS / 'tuning_edition.toml'}/hidden_rivals:1"
PLAYERS, SEEDS = (2, 3), (100, 101)
Range = tuple[float, float] | list[int] | list[float]  # log-uniform between two bounds, or one of a list
SHARED: dict[str, Range] = {  # A2C ignores epochs and minibatch: a rollout is one batch, so it tunes its rows
    "learning_rate": (2e-4, 2e-2),
    "entropy": (3e-3, 0.3),
    "epochs": [1, 2, 4, 8],
    "minibatch": [256, 512, 1024, 2048],
    "average": [0.05, 0.1, 0.2, 0.4],
    "turns": [4, 8, 16, 32],
}
RANGES: dict[str, dict[str, Range]] = {  # each learner's further settings
    "ppo": {},
    "fictitious": {"passes": [2, 4, 8, 16], "rate": (3e-4, 1e-2)},
    "mirror-descent": {"step_size": (0.5, 50.0)},
    "r-nad": {"weight": (0.003, 0.3), "replacements": [5, 10, 20, 40]},
    "psro": {"rounds": [12, 24, 48, 96]},
    "maskable-ppo": {},
    "a2c": {"rows": [32, 64, 128, 256]},
}


@dataclass(frozen=True)
class Arguments:
    """Train random settings of each learner and measure their exact deviation gains; measured ones are skipped."""

    settings: Settings[BenchmarkConfig]
    algorithms: Annotated[tuple[str, ...] | None, optional("ALGORITHM …")] = None
    """Learners, all by default."""
    number: Annotated[int, arg(metavar="N")] = 16
    """Settings of each learner."""
    config: ConfigFile = None
    """Budget and defaults, by default configs/benchmark.toml."""
    out: Annotated[Path, arg(metavar="FILE.json")] = Path("runs/tuning.json")
    """File of the results."""


def draw(algorithm: str, number: int) -> list[dict[str, Any]]:
    """Return the first `number` settings of a learner's random sequence."""
    random = np.random.default_rng(seeds_for(0, "tuning", algorithm))
    ranges = (SHARED | RANGES[algorithm]).items()
    return [{name: _drawn(values, random) for name, values in ranges} for _ in range(number)]


def _drawn(values: Range, random: np.random.Generator) -> float:
    if isinstance(values, list):
        return values[random.integers(len(values))]
    return float(f"{np.exp(random.uniform(*np.log(values))):.2g}")


def tune(arguments: Arguments) -> list[dict[str, Any]]:
    """Measure the settings that the file lacks; return the rows of these learners, the best first."""
    rows = read_json(arguments.out)["candidates"] if arguments.out.is_file() else []
    names, common = arguments.algorithms or tuple(RANGES), {"decisions": arguments.settings.decisions}
    drawn = [(name, settings) for name in names for settings in draw(name, arguments.number)]
    jobs: list[Any] = [{"algorithm": name, "settings": settings, **common} for name, settings in drawn]
    for number, job in enumerate(jobs, 1):
        if not any(job.items() <= row.items() for row in rows):
            print_line(f"[{number}/{len(jobs)}] {job['algorithm']} {job['settings']} …")
            rows.append(job | measure(job["algorithm"], job["settings"], arguments.settings))
            save_json({"command": COMMAND, "candidates": rows}, arguments.out)
    wanted = [row for row in rows if row["algorithm"] in names and common.items() <= row.items()]
    return sorted(wanted, key=itemgetter("mean"))


def measure(name: str, settings: dict[str, Any], config: BenchmarkConfig) -> dict[str, Any]:
    """Return the exact deviation gains (gems) by table size and seed, their mean, and the CPU seconds."""
    start, gains = cpu_seconds(), dict[str, list[Any]]()
    for players in PLAYERS:
        task = benchmark.BenchmarkTask(f"tuning-{players}", "expedition", players, EDITION, "score", "the tuning deck")
        for seed in SEEDS:
            with TemporaryDirectory() as folder:
                run = BenchmarkRun(task, ALGORITHMS[name], seed, Path(folder), config)
                agent, _ = ALGORITHMS[name].agent(run, **settings)
            gains.setdefault(str(players), []).append(benchmark.evaluate(agent, task).exploitability)
    mean = fmean(gain for seeds in gains.values() for gain in seeds)
    return {"gains": gains, "mean": mean, "cpu_seconds": cpu_seconds() - start}


def main(argv: Sequence[str] | None = None) -> int:
    def run() -> None:
        rows = tune(parse_arguments(Arguments, argv, COMMAND, CONFIGS / "benchmark.toml"))
        for row in {row["algorithm"]: row for row in reversed(rows)}.values():
            print_line(f"{row['algorithm']}: {row['settings']}; mean deviation gain {row['mean']:.3f} gems.")

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
