"""Train a PPO agent by self-play and judge it: ``python -m train.ppo --config configs/default.toml``.

Read `train` from top to bottom: games, league, PPO, the loop; `train.runs.command_line` has the command around it. A run
that was killed goes on with ``--resume RUN_FOLDER`` and ends with the same bytes as if nothing had happened.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from agents.command import run_command
from diamant_env.judging.games import seeds_for
from diamant_env.judging.limits import MAX_DECISIONS
from diamant_env.opponents.network import NetworkAgent
from diamant_env.rules import GAME
from diamant_env.sb3 import DiamantVecEnv
from train.learning.league import League, tables_of
from train.learning.networks import start_of
from train.learning.self_play import SelfPlayPPO
from train.runs.checkpoint import CHECKPOINT, State, check_like, load_checkpoint, save_checkpoint
from train.runs.command_line import run_experiment
from train.runs.config import Config
from train.runs.report import CURVE, curve_point, draw_curve
from train.runs.results import save_json
from train.runs.run_folder import POLICY, START, save_policy
from train.runs.screen import say

COMMAND = "python -m train.ppo"


def main(argv: list[str] | None = None) -> int:
    """Run from the command line; return the exit status."""
    return run_command(COMMAND, lambda: run_experiment(argv, COMMAND, Config, Path("configs/default.toml"), train))


def train(config: Config, folder: Path) -> NetworkAgent:
    """Train, or go on from the folder's checkpoint, and return the policy, which is also saved in the folder.

    Raises:
        ValueError: If the checkpoint is damaged, or the network that the run starts from (see `start_of`).
    """
    torch.set_num_threads(config.threads)
    threadpool_limits(1, "blas")  # the snapshots' small products lose by more
    players, editions = tables_of(config)
    league = League(config.opponents, players, seeds_for(config.seed, "league"))
    env = DiamantVecEnv(config.ppo.games, players, editions, config.game.reward, league.agents, league.seating)
    env.seed(int(seeds_for(config.seed, "games").generate_state(1)[0]))
    learning_seed = int(seeds_for(config.seed, "learning").generate_state(1)[0])
    model = SelfPlayPPO(env, config.ppo, config.network, learning_seed)
    model.set_logger(configure(str(folder / "tensorboard"), ["tensorboard"]))
    course = Course(config, folder, league)
    saved = load_checkpoint(folder, config)
    if saved is not None:
        course.restore(saved, model)
    elif config.start:
        network = kept_start(config, folder)
        model.start_from(network)
        league.add_snapshot(network)
    left = config.ppo.decisions - model.num_timesteps
    DiamantVecEnv(1, 2).play_once()  # compiles the engine, so that the timers see none of it
    start = perf_counter()
    before = model.num_timesteps
    if left > 0:
        with course.bar(model):
            model.learn(left, callback=course, reset_num_timesteps=saved is None)
            course.progress.update(model.num_timesteps - course.progress.n)
    course.finish(model, perf_counter() - start, model.num_timesteps - before)
    return course.policy(model)


def kept_start(config: Config, folder: Path) -> NetworkAgent:
    """Return the network that the run starts from, and keep it in the run's folder, which then holds all of the run."""
    if not (folder / START).is_file():
        save_policy(folder / START, start_of(config), config, 0)
    return NetworkAgent.load(folder / START)


def games_state(games: NDArray[np.record]) -> State:
    """Return games as a checkpoint holds them: the bytes of each record, and what they mean."""
    records = np.ascontiguousarray(games)
    return {"records": records.view(np.uint8).reshape(len(records), -1), "layout": str(np.dtype(GAME).descr)}


def check_curve(curve: list[Any]) -> None:
    """Raise a ValueError if this is no learning curve."""
    for point in curve:
        if not isinstance(point, dict) or set(point) != {"decisions", *CURVE}:
            raise ValueError("course/curve has a point without one of decisions, " + ", ".join(CURVE))
        if not all(type(value) in (int, float) for value in point.values()):
            raise ValueError("course/curve has a point that is no number")


