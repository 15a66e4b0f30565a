"""Training run: loop around the learner with averaged weights, learning curve, checkpoints and TensorBoard."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import torch
from stable_baselines3.common.logger import configure

from diamant_env.commands.terminal import print_line
from diamant_env.evaluation.games import progress_bar, seeds_for
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.pools import POOLS
from diamant_env.sb3 import DiamantVecEnv
from diamant_env.storage.results import save_json
from train.league import League, LeagueLearner, tables_of
from train.ppo import Learner
from train.runs.arguments import CONFIGS, ConfigFile, Settings, optional, parse_arguments
from train.runs.averaging import WeightAverage
from train.runs.config import Config
from train.runs.evaluation import check_settings, curve_point, report_run, save_curve
from train.runs.run_folder import (
    CHECKPOINT,
    LAST,
    POLICY,
    TIME,
    Checkpoints,
    finished_policy,
    load_checkpoint,
    locked,
    new_run_folder,
    open_run_folder,
    read_json,
    save_checkpoint,
    save_policy,
)


class TrainingRun:
    """Training of a learner, resumed from the folder's checkpoint, if any."""

    def __init__(self, config: Config, folder: Path, learner: Learner) -> None:
        self.config, self.folder, self.learner = config, folder, learner
        self.checkpoints = Checkpoints(config, folder)
        self.logger = configure(str(folder / "tensorboard"), ["tensorboard"])
        self.curve: list[dict[str, float]] = []
        self.seconds = self.earlier = 0.0  # of learning in this process, and in those before it
        self.average = WeightAverage(config.ppo.average, config.ppo.decisions)

    def train(self, progress: bool = True) -> NetworkAgent:
        """Train to the end of the budget; return the policy, which is also saved in the folder."""
        with closing(self.logger):
            self.begin()
            self._learn(progress)
            return self.finish()

    def _learn(self, progress: bool) -> None:
        learner, ppo = self.learner, self.config.ppo
        with progress_bar(
            progress, total=ppo.decisions, initial=learner.decisions, unit=" decisions", desc="training", leave=True
        ) as bar:
            while learner.decisions < ppo.decisions:
                start = perf_counter()
                learner.learn()
                self.seconds += perf_counter() - start
                bar.update(learner.decisions - bar.n)
                for name, value in learner.log.items():
                    self.logger.record(f"train/{name}", value)
                self.logger.dump(learner.decisions)
                self.average.add(learner.network(), learner.decisions)
                if learner.decisions < ppo.decisions:
                    self.evaluate_if_due()
                    if self.checkpoints.saved < self.checkpoints.due(learner.decisions):
                        self.save()
                    if self.curve:
                        share, fair = self.curve[-1]["win_share"], 1 / self.config.evaluation_players
                        bar.set_postfix_str(f"wins {share:.3f} against {POOLS[0]}, fair {fair:.3f}", refresh=False)

    def begin(self) -> None:
        """Restore the folder's checkpoint, if any; a new run's learning curve begins with the untrained policy."""
        if saved := load_checkpoint(self.folder, self.config):
            self.restore(saved)
            if (self.folder / TIME).is_file():
                self.earlier = read_json(self.folder / TIME)["seconds"]
        if not self.curve:
            self.evaluate_if_due()

    def policy(self) -> NetworkAgent:
        """Return the policy so far, with averaged weights if averaging has begun."""
        return self.average.policy(self.learner.network(self.config.name))

    def evaluate_if_due(self) -> None:
        """Add a point to the learning curve when it is due, see `EvaluationConfig.curve_points`."""
        points, part = self.config.evaluation.curve_points, self.learner.decisions / self.config.ppo.decisions
        if points and len(self.curve) <= points * min(part, 1) ** 0.5:
            self.evaluate()

    def evaluate(self) -> None:
        """Add a point to the learning curve and save it."""
        self.curve.append({"decisions": self.learner.decisions, **curve_point(self.policy(), self.config)})
        save_curve(self.curve, self.config, self.folder)
        self.logger.record("eval/win_share", self.curve[-1]["win_share"])
        self.logger.dump(self.learner.decisions)

    def times(self) -> dict[str, Any]:
        done, seconds = self.learner.decisions, self.seconds + self.earlier
        speed = {"seconds": seconds, "decisions": done, "decisions_per_second": done / seconds}
        return {**speed, "threads": self.config.threads}

    def save(self) -> None:
        if self.seconds:
            save_json(self.times(), self.folder / TIME)
        self.checkpoints.save(self.policy(), self.learner.decisions)
        state = {"average": self.average.state(), "curve": self.curve, "learner": self.learner.state()}
        save_checkpoint(self.folder, self.config, state)

    def restore(self, state: dict[str, Any]) -> None:
        self.learner.restore(state["learner"])
        self.average.restore(state["average"])
        self.curve = state["curve"]
        self.checkpoints.saved = self.checkpoints.due(self.learner.decisions)

    def finish(self) -> NetworkAgent:
        done = self.learner.decisions
        if self.config.evaluation.curve_points and (not self.curve or self.curve[-1]["decisions"] < done):
            self.evaluate()
        self.save()
        if self.average.count:
            save_policy(self.folder / LAST, self.learner.network(), self.config, done)
        save_policy(self.folder / POLICY, self.policy(), self.config, done)  # last: it marks the run as finished
        if self.seconds:
            times = self.times()
            print_line(
                f"{done:,} decisions in {times['seconds']:.0f} s: {times['decisions_per_second']:,.0f} a second."
            )
        return self.policy()


