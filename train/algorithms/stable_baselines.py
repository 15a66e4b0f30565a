"""Algorithms of stable-baselines3 and sb3-contrib in self-play: A2C, DQN, MaskablePPO."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, DQN
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback

from diamant_env.opponents.network import NetworkAgent
from diamant_env.sb3 import DiamantVecEnv
from train.learning.self_play import ACTIVATIONS, layers_of
from train.runs.config import Config, GameConfig, reward_scale
from train.runs.networks import sharpened

ROWS = 64  # learning seats side by side, about
_IDLE = 3  # the library counts idle rows as well: fewer than three rows per decision


class CountingVecEnv(DiamantVecEnv):
    """Games in which every seat learns; counts decisions, scales rewards."""

    def __init__(self, game: GameConfig, seed: int) -> None:
        players = game.num_players[0]
        super().__init__(max(1, ROWS // players), players, game.played(), game.reward, blank_rivals=game.blank)
        self.decisions = 0
        self.scale = np.float32(reward_scale(game.reward))
        self.seed(seed)

    def play(self, actions: NDArray) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
        """See `DiamantVecEnv.play`."""
        self.decisions += int(np.count_nonzero(self.observations()[:, 0]))
        observations, rewards, done = super().play(actions)
        return observations, rewards * self.scale, done


class Budget(BaseCallback):
    """Ends the run after a number of decisions."""

    def __init__(self, env: CountingVecEnv, decisions: int) -> None:
        super().__init__()
        self.env, self.decisions = env, decisions

    def _on_step(self) -> bool:
        return self.env.decisions < self.decisions


def a2c(env: CountingVecEnv, options: dict[str, Any]) -> BaseAlgorithm:
    """A2C (Mnih et al. 2016)."""
    return A2C("MlpPolicy", env, n_steps=16, gae_lambda=0.95, ent_coef=0.01, normalize_advantage=True, **options)


def dqn(env: CountingVecEnv, options: dict[str, Any]) -> BaseAlgorithm:
    """DQN (Mnih et al. 2015)."""
    options |= {"buffer_size": 100_000, "learning_starts": 2_000, "target_update_interval": 2_000}
    return DQN("MlpPolicy", env, batch_size=256, train_freq=1, learning_rate=5e-4, **options)


def maskable_ppo(env: CountingVecEnv, options: dict[str, Any]) -> BaseAlgorithm:
    """MaskablePPO (Huang and Ontañón 2022)."""
    return MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=1024, n_epochs=4, ent_coef=0.01, **options)


def learn(make: Callable[[CountingVecEnv, dict[str, Any]], BaseAlgorithm], config: Config) -> NetworkAgent:
    """Train by self-play with shared parameters until the decisions are used up; return the policy."""
    torch.set_num_threads(config.threads)
    env = CountingVecEnv(config.game, config.seed)
    shape = list(config.network.hidden)
    policy = {"net_arch": shape, "activation_fn": ACTIVATIONS[config.network.activation]}
    model = make(env, {"gamma": 1.0, "seed": config.seed, "device": "cpu", "policy_kwargs": policy})
    model.learn(_IDLE * config.ppo.decisions, callback=Budget(env, config.ppo.decisions))
    return _network(model, config.network.activation)


def _network(model: BaseAlgorithm, activation: str) -> NetworkAgent:
    """Return the policy that the model plays: by its probabilities or, by Q-values, the better action."""
    if isinstance(model, DQN):
        return sharpened(NetworkAgent(layers_of(model.policy.q_net.q_net), activation))
    policy: Any = model.policy
    return NetworkAgent(layers_of([*policy.mlp_extractor.policy_net, policy.action_net]), activation)
