"""Algorithms of stable-baselines3 and sb3-contrib in self-play: A2C and MaskablePPO."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from diamant_env.opponents.inputs import INPUTS, Inputs
from diamant_env.opponents.models.export import layers_of
from diamant_env.opponents.network import NetworkAgent
from diamant_env.sb3 import DiamantVecEnv
from train.league import vec_env_of
from train.ppo import ACTIVATIONS
from train.runs.averaging import WeightAverage
from train.runs.config import Config, PPOConfig
from train.runs.run_folder import Checkpoints

_IDLE = 3  # bound on rows per decision, since stable-baselines3 counts idle rows


class Transformed(VecEnvWrapper):
    """Wrapper with the inputs of `diamant_env.opponents.inputs` and scaled rewards.

    Rows in camp have inputs too, for bootstrapping; with hidden rivals these are 0.
    """

    def __init__(self, env: DiamantVecEnv, inputs: Inputs, scale: float = 1.0) -> None:
        super().__init__(env, observation_space=inputs.space)
        self.inputs, self.scale = inputs, np.float32(scale)
        self.camp = not env.batch.editions[0].hidden_rivals

    def reset(self) -> NDArray[np.float32]:
        observations: Any = self.venv.reset()
        return self._shown(observations)

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict]]:
        observations: Any
        observations, rewards, done, infos = self.venv.step_wait()
        for row in np.flatnonzero(done):
            infos[row]["terminal_observation"] = self._shown(infos[row]["terminal_observation"][None])[0]
        return self._shown(observations), rewards * self.scale, done, infos

    def _shown(self, flat: NDArray[np.float32]) -> NDArray[np.float32]:
        inputs = self.inputs(flat)
        return inputs if self.camp else inputs * flat[:, :1]


class BudgetCallback(BaseCallback):
    """Callback that stops after the budget of decisions, schedules the entropy, averages weights, saves checkpoints."""

    def __init__(self, env: DiamantVecEnv, checkpoints: Checkpoints) -> None:
        super().__init__()
        self.env, self.checkpoints = env, checkpoints
        ppo = checkpoints.config.ppo
        self.average = WeightAverage(ppo.average, ppo.decisions)

    def scheduled(self, start: float, end: float) -> float:
        """Return the value of a linear schedule."""
        return end + (start - end) * (1 - min(self.env.decisions / self.checkpoints.config.ppo.decisions, 1))

    def _on_rollout_start(self) -> None:
        ppo, model = self.checkpoints.config.ppo, cast("A2C | MaskablePPO", self.model)
        model.ent_coef = self.scheduled(ppo.entropy, ppo.final_entropy)
        self.average.add(_network(model, self.checkpoints.config), self.env.decisions)

    def _on_step(self) -> bool:
        spent, config = self.env.decisions, self.checkpoints.config
        if self.checkpoints.saved < self.checkpoints.due(spent):
            self.checkpoints.save(self.average.policy(_network(self.model, config)), spent)
        return spent < config.ppo.decisions


def a2c(env: VecEnv, ppo: PPOConfig, **options: Any) -> BaseAlgorithm:
    """Return A2C (Mnih et al. 2016)."""
    return A2C("MlpPolicy", env, n_steps=ppo.turns, normalize_advantage=True, **options)


def maskable_ppo(env: VecEnv, ppo: PPOConfig, **options: Any) -> BaseAlgorithm:
    """Return MaskablePPO (Huang and Ontañón 2022)."""
    return MaskablePPO("MlpPolicy", env, n_steps=ppo.turns, n_epochs=ppo.epochs, batch_size=ppo.minibatch, **options)


def learn(make: Callable[..., BaseAlgorithm], config: Config, folder: Path) -> tuple[NetworkAgent, int]:
    """Train by self-play with shared parameters for the budget of decisions; return the policy and the decisions."""
    torch.set_num_threads(config.threads)
    game = config.game
    env = vec_env_of(game, config.ppo.games)
    env.seed(config.seed)
    shape = list(config.network.hidden)
    policy = {"net_arch": shape, "activation_fn": ACTIVATIONS[config.network.activation]}
    wrapped = Transformed(env, INPUTS[config.network.inputs], config.ppo.reward_scale)
    ppo, callback = config.ppo, BudgetCallback(env, Checkpoints(config, folder))
    model = make(
        wrapped, ppo, learning_rate=lambda _: callback.scheduled(ppo.learning_rate, ppo.final_learning_rate),
        gamma=1.0, gae_lambda=ppo.gae_lambda, seed=config.seed, device="cpu", policy_kwargs=policy,
    )  # fmt: skip
    model.learn(_IDLE * ppo.decisions, callback=callback)
    return callback.average.finish(_network(model, config), config, folder), env.decisions


def _network(model: BaseAlgorithm, config: Config) -> NetworkAgent:
    policy: Any = model.policy
    layers = layers_of([*policy.mlp_extractor.policy_net, policy.action_net])
    return NetworkAgent(layers, config.network.activation, inputs=config.network.inputs)