def train(
    config: Config,
    folder: Path,
    learner: Callable[..., Learner] = LeagueLearner,
    progress: bool = True,
) -> NetworkAgent:
    """Train from scratch or from the folder's checkpoint; return the policy, which is also saved in the folder.

    `learner` takes the arguments of `LeagueLearner`.
    """
    torch.set_num_threads(config.threads)
    game, ppo = config.game, config.ppo
    players, editions = tables_of(config)
    league = League(config.opponents, players, seeds_for(config.seed, "league"))
    env = DiamantVecEnv(ppo.games, players, editions, game.reward, league.snapshots, league.seating)
    seed = int(seeds_for(config.seed, "learning").generate_state(1)[0])
    run = TrainingRun(config, folder, learner(env, ppo, config.network, seed, league))
    small = DiamantVecEnv(1, 2)  # compile before timing
    small.reset()
    small.play(np.zeros(2, np.int8))
    return run.train(progress)


@dataclass(frozen=True)
class Arguments:
    """Train a PPO agent by self-play and evaluate it against the scripted baselines."""

    settings: Settings[Config]
    config: ConfigFile = None
    """Configuration file, overridden by other options; by default configs/default.toml, for train.cluster
    configs/cluster.toml."""
    out: Path = Path("runs")
    """Parent of the run's folder."""
    resume: Annotated[Path | None, optional("FOLDER")] = None
    """Resume the run in this folder with its configuration."""
    evaluation: bool = True
    """Evaluate the agent at the end."""


def run_experiment(
    argv: Sequence[str] | None,
    command: str,
    default: Path = CONFIGS / "default.toml",
    train: Callable[[Any, Path], NetworkAgent] = train,
    check: Callable[[Config], None] = check_settings,
) -> None:
    """Parse the command line (`default` configuration), check the settings, train and report."""
    arguments = parse_arguments(Arguments, argv, command, default)
    config = open_run_folder(arguments.resume) if arguments.resume else arguments.settings
    check(config)
    folder = arguments.resume or new_run_folder(arguments.out, config)
    try:
        with locked(folder):
            done = finished_policy(folder, config)
            if arguments.resume and not done and not (folder / CHECKPOINT).is_file():
                print(f"{folder} has no {CHECKPOINT} yet: the run restarts", file=sys.stderr)
            network = done or train(config, folder)
            if arguments.evaluation:
                report_run(network, config, folder)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"resume with --resume {shlex.quote(str(folder))}") from None
    print_line(f"The run is in {folder}, its policy in {folder / POLICY}.")