class Course(BaseCallback):
    """What happens along the run: snapshots, averaging, checkpoints, the learning curve, the progress bar."""

    def __init__(self, config: Config, folder: Path, league: League) -> None:
        super().__init__()
        self.config = config
        self.folder = folder
        self.league = league
        self.value_only = config.value_first * config.ppo.decisions if config.start else 0
        self.seen = 0
        self.next_snapshot = 0
        self.checkpoints = 0
        self.curve: list[dict[str, float]] = []
        self.average: list[np.ndarray] = []
        self.averaged = 0
        self.judging_seconds = 0.0

    def bar(self, model: SelfPlayPPO) -> tqdm:
        """Return the progress bar, in decisions."""
        total, done = self.config.ppo.decisions, model.num_timesteps
        self.progress = tqdm(total=total, initial=done, unit=" decisions", unit_scale=True, desc="training")
        return self.progress

    def _on_rollout_start(self) -> None:
        """Between two rollouts: everything that a checkpoint holds is at rest here."""
        done = self.model.num_timesteps
        self.progress.update(done - self.progress.n)
        self.model.let_policy_learn(done >= self.value_only)
        if done == self.seen:
            return
        self._add_to_average(done)
        if done >= self.next_snapshot:
            self.next_snapshot = done + self.config.opponents.snapshot_every
            self.league.add_snapshot(self.model.network("snapshot"))
        if len(self.curve) < done * self.config.judge.curve_points // self.config.ppo.decisions:
            self._add_to_curve(done)
        if self.checkpoints < done * self.config.checkpoints // self.config.ppo.decisions:
            self._save(done)

    def _on_step(self) -> bool:
        return True

    def _add_to_average(self, done: int) -> None:
        """Average the policy's weights over the last part of the run; `done` decisions are seen now."""
        self.seen = done
        if done < self.config.ppo.decisions * (1 - self.config.ppo.average):
            return
        weights = [array for layer in self.model.policy_layers() for array in layer]
        self.averaged += 1
        if self.averaged == 1:
            self.average = [array.astype(np.float64) for array in weights]
        for mean, array in zip(self.average, weights, strict=True):
            mean += (array - mean) / self.averaged

    def policy(self, model: SelfPlayPPO) -> NetworkAgent:
        """Return the policy of the run so far."""
        if self.config.ppo.average == 0 or self.averaged == 0:
            return model.network(self.config.name)
        weights = [mean.astype(np.float32) for mean in self.average]
        return NetworkAgent(list(zip(weights[::2], weights[1::2], strict=True)), model.activation, self.config.name)

    def _add_to_curve(self, done: int) -> None:
        start = perf_counter()
        point = curve_point(self.policy(self.model), self.config)
        self.judging_seconds += perf_counter() - start
        self.curve.append({"decisions": done, **point})
        self.progress.set_postfix({"win share": f"{point['win_share']:.3f}"})
        self.model.logger.record("judge/win_share", point["win_share"])

    def _save(self, done: int) -> None:
        self.checkpoints = done * self.config.checkpoints // self.config.ppo.decisions
        path = self.folder / "checkpoints" / f"{done:010d}.safetensors"
        save_policy(path, self.policy(self.model), self.config, done)
        save_checkpoint(self.folder, self.config, self.state(self.model))

    _kept = ("seen", "next_snapshot", "checkpoints", "curve", "averaged")

    def state(self, model: SelfPlayPPO) -> State:
        """Return all that a checkpoint holds."""
        policy = model.policy_layers()
        average = self.average or [np.zeros(array.shape) for layer in policy for array in layer]
        return {
            "model": model.training_state(),
            "games": games_state(model.env.batch.games),
            "league": self.league.state(policy),
            "course": {name: getattr(self, name) for name in self._kept},
            "average": {str(number): array for number, array in enumerate(average)},
        }

    def restore(self, state: State, model: SelfPlayPPO) -> None:
        """Continue from a checkpoint.

        Raises:
            ValueError: If it is not one of such a run; the message names the place.
        """
        try:
            check_like(state, self.state(model))
            if state["model"]["num_timesteps"] > 2 * MAX_DECISIONS:
                raise ValueError(f"model/num_timesteps is more than {2 * MAX_DECISIONS:,}")
            check_curve(state["course"]["curve"])
            seen = model.env.restore(state["games"]["records"].view(GAME)[:, 0])
            model.restore_training(state["model"], seen)
            self.league.restore(state["league"], model.activation)
        except (ValueError, TypeError, OverflowError) as error:  # numpy refuses a random state with any of these
            raise ValueError(f"{self.folder / CHECKPOINT} does not fit the run: {error}") from None
        for name in self._kept:
            setattr(self, name, state["course"][name])
        self.average = [state["average"][str(number)] for number in range(len(state["average"]))]

    def finish(self, model: SelfPlayPPO, seconds: float, decisions: int) -> None:
        """Save the policy, the learning curve and where the time went."""
        self.model = model
        done = model.num_timesteps
        if done != self.seen:
            self._add_to_average(done)
        if self.config.judge.curve_points and (not self.curve or self.curve[-1]["decisions"] < done):
            self.progress = tqdm(disable=True)
            self._add_to_curve(done)
        save_policy(self.folder / POLICY, self.policy(model), self.config, done)
        save_json(self.curve, self.folder / "curve.json")
        draw_curve(self.curve, self.config, self.folder / "learning_curve.png")
        times = self._times(model, seconds - self.judging_seconds, decisions) if decisions else None
        self._save(done)  # last: a run that was killed before it does all this again
        if times is not None:
            self._report(times)

    def _times(self, model: SelfPlayPPO, seconds: float, decisions: int) -> dict[str, Any]:
        """Save where the time went, and return it."""
        env = model.env
        times = {
            "seconds": seconds,
            "decisions": decisions,
            "decisions_per_second": decisions / seconds,
            "engine_share": env.engine_seconds / seconds,
            "opponents_share": env.opponent_seconds / seconds,
            "rollout_share": model.rollout_seconds / seconds,
            "threads": self.config.threads,
        }
        save_json(times, self.folder / "time.json")
        return times

    def _report(self, times: dict[str, Any]) -> None:
        threads = "1 thread" if self.config.threads == 1 else f"{self.config.threads} threads"
        speed = f"{times['decisions_per_second']:,.0f} a second with {threads}"
        say(
            f"{times['decisions']:,} decisions in {times['seconds']:.0f} s: {speed}; engine and observation "
            f"{times['engine_share']:.1%} of the time, opponents' inference {times['opponents_share']:.1%}."
        )


if __name__ == "__main__":
    warnings.filterwarnings("ignore", message="The `render_mode` attribute is not defined")
    sys.exit(main())
