"""What the responders find where the gain of a best response is known exactly: one expedition in score."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from diamant_env.judging.deviation import DeviationGain, DeviationGame
from diamant_env.judging.games import Player
from diamant_env.judging.intervals import Estimate
from train.benchmarking.benchmark_run import exploitability
from train.benchmarking.suite import TASKS
from train.learning.training import train
from train.responding.config import SearchConfig
from train.responding.result import ResponseResult, report
from train.responding.search import response_runs
from train.runs.config import Config, JudgeConfig, PPOConfig

SCRIPTED = ("ev:0.75", "bag:18", "random:0.2")
LEARNED = {"PPO, 100 thousand decisions": 100_000, "PPO, 1 million decisions": 1_000_000}
"""Policies that learned by self-play, early and late, by their decisions."""
_PPO = PPOConfig(
    games=128, turns=32, minibatch=2048, learning_rate=2e-3, entropy=0.01, final_entropy=0.001, reward_scale=1 / 16
)


def learned(decisions: int, players: int, seed: int) -> Player:
    """Return a policy that learned so long by self-play in the expedition."""
    ppo = _PPO.model_copy(update={"decisions": decisions, "average": 0.1})
    game, judge = TASKS[f"expedition-{players}"].game, JudgeConfig(curve_points=0)
    with TemporaryDirectory() as folder:
        config = Config(name="validation", seed=seed, threads=1, game=game, ppo=ppo, judge=judge)
        return train(config, Path(folder))


def validate(agent: Player, name: str, players: int, config: SearchConfig) -> dict[str, Any]:
    """Return what each kind of responder gains against copies of an agent, and what a best response does, in gems."""
    began, task = perf_counter(), TASKS[f"expedition-{players}"]
    true = exploitability(agent, task, isinstance(agent, str))["exploitability"]  # scripted agents count traps
    game = DeviationGame(agent, players, task.game.played(), "score", blank_rivals=True)
    with TemporaryDirectory() as folder:
        runs = response_runs(game, config, Path(folder))
        for run in runs:
            run.finish()
        found = gains_found(report(runs, game, config))
    return {"players": players, "agent": name, "exact": true, "found": found, "seconds": perf_counter() - began}


def gains_found(result: ResponseResult) -> dict[str, Estimate]:
    """Return the gain of the best of each kind of responder, with an interval that holds for all of its kind."""
    kinds: dict[str, list[DeviationGain]] = {
        "scripted": result.members,
        "PPO from scratch": [gain for gain in result.searched if "scratch" in gain.player],
        "PPO from the agent": [gain for gain in result.searched if "warm" in gain.player],
        "search": [] if result.lookahead is None else [result.lookahead.summed],
    }
    return {
        kind: max(gains, key=lambda each: each.gain.mean).among(len(gains)) for kind, gains in kinds.items() if gains
    }
