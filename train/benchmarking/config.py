"""Configuration of the benchmark."""

from __future__ import annotations

from pydantic import Field

from train.responding.config import IterationConfig, SearchConfig
from train.runs.config import Count, Decisions, Games, NetworkConfig, Number, PPOConfig, Run


class BenchmarkConfig(Run):
    """Budgets, numbers of games and training settings."""

    name: str = Field("benchmark", pattern=r"^[\w.-]+$", max_length=200)
    decisions: Decisions = 1_000_000
    """Decisions of learning seats in a run; idle seats don't count."""
    rows: Count = 256
    """Learning seats that play in parallel in all learning algorithms."""
    checkpoints: Number = 8
    """Maximum number of evenly spaced points of a learning curve; tasks with slow evaluations have fewer."""
    exact_players: int = Field(5, ge=1, le=5)
    """Maximum table size for exact exploitability, which takes a minute per policy at five players."""
    exact_two_player: bool = True
    """Whether seed 0 has an exact NashConv in a full game of two players; slow, see `benchmark.evaluate`."""
    games: Games = 10_000
    """Games of each run at tables of held-out agents."""
    response: SearchConfig = SearchConfig(
        seeds=1,
        checkpoints=5,
        selection_games=2_000,
        test_games=10_000,
        ppo=PPOConfig(decisions=500_000, games=200, turns=32, minibatch=2048, learning_rate=2e-3, entropy=0.01),
        values=IterationConfig(self_play=6_000, paths=2_000, minibatches=500),
    )
    """Best-response search of each run in the full game, smaller than the default of `train.best_response`.

    It has as many fits of value iteration as `Algorithm.fits`; `seeds` counts the runs of PPO."""
    network: NetworkConfig = NetworkConfig()
    """Network of all learning algorithms."""
