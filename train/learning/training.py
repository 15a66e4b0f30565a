"""A run of PPO in self-play: the games, the league of earlier versions, the learner, and what is saved on the way."""

from __future__ import annotations

import sys
from collections.abc import Callable
from multiprocessing import parent_process
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from tqdm import tqdm

from diamant_env.judging.games import seeds_for
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.pools import POOLS
from diamant_env.sb3 import DiamantVecEnv
from diamant_env.state import GAME
from train.learning.league import League, tables_of
from train.learning.self_play import SelfPlayPPO, layers_of
from train.runs.checkpoint import CHECKPOINT, State, check_like, load_checkpoint, save_checkpoint
from train.runs.config import MAX_DECISIONS, Config
from train.runs.networks import kept_start
from train.runs.report import CURVE, RunRecord


def train(
    config: Config,
    folder: Path,
    learner: type[SelfPlayPPO] = SelfPlayPPO,
    make_env: Callable[..., DiamantVecEnv] = DiamantVecEnv,
) -> NetworkAgent:
    """Train, or go on from the folder's checkpoint, and return the policy, which is also saved in the folder.

    Args:
        config: Of the run.
        folder: Of the run.
        learner: What learns.
        make_env: Makes the learning seats from the arguments of `DiamantVecEnv`.
    """
    torch.set_num_threads(config.threads)
    players, editions = tables_of(config)
    league = League(config.opponents, players, seeds_for(config.seed, "league"), editions, config.game.blank)
    env = make_env(
        config.ppo.games, players, editions, config.game.reward, league.agents, league.seating, config.game.blank
    )
    env.seed(int(seeds_for(config.seed, "games").generate_state(1)[0]))
    learning_seed = int(seeds_for(config.seed, "learning").generate_state(1)[0])
    model = learner(env, config.ppo, config.network, learning_seed)
    model.set_logger(configure(str(folder / "tensorboard"), ["tensorboard"]))
    callback = TrainingCallback(config, folder, league, model)
    saved = load_checkpoint(folder, config)
    if saved is not None:
        callback.restore(saved)
    elif config.start:
        network = kept_start(config, folder)
        model.start_from(network)
        league.add_snapshot(network)
    DiamantVecEnv(1, 2).play_once()  # compiles the engine before the clock starts
    start, before = perf_counter(), model.num_timesteps
    with tqdm(
        total=config.ppo.decisions,
        initial=before,
        unit=" decisions",
        unit_scale=True,
        desc="training",
        mininterval=0.1 if sys.stderr.isatty() else 30,
        disable=parent_process() is not None,  # the bars of workers would overwrite each other
    ) as callback.bar:
        if before < config.ppo.decisions:
            model.learn(config.ppo.decisions - before, callback=callback, reset_num_timesteps=saved is None)
        callback.bar.update(model.num_timesteps - callback.bar.n)
    return callback.finish(perf_counter() - start, model.num_timesteps - before)


