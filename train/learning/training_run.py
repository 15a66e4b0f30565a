"""Loop of a training run around its learner: averaged weights, learning curve, checkpoints, TensorBoard and time."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.logger import configure

from diamant_env.commands.terminal import say
from diamant_env.judging.games import progress_bar
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.pools import POOLS
from diamant_env.storage.results import save_json
from train.runs.config import Config
from train.runs.judging import curve_point, save_curve
from train.runs.run_folder import (
    POLICY,
    TIME,
    Checkpoints,
    load_checkpoint,
    read_json,
    save_checkpoint,
    save_policy,
)


class TrainingRun:
    """Training of a learner, resumed from the folder's checkpoint, if any.

    Args:
        config: Configuration of the run.
        folder: Folder of the run.
        learner: `train.ppo.Learner`.
    """

    def __init__(self, config: Config, folder: Path, learner: Any) -> None:
        self.config, self.folder, self.learner = config, folder, learner
        self.checkpoints = Checkpoints(config, folder)
        self.logger = configure(str(folder / "tensorboard"), ["tensorboard"])
        self.curve: list[dict[str, float]] = []
        self.seconds = self.earlier = 0.0  # of learning in this process, and in those before it
        self.averaged = 0
        self.average: list[NDArray[np.float64]] = []

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
                self.average_weights()
                if learner.decisions < ppo.decisions:
                    self.follow_up()
                    if self.curve:
                        share, fair = self.curve[-1]["win_share"], 1 / self.config.judged_players
                        bar.set_postfix_str(f"wins {share:.3f} against {POOLS[0]}, fair {fair:.3f}", refresh=False)

    def begin(self) -> None:
        """Restore the folder's checkpoint, if any; the learning curve of a new run begins before training."""
        if saved := load_checkpoint(self.folder, self.config):
            self.restore(saved)
            if (self.folder / TIME).is_file():
                self.earlier = read_json(self.folder / TIME)["seconds"]
        if not self.curve:
            self.judge_if_due()

    def average_weights(self) -> None:
        """Average the policy's weights over the last part of the run."""
        ppo = self.config.ppo
        if ppo.average == 0 or self.learner.decisions < ppo.decisions * (1 - ppo.average):
            return
        weights = [array.astype(np.float64) for layer in self.learner.network().weights() for array in layer]
        self.averaged += 1
        self.average = self.average or [np.zeros_like(array) for array in weights]
        for mean, array in zip(self.average, weights, strict=True):
            mean += (array - mean) / self.averaged

    def policy(self) -> NetworkAgent:
        """Return the policy of the run so far."""
        network = self.learner.network(self.config.name)
        if self.averaged == 0:
            return network
        weights = [mean.astype(np.float32) for mean in self.average]
        layers = list(zip(weights[::2], weights[1::2], strict=True))
        return NetworkAgent(layers, network.activation, network.name, inputs=network.inputs)

    def follow_up(self) -> None:
        """Evaluate or save a checkpoint, as due between two rollouts."""
        self.judge_if_due()
        if self.checkpoints.saved < self.checkpoints.due(self.learner.decisions):
            self.save()

    def judge_if_due(self) -> None:
        """Add a point to the learning curve when it is due, see `JudgeConfig.curve_points`."""
        points, part = self.config.judge.curve_points, self.learner.decisions / self.config.ppo.decisions
        if points and len(self.curve) <= points * min(part, 1) ** 0.5:
            self.judge()

    def judge(self) -> None:
        """Add a point to the learning curve and save it."""
        self.curve.append({"decisions": self.learner.decisions, **curve_point(self.policy(), self.config)})
        save_curve(self.curve, self.config, self.folder)
        self.logger.record("judge/win_share", self.curve[-1]["win_share"])
        self.logger.dump(self.learner.decisions)

    def times(self) -> dict[str, Any]:
        """Return seconds and throughput so far."""
        done, seconds = self.learner.decisions, self.seconds + self.earlier
        speed = {"seconds": seconds, "decisions": done, "decisions_per_second": done / seconds}
        return {**speed, "threads": self.config.threads}

    def save(self) -> None:
        """Save the policy, the state of the run and its time."""
        if self.seconds:
            save_json(self.times(), self.folder / TIME)
        self.checkpoints.save(self.policy(), self.learner.decisions)
        state = {name: getattr(self, name) for name in ("averaged", "average", "curve")}
        save_checkpoint(self.folder, self.config, {**state, "learner": self.learner.state()})

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a checkpoint."""
        self.learner.restore(state["learner"])
        for name in ("averaged", "average", "curve"):
            setattr(self, name, state[name])
        self.checkpoints.saved = self.checkpoints.due(self.learner.decisions)

    def finish(self) -> NetworkAgent:
        """Save and return the policy."""
        done = self.learner.decisions
        if self.config.judge.curve_points and (not self.curve or self.curve[-1]["decisions"] < done):
            self.judge()
        self.save()
        save_policy(self.folder / POLICY, self.policy(), self.config, done)  # last: it marks the run as finished
        if self.seconds:
            found = self.times()
            say(f"{done:,} decisions in {found['seconds']:.0f} s: {found['decisions_per_second']:,.0f} a second.")
        return self.policy()
