"""Tuning of the benchmark's learning algorithms: ``python -m train.tune``.

Each candidate is trained in single expeditions of a deck, and with seeds, that no table of the benchmark reports.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import tyro
from tyro.conf import arg

from diamant_env.commands.command import run_command
from diamant_env.commands.terminal import say
from diamant_env.storage.results import save_json
from train.benchmarking.algorithms import ALGORITHMS
from train.benchmarking.benchmark_run import BenchmarkRun, cpu_seconds
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.exact_tasks import exploitability
from train.benchmarking.suite import BenchmarkTask
from train.runs.arguments import CONFIGS
from train.runs.config import GameConfig
from train.runs.run_folder import read_json

COMMAND = "python -m train.tune"
EDITION = CONFIGS / "tuning_edition.toml"
PLAYERS, SEEDS, DECISIONS = (2, 3), (100, 101), 200_000
Settings = dict[str, float]
Row = dict[str, Any]


def _grid(first: Sequence[Settings], second: Sequence[Settings]) -> list[Settings]:
    return [{**one, **other} for one in first for other in second]


_ENTROPY: dict[float, Settings] = {
    start: {"entropy": start, "final_entropy": start / 10} for start in (0.01, 0.03, 0.1, 0.3)
}
_UPDATES: list[Settings] = [{"epochs": 4, "minibatch": 2048}, {"epochs": 2, "minibatch": 1024}]
CANDIDATES = {
    "ppo": _grid([_ENTROPY[0.03], _ENTROPY[0.1], _ENTROPY[0.3]], _UPDATES),
    "league": _grid(
        [{"learner": 0.5, **_ENTROPY[0.1]}, {"learner": 0.75, **_ENTROPY[0.1]}, {"learner": 0.75, **_ENTROPY[0.01]}],
        _UPDATES,
    ),
    "fictitious": _grid(
        [{"passes": 8, "rate": 3e-4}, {"passes": 8, "rate": 1e-3}, {"passes": 2, "rate": 1e-3}], _UPDATES
    ),
    "mirror-descent": _grid(
        [
            {"step_size": 5, "temperature": 0.05},
            {"step_size": 5, "temperature": 0.1},
            {"step_size": 20, "temperature": 0.1},
        ],
        _UPDATES,
    ),
    "r-nad": _grid([{"weight": weight, "replacements": 20} for weight in (0.03, 0.1, 0.3)], _UPDATES),
    "psro": _grid([{"rounds": 12}, {"rounds": 24}, {"rounds": 48}], _UPDATES),
    "maskable-ppo": _grid(
        [{"learning_rate": 3e-4}, {"learning_rate": 1e-3}, {"learning_rate": 3e-3}],
        [{"n_epochs": 4, "batch_size": 1024}, {"n_epochs": 2, "batch_size": 512}],
    ),
    "a2c": _grid(
        [{"learning_rate": 3e-4}, {"learning_rate": 7e-4}, {"learning_rate": 2e-3}], [{"n_steps": 5}, {"n_steps": 16}]
    ),
    "dqn": _grid(
        [{"learning_rate": 2e-4}, {"learning_rate": 5e-4}, {"learning_rate": 1e-3}],
        [{"exploration_final_eps": 0.05}, {"exploration_final_eps": 0.15}],
    ),
}
"""Candidate settings of each learning algorithm, keywords of its entry in train/benchmarking/algorithms.py."""


@dataclass(frozen=True)
class Arguments:
    """Train candidate settings with one budget and measure their exact deviation gains; measured ones are skipped."""

    out: Annotated[Path, arg(metavar="FILE.json")] = Path("runs/tuning.json")
    """File of the results."""


def tune(out: Path) -> dict[str, list[Row]]:
    """Measure the candidates that a file lacks and add them to it; return the results by algorithm, see `ranked`."""
    wanted: list[Row] = [
        {"algorithm": name, "settings": settings, "decisions": DECISIONS}
        for name, each in CANDIDATES.items()
        for settings in each
    ]
    found = read_json(out) if out.is_file() else {"command": COMMAND, "candidates": []}
    if not isinstance(found, dict) or found.get("command") != COMMAND or not isinstance(found.get("candidates"), list):
        raise ValueError(f"{out} has no results of {COMMAND}; give another file by --out")
    rows = found["candidates"]
    save_json({"command": COMMAND, "candidates": rows}, out)  # fails before the first candidate, not after it
    for number, job in enumerate(wanted, 1):
        if not any(job.items() <= row.items() for row in rows):
            say(f"[{number}/{len(wanted)}] {job['algorithm']}, {text_of(job['settings'])} …")
            rows.append(job | _measured(**job))
            save_json({"command": COMMAND, "candidates": rows}, out)
    return ranked(row for row in rows if any(job.items() <= row.items() for job in wanted))


def _measured(algorithm: str, settings: Settings, decisions: int) -> Row:
    """Return the deviation gains (gems) of a candidate, a list over seeds for each table size, and its CPU seconds."""
    start, learner = cpu_seconds(), ALGORITHMS[algorithm]
    config = BenchmarkConfig(decisions=decisions, checkpoints=1)
    gains: dict[str, list[Any]] = {}
    for players in PLAYERS:
        game = GameConfig(edition=str(EDITION), num_players=(players,), reward="score", expeditions=1, blank=True)
        task = BenchmarkTask(
            f"tuning-{players}", "expedition", game, "one expedition of the tuning deck, for score", ""
        )
        for seed in SEEDS:
            with TemporaryDirectory() as folder:
                agent, _ = partial(learner.agent, **settings)(BenchmarkRun(task, learner, seed, Path(folder), config))
            gains.setdefault(str(players), []).append(exploitability(agent, task)["exploitability"])
    return {"gains": gains, "cpu_seconds": cpu_seconds() - start}


def ranked(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Return the results by algorithm with their `mean` over table sizes and seeds; the first one is selected."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        mean = fmean(gain for gains in row["gains"].values() for gain in gains)
        found.setdefault(row["algorithm"], []).append({**row, "mean": mean})
    return {name: sorted(each, key=itemgetter("mean")) for name, each in found.items()}


def text_of(settings: Settings) -> str:
    """Return settings as text."""
    return ", ".join(f"{name} {value:g}" for name, value in settings.items())


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""

    def run() -> None:
        arguments = tyro.cli(Arguments, prog=COMMAND, args=argv)
        for name, (best, *_) in tune(arguments.out).items():
            say(f"{name}: {text_of(best['settings'])}; mean deviation gain {best['mean']:.3f} gems.")

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