class TrainingCallback(BaseCallback):
    """What happens between two rollouts: snapshots, averaging, the learning curve, checkpoints, the progress bar."""

    def __init__(self, config: Config, folder: Path, league: League, learner: SelfPlayPPO) -> None:
        super().__init__()
        self.config = config
        self.league = league
        self.learner = learner
        self.record = RunRecord(config, folder)
        self.bar = tqdm(disable=True)
        self.value_only = config.value_first * config.ppo.decisions if config.start else 0
        self.seen = 0
        self.next_snapshot = 0
        self.average: list[NDArray[np.float64]] = []
        self.averaged = 0

    def _on_rollout_start(self) -> None:
        done = self.learner.num_timesteps
        self.bar.update(done - self.bar.n)
        self.learner.let_policy_learn(done >= self.value_only)
        if done == self.seen:
            return
        self._add_to_average(done)
        if done >= self.next_snapshot:
            self.next_snapshot = done + self.config.opponents.snapshot_every
            self.league.add_snapshot(self.learner.network("snapshot"))
        if self.record.is_judgement_due(done):
            self._judge(done)
        if self.record.is_checkpoint_due(done):
            self._save(done)

    def _on_step(self) -> bool:
        return True

    def _add_to_average(self, done: int) -> None:
        """Average the policy's weights over the last part of the run, after `done` decisions."""
        self.seen = done
        if done < self.config.ppo.decisions * (1 - self.config.ppo.average):
            return
        weights = [array for layer in layers_of(self.learner.policy_modules()) for array in layer]
        self.averaged += 1
        if self.averaged == 1:
            self.average = [array.astype(np.float64) for array in weights]
        for mean, array in zip(self.average, weights, strict=True):
            mean += (array - mean) / self.averaged

    def policy(self) -> NetworkAgent:
        """Return the policy of the run so far."""
        if self.config.ppo.average == 0 or self.averaged == 0:
            return self.learner.network(self.config.name)
        weights = [mean.astype(np.float32) for mean in self.average]
        layers = list(zip(weights[::2], weights[1::2], strict=True))
        return NetworkAgent(layers, self.learner.activation, self.config.name, inputs=self.learner.inputs.name)

    def _judge(self, done: int) -> None:
        share = self.record.judge(self.policy(), done)
        self.bar.set_postfix({f"win share among {POOLS[0]}": f"{share:.3f}"})
        self.learner.logger.record("judge/win_share", share)

    def _save(self, done: int) -> None:
        self.record.save_checkpoint_policy(self.policy(), done)
        save_checkpoint(self.record.folder, self.config, self.state())

    def state(self) -> State:
        """Return all that a checkpoint holds."""
        policy = layers_of(self.learner.policy_modules())
        average = self.average or [np.zeros(array.shape) for layer in policy for array in layer]
        records = np.ascontiguousarray(self.learner.env.batch.games)
        return {
            "model": self.learner.training_state(),
            "games": {"records": records.view(np.uint8).reshape(len(records), -1), "layout": str(GAME.descr)},
            "league": self.league.state(policy),
            "progress": {
                "seen": self.seen,
                "next_snapshot": self.next_snapshot,
                "averaged": self.averaged,
                "checkpoints": self.record.checkpoints,
                "curve": self.record.curve,
            },
            "average": {str(number): array for number, array in enumerate(average)},
        }

    def restore(self, state: State) -> None:
        """Continue from a checkpoint; a ValueError names the place where it is not one of such a run."""
        model = self.learner
        try:
            check_like(state, self.state())
            progress = state["progress"]
            if state["model"]["num_timesteps"] > 2 * MAX_DECISIONS:
                raise ValueError(f"model/num_timesteps is more than {2 * MAX_DECISIONS:,}")
            for point in progress["curve"]:
                check_like(point, {"decisions": 0, **dict.fromkeys(CURVE, 0.0)}, "progress/curve")
            seen = model.env.restore(state["games"]["records"].view(GAME)[:, 0])
            model.restore_training(state["model"], seen)
            self.league.restore(state["league"], self.config.network)
        except (ValueError, TypeError, OverflowError) as error:  # numpy refuses a random state with any of these
            raise ValueError(f"{self.record.folder / CHECKPOINT} does not fit the run: {error}") from None
        for name in ("seen", "next_snapshot", "averaged"):
            setattr(self, name, progress[name])
        self.record.checkpoints, self.record.curve = progress["checkpoints"], progress["curve"]
        self.average = [state["average"][str(number)] for number in range(len(state["average"]))]

    def finish(self, seconds: float, decisions: int) -> NetworkAgent:
        """Save and return the policy of a run that made these decisions in these seconds; the checkpoint comes last."""
        model, done = self.learner, self.learner.num_timesteps
        if done != self.seen:
            self._add_to_average(done)
        seconds -= self.record.judging_seconds
        self.record.finish(self.policy(), done)
        if decisions:
            engine, opponents = model.env.engine_seconds / seconds, model.env.opponent_seconds / seconds
            threads = "1 thread" if self.config.threads == 1 else f"{self.config.threads} threads"
            how = f"{threads}; engine and observation {engine:.1%} of the time, opponents' inference {opponents:.1%}"
            self.record.save_time(seconds, decisions, how, engine_share=engine, opponents_share=opponents)
        self._save(done)  # a run that was killed before this does all of `finish` again
        return self.policy()
