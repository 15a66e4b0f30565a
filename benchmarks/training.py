"""Which share of PPO's wall time the engine takes, by the timers of `DiamantVecEnv`."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import torch
from stable_baselines3 import PPO

from benchmarks.measure import Speed
from benchmarks.results import Comparison, alone
from diamant_env.sb3 import DiamantVecEnv
from train.learning.self_play import SelfPlayPPO
from train.runs.config import NetworkConfig, PPOConfig


@dataclass(frozen=True)
class Run:
    """One training: its wall time and that of the engine in seconds, and the rows (or decisions) learned from."""

    wall: float
    engine: float
    rows: int


def compare_training(repeats: int, rollouts: int, games: int, turns: int = 64) -> list[Comparison]:
    """Plain PPO of stable-baselines3 and the project's own, which drops the turns without a decision."""
    torch.set_num_threads(1)
    DiamantVecEnv(1, 2).play_once()  # compiles the engine before a timer runs
    rows = []
    for name, train in (("PPO of stable-baselines3", _plain), ("train.ppo", _on_decisions)):
        runs = [train(DiamantVecEnv(games, 4), rollouts, turns) for _ in range(repeats)]
        shares = Speed(tuple(run.engine / run.wall for run in runs))
        rates = Speed(tuple(run.rows / run.wall for run in runs))
        rows.append(alone("training, one thread", f"{name}: engine and observation", "share of the time", shares))
        rows.append(alone("training, one thread", name, "rows/s", rates))
    return rows


def _plain(env: DiamantVecEnv, rollouts: int, turns: int) -> Run:
    rows = turns * env.num_envs
    model = PPO(
        "MlpPolicy", env, n_steps=turns, batch_size=min(4000, rows), n_epochs=4, gamma=1.0, device="cpu", seed=0
    )
    return _timed(model, env, rollouts * rows)


def _on_decisions(env: DiamantVecEnv, rollouts: int, turns: int) -> Run:
    config = PPOConfig(games=env.num_envs, turns=turns, decisions=max(1, rollouts * turns * env.num_envs // 2))
    return _timed(SelfPlayPPO(env, config, NetworkConfig(), 0), env, config.decisions)


def _timed(model: PPO, env: DiamantVecEnv, rows: int) -> Run:
    env.engine_seconds = 0.0
    start = perf_counter()
    model.learn(rows)
    return Run(perf_counter() - start, env.engine_seconds, model.num_timesteps)
