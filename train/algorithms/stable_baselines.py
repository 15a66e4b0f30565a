"""Algorithms of stable-baselines3 and sb3-contrib in self-play: A2C, DQN, MaskablePPO."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, DQN
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback

from diamant_env.opponents.network import NetworkAgent
from train.algorithms.counting import CountedVecEnv, Meter
from train.learning.self_play import ACTIVATIONS, layers_of
from train.runs.config import Config, reward_scale
from train.runs.networks import sharpened

ROWS = 64  # learning seats side by side, about
_IDLE = 3  # the library counts idle rows as well: fewer than three rows per decision


class Budget(BaseCallback):
    """Ends the run after a number of decisions."""

    def __init__(self, env: CountedVecEnv, decisions: int) -> None:
        super().__init__()
        self.env, self.decisions = env, decisions

    def _on_step(self) -> bool:
        return self.env.meter.spent() < self.decisions


def a2c(env: CountedVecEnv, options: dict[str, Any]) -> BaseAlgorithm:
    """A2C (Mnih et al. 2016)."""
    return A2C("MlpPolicy", env, n_steps=16, gae_lambda=0.95, ent_coef=0.01, normalize_advantage=True, **options)


def dqn(env: CountedVecEnv, options: dict[str, Any]) -> BaseAlgorithm:
    """DQN (Mnih et al. 2015)."""
    options |= {"buffer_size": 100_000, "learning_starts": 2_000, "target_update_interval": 2_000}
    return DQN("MlpPolicy", env, batch_size=256, train_freq=1, learning_rate=5e-4, **options)


def maskable_ppo(env: CountedVecEnv, options: dict[str, Any]) -> BaseAlgorithm:
    """MaskablePPO (Huang and Ontañón 2022)."""
    return MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=1024, n_epochs=4, ent_coef=0.01, **options)


def learn(make: Callable[[CountedVecEnv, dict[str, Any]], BaseAlgorithm], config: Config, meter: Meter) -> NetworkAgent:
    """Train by self-play with shared parameters until the decisions are used up; return the policy."""
    torch.set_num_threads(config.threads)
    meter.clear()
    game = config.game
    env = CountedVecEnv(meter, game, max(1, ROWS // game.num_players[0]), scale=reward_scale(game.reward))
    env.seed(config.seed)
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
