"""Which share of the wall time of PPO the engine takes, by its timers and beside an environment that does nothing."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from time import perf_counter, process_time

import torch
from stable_baselines3 import PPO

from benchmarks.idle_env import IdleVecEnv
from benchmarks.results import Comparison
from diamant_env.sb3 import DiamantVecEnv
from train.learning.self_play import SelfPlayPPO
from train.runs.config import NetworkConfig, PPOConfig

LIMIT = 0.05  # of the wall time


@dataclass(frozen=True)
class Run:
    """One training: wall and CPU seconds, those of the engine by its timers, and rows (or decisions) learned from."""

    wall: float
    cpu: float
    engine: float
    rows: int


def compare_training(repeats: int, rollouts: int, games: int, turns: int = 64) -> list[Comparison]:
    """Plain PPO of stable-baselines3 and the project's own, each with the engine and with the idle environment."""
    torch.set_num_threads(1)
    DiamantVecEnv(1, 2).play_once()  # compiles the engine, so that no timer sees it
    rows = []
    for name, run in (("SB3 PPO", _plain), ("train's PPO on decisions", _on_decisions)):
        runs: dict[type, list[Run]] = {DiamantVecEnv: [], IdleVecEnv: []}
        for repeat in range(repeats):
            # They take turns at being first too: what slows the machine down hits both.
            for kind in list(runs)[:: 1 if repeat % 2 == 0 else -1]:
                runs[kind].append(run(kind(games, 4), rollouts, turns))
        rows += _rows(name, runs[DiamantVecEnv], runs[IdleVecEnv])
    return rows


def _rows(name: str, true: list[Run], idle: list[Run]) -> list[Comparison]:
    section = "share of the wall time in engine and observation"
    timed = statistics.median(run.engine / run.wall for run in true)
    rate = statistics.median(run.rows / run.wall for run in true)
    more = {"true": true, "idle": idle}
    return [
        Comparison(section, f"{name}, by timers", "share", timed, "limit", LIMIT, timed / LIMIT, 1.0, True, more),
        *(_beside_idle(section, f"{name}, {clock} time", clock, true, idle) for clock in ("wall", "cpu")),
        Comparison("training speed, one thread", name, "rows/s", rate),
    ]


def _beside_idle(section: str, what: str, clock: str, true: list[Run], idle: list[Run]) -> Comparison:
    """What is missing beside the idle environment, by wall or CPU time; `more` says how far the repeats lie apart."""
    # Per row, since the idle environment may show a few decisions more or less.
    shares = [
        1 - (getattr(other, clock) / other.rows) / (getattr(run, clock) / run.rows)
        for run, other in zip(true, idle, strict=True)
    ]
    more = {"repeats": shares, "spread": max(shares) - min(shares)}
    return Comparison(section, f"{what} beside an idle environment", "share", statistics.median(shares), more=more)


def notes_on_spread(rows: list[Comparison]) -> list[str]:
    """Say of which differences the repeats lie further apart than the difference itself."""
    return [
        f"{row.what}: {row.ours:.3f}, but the repeats lie {row.more['spread']:.3f} apart, more than that: "
        "it neither confirms nor refutes the timers"
        for row in rows
        if row.more.get("spread", 0) > abs(row.ours)
    ]


def _plain(env: DiamantVecEnv, rollouts: int, turns: int) -> Run:
    """PPO of stable-baselines3 as it is: every row counts, idle seats too."""
    rows = turns * env.num_envs
    model = PPO(
        "MlpPolicy", env, n_steps=turns, batch_size=min(4000, rows), n_epochs=4, gamma=1.0, device="cpu", seed=0
    )
    return _timed(model, env, rollouts * rows)


def _on_decisions(env: DiamantVecEnv, rollouts: int, turns: int) -> Run:
    """The project's own PPO, which drops the turns without a decision."""
    config = PPOConfig(games=env.num_envs, turns=turns, decisions=max(1, rollouts * turns * env.num_envs // 2))
    return _timed(SelfPlayPPO(env, config, NetworkConfig(), 0), env, config.decisions)


def _timed(model: PPO, env: DiamantVecEnv, rows: int) -> Run:
    env.engine_seconds = 0.0
    start, used = perf_counter(), process_time()
    model.learn(rows)
    return Run(perf_counter() - start, process_time() - used, env.engine_seconds, model.num_timesteps)
