"""Measure how training on Ray grows with the number of runners: ``python -m benchmarks.scaling --help``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import torch
import tyro
from tyro.conf import arg

from agents.command import run_command
from diamant_env.envs.settings import whole_number
from train.distributed.cluster import join_cluster
from train.runs.command_line import change_keys
from train.runs.config import RayRun, read_config
from train.runs.results import save_json
from train.runs.screen import say
from train.runs.tables import versions

if TYPE_CHECKING:
    from train.distributed.algorithm import SelfPlay

COMMAND = "python -m benchmarks.scaling"
SECTIONS = {"playing": "the runners play, nobody learns", "training": "the runners play, then the learner learns"}


@dataclass(frozen=True)
class Arguments:
    """Measure decisions a second with one runner and with more, in turn; the median of the repeats counts.

    The experiment is the same: with more runners each plays fewer of the games. All runs are there at the same time, so
    Ray needs a core for each of their runners; those that wait cost nothing. On one machine, for 1 and 2 runners:
    ray start --head --num-cpus=3
    """

    config: Path = Path("configs/rllib.toml")
    """The experiment."""
    runners: Annotated[tuple[int, ...], arg(metavar="RUNNERS …")] = (2,)
    """Numbers of runners to compare with one."""
    rounds: int = 2
    """Rounds of playing, and of playing and learning, in each repeat."""
    repeats: int = 9
    """How often each number of runners is measured, after one time that does not count."""
    out: Annotated[Path | None, arg(metavar="FILE")] = None
    """A .json for the figures."""


def measure(arguments: Arguments) -> None:
    """Measure, save if asked, and print.

    Raises:
        ValueError: If an argument is wrong; the message says what is allowed.
    """
    for name, given in (
        ("rounds", [arguments.rounds]),
        ("repeats", [arguments.repeats]),
        ("runners", arguments.runners),
    ):
        for number in given:
            whole_number(name, number, 1, 1000)
    config = read_config(arguments.config, RayRun)
    numbers = list(dict.fromkeys((1, *arguments.runners)))
    join_cluster(sum(numbers) + len(numbers) * config.ray.learners)
    torch.set_num_threads(config.threads)
    from train.distributed.algorithm import algorithm_config

    runs = {n: algorithm_config(change_keys(config, (f"ray.runners={n}",))).build_algo() for n in numbers}
    facts = {**machine(), "games": str(config.ppo.games), "turns": str(config.ppo.turns)}
    speeds: dict[int, list[dict[str, float]]] = {number: [] for number in numbers}
    for repeat in range(arguments.repeats + 1):
        for number, algorithm in runs.items():
            found = decisions_per_second(algorithm, arguments.rounds)
            if repeat:
                speeds[number].append(found)
                figures = ", ".join(f"{what} {figure:,.0f}" for what, figure in found.items())
                say(f"{number} runners: {figures} decisions/s; load {os.getloadavg()[0]:.1f}")
    for algorithm in runs.values():
        algorithm.stop()
    rows = [row(section, number, speeds) for section in SECTIONS for number in numbers[1:]]
    if arguments.out is not None:
        save_json({"command": COMMAND, "machine": facts, "notes": [], "rows": rows}, arguments.out)
    for line in rows:
        say(f"{line['section']}, {line['what']}: {line['ours']:,.0f} against {line['theirs']:,.0f} decisions/s")


def decisions_per_second(algorithm: SelfPlay, rounds: int) -> dict[str, float]:
    """Return the speed of each of `SECTIONS`."""
    from ray.rllib.execution.rollout_ops import synchronous_parallel_sample

    def play() -> int:
        episodes = synchronous_parallel_sample(worker_set=algorithm.env_runner_group, _uses_new_env_runners=True)
        return sum(map(len, episodes))

    def learn() -> int:
        before = algorithm.decisions
        algorithm.train()
        return algorithm.decisions - before

    return {"playing": speed(play, rounds), "training": speed(learn, rounds)}


def speed(work: Callable[[], int], rounds: int) -> float:
    """Return decisions a second."""
    start = perf_counter()
    decisions = sum(work() for _ in range(rounds))
    return decisions / (perf_counter() - start)


def row(section: str, number: int, speeds: dict[int, list[dict[str, float]]]) -> dict[str, str | float | bool]:
    """Return one comparison with one runner, as docs/update.py wants it."""
    more, one = (median(found[section] for found in speeds[count]) for count in (number, 1))
    return {
        "section": SECTIONS[section],
        "what": f"{number} runners",
        "unit": "decisions/s",
        "ours": more,
        "rival": "1 runner",
        "theirs": one,
        "ratio": more / one,
        "target": 1.0,
        "lower_is_better": False,
    }


def machine() -> dict[str, str]:
    """Return what the figures depend on: when, where and with which versions."""
    import ray

    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.1f}",
        **versions(),
        "torch": torch.__version__,
        "ray": ray.__version__,
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""

    def run() -> None:
        measure(tyro.cli(Arguments, prog=COMMAND, args=argv))

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
