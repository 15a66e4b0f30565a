"""How fast agents are judged: decisions per second of `diamant_env.judging.games`."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.contenders.decisions import count_decisions
from benchmarks.measure import Effort, alternate
from benchmarks.results import Comparison, alone
from diamant_env import NUM_FEATURES
from diamant_env.judging.games import play, seeds_for
from diamant_env.opponents.network import NetworkAgent
from train.runs.config import Config
from train.runs.run_folder import save_policy

SEATS = 4


def compare_judging(effort: Effort, tables: int = 8192) -> list[Comparison]:
    """Tables of scripted agents and tables of a 64 × 64 policy; a step is four games at every table."""
    with tempfile.TemporaryDirectory() as folder:
        policy = str(random_policy(Path(folder) / "policy.safetensors"))
        line_ups = {
            "four thresholds": ["bag:15", "cards:7", "traps:3", "bag-or-traps:20,3"],
            "four families": ["bag:15", "ev:0.75", "solo-grab:7,13", "catch-up:16,0.5"],
            "four copies of ev": ["ev:0.75"] * SEATS,
            "four copies of a 64 × 64 policy": [policy] * SEATS,
        }
        seating = np.tile(np.arange(SEATS), (tables, 1))
        games = 4 * tables
        seeds = seeds_for(0, "benchmark")

        def judge(agents: list[str], repeats: int) -> None:
            for _ in range(repeats):
                play(agents, seating, games, seeds)

        decisions = {name: count_decisions(agents, SEATS) for name, agents in line_ups.items()}
        contenders = {name: lambda repeats, agents=agents: judge(agents, repeats) for name, agents in line_ups.items()}
        speeds = alternate(contenders, effort)
    return [
        alone("judging", name, "decisions/s", speed.times(games * decisions[name])) for name, speed in speeds.items()
    ]


def random_policy(path: Path) -> Path:
    """Write a 64 × 64 policy with random weights, as training does; return the path."""
    random = np.random.default_rng(0)
    widths = (NUM_FEATURES, 64, 64, 2)
    layers = [
        (random.normal(0, inputs**-0.5, (outputs, inputs)).astype(np.float32), np.zeros(outputs, np.float32))
        for inputs, outputs in itertools.pairwise(widths)
    ]
    layers[-1][1][1] = -1.0  # like trained policies, it stays more often than it leaves
    save_policy(path, NetworkAgent(layers), Config(name="random"), 0)
    return path
