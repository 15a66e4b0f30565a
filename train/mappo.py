"""MAPPO (Yu et al. 2022) of BenchMARL, whose venv docs/benchmark.md describes: a centralised critic for all seats."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from tempfile import TemporaryDirectory
from typing import Any

import torch
from benchmarl.algorithms import Mappo, MappoConfig
from benchmarl.experiment import Callback, Experiment, ExperimentConfig
from benchmarl.models.common import Model
from benchmarl.models.mlp import MlpConfig
from numpy.typing import NDArray
from tensordict import TensorDictBase

from diamant_env.opponents.network import NetworkAgent
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.suite import Task
from train.benchmarl_games import SEATS, DiamantTask
from train.learning.self_play import ACTIVATIONS

ROWS = 1024  # seats side by side, about
TURNS = 32  # of each game in a rollout
MINIBATCHES = 8  # of a rollout
_FOREVER = 10**9  # rollouts; `Budget` ends the run


class LeanMappo(Mappo):
    """MAPPO that forgets what came next once the advantages are known: half of the time went into copies of it."""

    def process_batch(self, group: str, batch: TensorDictBase) -> TensorDictBase:
        """See `Mappo.process_batch`."""
        return super().process_batch(group, batch).exclude("next")


class LeanMappoConfig(MappoConfig):
    """Of `LeanMappo`."""

    @staticmethod
    def associated_class() -> type[Mappo]:
        """See `MappoConfig.associated_class`."""
        return LeanMappo


class CriticConfig(MlpConfig):
    """One critic for all seats that values each by its own state; the library's shared one has one value for all."""

    def get_model(self, **options: Any) -> Model:
        """See `MlpConfig.get_model`."""
        return super().get_model(**options | {"input_has_agent_dim": True, "centralised": False, "share_params": True})


class BudgetIsUsedUp(BaseException):
    """No `Exception`, which BenchMARL takes for a failure."""


class Budget(Callback):
    """Ends the run after the rollout in which the last of so many decisions is made."""

    def __init__(self, decisions: int) -> None:
        super().__init__()
        self.left = decisions

    def on_batch_collected(self, batch: TensorDictBase) -> None:
        """Count who may leave: the others decide nothing."""
        self.left -= int(batch[SEATS, "action_mask"][..., 1].sum())

    def on_train_end(self, training_td: TensorDictBase, group: str) -> None:
        """End the run."""
        if self.left <= 0:
            raise BudgetIsUsedUp


def learn(task: Task, config: BenchmarkConfig, seed: int) -> NetworkAgent:
    """Train by self-play with shared parameters until the decisions are used up; return the policy."""
    torch.set_num_threads(config.threads)
    shape = {
        "num_cells": list(config.network.hidden),
        "layer_class": torch.nn.Linear,
        "activation_class": ACTIVATIONS[config.network.activation],
    }
    with TemporaryDirectory() as folder, _quiet():
        experiment = Experiment(
            task=DiamantTask("diamant", {"task": task}),
            algorithm_config=_algorithm(),
            model_config=MlpConfig(**shape),
            critic_model_config=CriticConfig(**shape),
            seed=seed,
            config=_settings(task, config.decisions, folder),
            callbacks=[Budget(config.decisions)],
        )
        try:
            experiment.run()
        except BudgetIsUsedUp:
            experiment.close()
    return NetworkAgent(_layers(experiment), config.network.activation)


def _algorithm() -> MappoConfig:
    return LeanMappoConfig(
        share_param_critic=False,  # see CriticConfig
        clip_epsilon=0.2,
        entropy_coef=0.01,
        critic_coef=0.5,
        loss_critic_type="l2",
        lmbda=0.95,
        scale_mapping="biased_softplus_1.0",
        use_tanh_normal=False,
        minibatch_advantage=False,
    )


def _settings(task: Task, decisions: int, folder: str) -> ExperimentConfig:
    """Return the library's settings; a budget of less than a rollout has shorter ones."""
    games = ROWS // task.players
    frames = games * max(1, min(TURNS, decisions // ROWS))
    settings = ExperimentConfig.get_from_yaml()
    settings.loggers, settings.create_json, settings.evaluation, settings.render = [], False, False, False
    settings.save_folder, settings.evaluation_episodes = folder, 1
    settings.max_n_frames, settings.max_n_iters = None, _FOREVER
    settings.gamma, settings.lr = 1.0, 5e-4
    settings.on_policy_n_envs_per_worker = games
    settings.on_policy_collected_frames_per_batch = frames
    settings.on_policy_minibatch_size = frames // MINIBATCHES
    settings.on_policy_n_minibatch_iters = 4
    return settings


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the library's own progress bar, which knows no end, off the terminal."""
    logger = logging.getLogger("torchrl")
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        with redirect_stderr(StringIO()):
            yield
    finally:
        logger.setLevel(level)


def _layers(experiment: Experiment) -> list[tuple[NDArray, NDArray]]:
    """Return a copy of weight and bias of each layer of the policy, as `NetworkAgent` wants them."""
    layers = experiment.group_policies[SEATS][0].mlp.params
    names = sorted(layers.keys(), key=int)
    return [tuple(layers[name, part].detach().numpy().copy() for part in ("weight", "bias")) for name in names]
