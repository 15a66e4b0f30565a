"""Distributed training on Ray: ``python -m train.cluster --config configs/cluster.toml``, see docs/training.md.

The run is that of `train.ppo`, except that remote runners play the rollouts. `map_on_ray` distributes benchmark runs.
"""

from __future__ import annotations

import importlib.util
import os
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch

from diamant_env.commands.terminal import run_command
from diamant_env.evaluation.games import seeds_for
from diamant_env.opponents.network import Layers, NetworkAgent
from diamant_env.sb3 import DiamantVecEnv
from train.league import League, LeagueLearner, tables_of
from train.ppo import Samples
from train.runs.arguments import CONFIGS
from train.runs.config import Config
from train.runs.evaluation import check_run
from train.runs.training_run import run_experiment
from train.runs.training_run import train as train_learner

COMMAND = "python -m train.cluster"
Job = TypeVar("Job")
Result = TypeVar("Result")


class Runner:
    """Rollout worker: plays a share of the games with the learner's policy; a restarted one begins new games."""

    def __init__(self, config: Config, number: int) -> None:
        torch.set_num_threads(1)
        self.config, self.number = config, number
        self.learner: LeagueLearner | None = None

    def begin(self, decisions: int) -> LeagueLearner:
        """Return a learner with new games, whose seeds are unique to the runner and `decisions`."""
        config, game = self.config, self.config.game
        league_seed, learner_seed = seeds_for(config.seed, "runner", self.number, decisions).spawn(2)
        all_players, all_editions = tables_of(config)
        players = all_players[self.number :: config.runners]
        editions = all_editions[self.number :: config.runners]
        self.league = League(config.opponents, players, league_seed)
        env = DiamantVecEnv(len(players), players, editions, game.reward, self.league.snapshots, self.league.seating)
        return LeagueLearner(env, config.ppo, config.network, int(learner_seed.generate_state(1)[0]))

    def rollout(self, decisions: int, policy: dict[str, Any], networks: Sequence[Layers | None]) -> tuple[Samples, int]:
        """Play a rollout, `decisions` into the run; return the decisions with known outcome and their total number."""
        learner = self.learner = self.learner or self.begin(decisions)
        learner.policy.load_state_dict(policy)
        self.league.seat_networks(list(networks), self.config.network)
        learner.decisions = decisions
        samples = learner.rollout()
        return samples, learner.decisions - decisions

    def pid(self) -> int:
        return os.getpid()


class ClusterLearner(LeagueLearner):
    """Learner with remote rollouts; its own environment is unused."""

    def __init__(self, config: Config, *arguments: Any) -> None:
        super().__init__(*arguments)
        join_cluster(config.runners)
        import ray

        runner: Any = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1)(Runner)
        self.runners = [runner.remote(config, number) for number in range(config.runners)]

    def rollout(self) -> Samples:
        import ray

        self.entropy_weight = self.scheduled(self.config.entropy, self.config.final_entropy)
        assert self.league is not None
        arguments = ray.put(self.policy.state_dict()), ray.put(self.league.networks())
        rollouts = ray.get([runner.rollout.remote(self.decisions, *arguments) for runner in self.runners])
        self.decisions += sum(decisions for _, decisions in rollouts)
        return Samples(*(np.concatenate(parts) for parts in zip(*(samples for samples, _ in rollouts), strict=True)))


def train(config: Config, folder: Path) -> NetworkAgent:
    return train_learner(config, folder, partial(ClusterLearner, config))


def require_ray() -> None:
    if importlib.util.find_spec("ray") is None:
        raise ValueError(
            "Ray is not installed in this environment: "
            'pip install -c constraints.txt -e ".[train,distributed]", preferably in a separate venv'
        )


def join_cluster(cores: int = 0) -> None:
    """Join the cluster of ``RAY_ADDRESS`` or of ``ray start`` on this machine, else start a local one.

    Warn if it has fewer than `cores`. A ``host:port`` that does not answer is an error, where Ray would retry for
    minutes.
    """
    require_ray()
    import ray

    host, _, port = os.environ.get("RAY_ADDRESS", "").rpartition(":")
    if not ray.is_initialized():
        if host and "/" not in host and port.isdigit():
            try:
                socket.create_connection((host, int(port)), timeout=10).close()
            except OSError as error:
                raise ConnectionError(f"no Ray cluster answers at RAY_ADDRESS={host}:{port}: {error}") from None
        ray.init(logging_level="ERROR", log_to_driver=False)
    available = ray.cluster_resources().get("CPU", 0)
    if available < cores:
        print(f"{cores} cores are required, the cluster has {available:.0f}: waiting for more", file=sys.stderr)


def map_on_ray(function: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
    """Map a function over jobs as parallel tasks on the cluster; yield the results in order.

    Jobs of dead processes or machines are retried. The function and the classes of jobs and results must be importable
    on all machines; see docs/training.md.
    """
    join_cluster()
    import ray

    task = ray.remote(function)
    for reference in [task.remote(job) for job in jobs]:
        try:
            result = ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None
        yield result


def main(argv: Sequence[str] | None = None) -> int:
    def run() -> None:
        require_ray()
        run_experiment(argv, COMMAND, CONFIGS / "cluster.toml", train, check_run)

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
