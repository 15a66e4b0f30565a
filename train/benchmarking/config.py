"""The configuration of the benchmark: budgets, seeds, games, and how our own algorithms learn."""

from __future__ import annotations

from pydantic import Field

from train.responding.config import LookaheadConfig, SearchConfig
from train.runs.config import (
    AgentInFile,
    Decisions,
    Games,
    NetworkConfig,
    Number,
    OpponentsConfig,
    PPOConfig,
    Run,
    Threads,
)


class BenchmarkConfig(Run):
    """Which part of the suite is played, and at what budget."""

    name: str = Field("benchmark", pattern=r"^[\w.-]+$", max_length=200)
    threads: Threads = 1
    """Threads that torch uses."""
    tasks: tuple[str, ...] = ()
    """Names or families of `train.benchmarking.suite.TASKS`; all for none."""
    algorithms: tuple[AgentInFile, ...] = ()
    """Names or kinds of `train.benchmarking.algorithms.ALGORITHMS`; all algorithms for none."""
    seeds: Number = 3
    """Of each algorithm that learns; the others have one."""
    decisions: Decisions = 5_000_000
    """Decisions of learning seats in a run; idle seats don't count."""
    games: Games = 20_000
    """Games of each run at the tables of each pool."""
    exact_players: int = Field(2, ge=1, le=5)
    """Largest table of which an expedition's exploitability is computed exactly: time and memory grow steeply."""
    respond: bool = False
    """Whether PPO learns to answer each run's agent, by `response`; the members of the pools answer in any case."""
    response: SearchConfig = SearchConfig(
        seeds=1, pick_games=10_000, report_games=20_000, search=LookaheadConfig(games=0)
    )
    ppo: PPOConfig = PPOConfig(
        games=128, turns=32, minibatch=2048, learning_rate=2e-3, entropy=0.01, final_entropy=0.001, average=0.1
    )
    """Of our own algorithms; `decisions` is that of the benchmark."""
    league: OpponentsConfig = OpponentsConfig(
        learner=0.25, snapshots=0.75, style=6.0, blindness=0.4, snapshot_every=250_000
    )
    """Who sits in the other seats when the algorithm is `league`."""
    network: NetworkConfig = NetworkConfig()
    """Of every algorithm that learns."""


QUICK = ("seeds=1", "decisions=20_000", "games=400", "response.report_games=400", "ppo.games=8")
"""Changes with which each run takes seconds."""
