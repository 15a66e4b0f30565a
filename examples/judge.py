"""Evaluation shared by the examples: the same games for all, one result line."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env import Observations
from diamant_env.judging.evaluation import Estimate, compare
from diamant_env.judging.lineups import pool_line_up

GAMES = 20_000
OPPONENTS = "held_out"  # three of eight scripted agents, drawn for each table; no example trains against them
REFERENCES = ("random:0.2", "ev:0.75")  # a random agent, and the best of the scripted agents in the other pool


class Learned:
    """Learned policy of a recipe, as an agent of this project."""

    def __init__(self, name: str, choose: Callable[[NDArray[np.float32]], ArrayLike]) -> None:
        self.name, self.choose = name, choose

    def __str__(self) -> str:
        return self.name

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the decisions of all rows; those in camp are ignored."""
        return np.asarray(self.choose(obs.flat)).reshape(len(obs.flat)).astype(np.float32)


def report(library: str, decisions: int, seconds: float, choose: Callable[[NDArray[np.float32]], ArrayLike]) -> None:
    """Play the games and print the result line that run_all.py reads.

    Args:
        library: The name under which it is installed.
        decisions: Rows of training in which a seat had to decide.
        seconds: Training time.
        choose: Function from observations, float32 (n, NUM_FEATURES), to decisions or P(LEAVE), (n,).
    """
    games = GAMES if decisions >= 100_000 else 1_000  # a smoke test needs no precision
    agents = [Learned(library, choose), *REFERENCES]
    results, _ = compare(agents, [pool_line_up(OPPONENTS)], games)
    own, *others = (with_interval(result.win_share) for result in results)
    beside = ", ".join(f"{name} {share}" for name, share in zip(REFERENCES, others, strict=True))
    print(
        f"result: {library} {version(library)}: {decisions:,} decisions in {seconds:,.1f} s, "
        f"{decisions / seconds:,.0f} a second; win share {own} in {games:,} games; in the same seats {beside}"
    )


def report_entry(library: str, train: Callable[..., Any]) -> None:
    """Parse the command line, train a benchmark entry on the task full-4-win and print the result.

    Args:
        library: The name under which it is installed.
        train: Function from task, budget, seed and folder (see docs/enter.md) to a `NetworkAgent`.
    """
    from train.algorithms.counting import Meter
    from train.benchmarking.entry import EntryTask
    from train.benchmarking.suite import TASKS

    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300_000, help="decisions")
    steps = parser.parse_args().steps
    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "run").mkdir()
        task = EntryTask.of(TASKS["full-4-win"], steps, Meter(folder / "spent"))
        start = time.perf_counter()
        agent = train(task, steps, 0, folder / "run")
        seconds = time.perf_counter() - start
        report(library, steps - task.left, seconds, agent.leave_probability)


def with_interval(share: Estimate) -> str:
    """Return a mean and the longer side of its 95 % interval."""
    return f"{share.mean:.3f} ± {max(share.high - share.mean, share.mean - share.low):.3f}"
