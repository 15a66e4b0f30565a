"""Speed of the engine: ``python -m benchmarks.throughput``."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import gymnasium
import numpy as np
import tyro
from stable_baselines3.common.env_util import make_vec_env

from benchmarks.measure import Effort, Row, Run, alternate, rows_of
from benchmarks.results import machine, publish
from diamant_env import Batch
from diamant_env.commands.command import run_command
from diamant_env.sb3 import DiamantVecEnv

COMMAND = "python -m benchmarks.throughput"
_IMPORT = """
import time
import numpy, numba, gymnasium, pettingzoo
start = time.perf_counter()
import diamant_env
print(time.perf_counter() - start)
"""
_FIRST_STEP = """
import numpy as np
from diamant_env import Batch
batch = Batch(1, 4)
batch.reset(0)
batch.step(np.zeros((1, 4), np.int8))
"""


@dataclass(frozen=True)
class Arguments:
    """Measure the engine, the environments with one learner beside Gymnasium's, and seconds until the first step.

    Medians of several repeats; the machine should be idle otherwise.
    """

    out: Path = Path("runs/benchmarks/throughput")
    """Folder for results.json, created if missing."""
    quick: bool = False
    """Smoke test: tiny batches and short times; the figures mean nothing."""


def measure(arguments: Arguments) -> None:
    """Measure, print and save."""
    effort = Effort(2, 0.005) if arguments.quick else Effort()
    rows = [
        row
        for games in ((16, 64) if arguments.quick else (1024, 16_384))
        for players in (4, 8)
        for row in measure_batch(games, players, effort)
    ]
    rows += measure_environments(16 if arguments.quick else 1024, effort)
    rows += measure_costs(1 if arguments.quick else effort.repeats)
    publish(COMMAND, rows, arguments.out, machine())


def measure_batch(games: int, players: int, effort: Effort) -> list[Row]:
    """Return the agent-steps per second of a batch, with auto-reset: with observations, and the rules alone."""
    random = np.random.default_rng(0)
    ring = [(random.random((games, players)) < 0.1).astype(np.int8) for _ in range(16)]
    batch = Batch(games, players)
    observations = batch.reset(0)
    rewards, done = np.zeros((games, players), np.float32), np.zeros(games, bool)

    def step(steps: int) -> None:
        for number in range(steps):
            batch.step(ring[number % 16], observations, rewards, done, auto_reset=True)

    def rules(steps: int) -> None:
        for number in range(steps):
            batch.play(ring[number % 16], rewards, done, auto_reset=True)

    runs: dict[str, Run] = {"step with observations": step, "rules": rules}
    return [
        row
        for section, rates in alternate(runs, effort).items()
        for row in rows_of(
            section,
            f"batch {games:,}, {players} players",
            "M agent-steps/s",
            {"ours": [games * players / 1e6 * rate for rate in rates]},
        )
    ]


def measure_environments(games: int, effort: Effort) -> list[Row]:
    """Return the steps per CPU second of environments with one learner, all games together, beside Blackjack."""
    task, many = "diamant_env/Diamant-v0", {"num_envs": games, "vectorization_mode": "vector_entry_point"}
    others = {name: gymnasium.make(name) for name in ("Blackjack-v1", "CartPole-v1")}
    others[f"CartPole-v1, make_vec, {games:,} games"] = gymnasium.make_vec("CartPole-v1", **many)
    ours: dict[str, Any] = {}
    for opponents in ("bag:15", "ev", "champion", "pool"):
        ours |= {
            f"make: {opponents}": gymnasium.make(task, opponents=opponents),
            f"make_vec_env, 8 games: {opponents}": make_vec_env(task, 8, env_kwargs={"opponents": opponents}),
            f"make_vec, {games:,} games: {opponents}": gymnasium.make_vec(task, **many, opponents=opponents),
            f"DiamantVecEnv, {games:,} games: {opponents}": DiamantVecEnv(games, opponents=opponents),
        }
    runs = {name: _runner(env, 0.5) for name, env in others.items()}
    runs |= {name: _runner(env, 0.1) for name, env in ours.items()}
    rates = alternate(runs, effort, process_time)
    for name, env in (others | ours).items():
        rates[name] = [getattr(env, "num_envs", 1) * rate for rate in rates[name]]
    blackjack = rates.pop("Blackjack-v1")
    return [
        row
        for name, found in rates.items()
        for row in rows_of("environments", name, "steps/s", {"ours": found, "Blackjack-v1": blackjack})
    ]


def _runner(env: Any, chance: float) -> Run:
    """Return a function that runs steps of an environment, each action 1 with this probability."""
    single = isinstance(env, gymnasium.Env)
    drawn = (np.random.default_rng(0).random((64, 1 if single else env.num_envs)) < chance).astype(int)
    actions = drawn[:, 0].tolist() if single else list(drawn)
    env.reset()

    def run(steps: int) -> None:
        for number in range(steps):
            result = env.step(actions[number % 64])
            if single and (result[2] or result[3]):
                env.reset()

    return run


def measure_costs(repeats: int) -> list[Row]:
    """Return the seconds of an import, and from the start of Python to the end of the first step."""
    with tempfile.TemporaryDirectory() as folder:
        seconds = {
            "import diamant_env after its dependencies": [
                float(_fresh(_IMPORT, f"{folder}/0")[0]) for _ in range(repeats)
            ],
            "first step, empty cache": [_fresh(_FIRST_STEP, f"{folder}/{number}")[1] for number in range(repeats)],
            "first step, warm cache": [_fresh(_FIRST_STEP, f"{folder}/0")[1] for _ in range(repeats)],
        }
    return [row for what, found in seconds.items() for row in rows_of("costs", what, "s", {"ours": found})]


def _fresh(program: str, cache: str) -> tuple[str, float]:
    """Run a program in a new Python process; return its output and seconds."""
    environment, command = os.environ | {"NUMBA_CACHE_DIR": cache}, [sys.executable, "-c", program]
    root, start = Path(__file__).parents[1], perf_counter()
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
    return done.stdout, perf_counter() - start


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    return run_command(COMMAND, lambda: measure(tyro.cli(Arguments, prog=COMMAND, args=argv)))


if __name__ == "__main__":
    sys.exit(main())
