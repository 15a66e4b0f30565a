"""Neural fictitious self-play with PPO.

One seat of each game learns a best response by PPO to copies of the average policy in the others. Its decisions enter a
reservoir, from which a second network learns the average policy by supervised learning (Heinrich and Silver: Deep
reinforcement learning from self-play in imperfect-information games, 2016; there with DQN and anticipatory dynamics,
whose parameter is 0 here).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.torch_layers import create_mlp

from diamant_env.observation import Observations
from diamant_env.opponents.inputs import INPUTS
from diamant_env.opponents.models.export import layers_of
from diamant_env.opponents.network import NetworkAgent
from train.league import vec_env_among
from train.ppo import ACTIVATIONS, Learner
from train.runs.averaging import WeightAverage
from train.runs.config import Config, NetworkConfig
from train.runs.run_folder import Checkpoints

PLACES = 200_000  # size of the reservoir in decisions
_BATCH = 1024


class Reservoir:
    """Uniform sample of all decisions so far (reservoir sampling, Vitter 1985)."""

    def __init__(self, places: int, width: int, random: np.random.Generator) -> None:
        self.inputs = np.zeros((places, width), np.float32)
        self.actions = np.zeros(places, np.int64)
        self.seen = 0
        self._random = random

    def add(self, inputs: NDArray[np.float32], actions: NDArray[np.int64]) -> None:
        """Add decisions, float32 (decisions, width) and int64 (decisions,)."""
        places, numbers = len(self.actions), self.seen + np.arange(len(actions))
        replaced = self._random.integers(0, numbers + 1)
        positions = np.where(numbers < places, numbers, replaced)
        stored = positions < places
        self.inputs[positions[stored]] = inputs[stored]
        self.actions[positions[stored]] = actions[stored]
        self.seen += len(actions)

    def sample(self, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return decisions drawn with replacement."""
        chosen = self._random.integers(0, min(self.seen, len(self.actions)), size)
        return torch.from_numpy(self.inputs[chosen]), torch.from_numpy(self.actions[chosen])


class Average:
    """Average policy in training, which plays the other seats; each new decision trains `passes` samples."""

    def __init__(self, shape: NetworkConfig, random: np.random.Generator, passes: int) -> None:
        width = INPUTS[shape.inputs].width
        modules = create_mlp(width, 2, list(shape.hidden), ACTIVATIONS[shape.activation])
        self._net = torch.nn.Sequential(*modules)
        self._shape, self._passes = shape, passes
        self._optimizer = torch.optim.Adam(self._net.parameters())
        self.reservoir = Reservoir(PLACES, width, random)
        self.agent = self.network()

    def network(self) -> NetworkAgent:
        """Return a frozen copy."""
        return NetworkAgent(layers_of(self._net), self._shape.activation, "average", inputs=self._shape.inputs)

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        return self.agent.act(obs, episode_start)

    def learn(self, decisions: int, rate: float) -> None:
        """Take the gradient steps for this number of new decisions."""
        self._optimizer.param_groups[0]["lr"] = rate
        for _ in range(max(1, self._passes * decisions // _BATCH)):
            inputs, actions = self.reservoir.sample(_BATCH)
            loss = torch.nn.functional.cross_entropy(self._net(inputs), actions)
            self._optimizer.zero_grad()
            loss.backward()
            self._optimizer.step()
        self.agent = self.network()


def fictitious_play(config: Config, folder: Path, passes: int, rate: float) -> tuple[NetworkAgent, int]:
    """Train by fictitious self-play for the budget of decisions; return the `Average` policy and the decisions.

    `rate` is the average policy's learning rate, which falls as that of PPO.
    """
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    average = Average(config.network, np.random.default_rng(config.seed), passes)
    end = rate * config.ppo.final_learning_rate / config.ppo.learning_rate
    weights = WeightAverage(config.ppo.average, config.ppo.decisions)
    env = vec_env_among(config, average)
    learner, checkpoints = Learner(env, config.ppo, config.network, config.seed), Checkpoints(config, folder)
    while learner.decisions < config.ppo.decisions:
        if checkpoints.saved < checkpoints.due(learner.decisions):
            checkpoints.save(weights.policy(average.agent), learner.decisions)
        samples = learner.rollout()
        if len(samples.actions):
            average.reservoir.add(samples.inputs, samples.actions)
            average.learn(len(samples.actions), learner.scheduled(rate, end))
            weights.add(average.agent, learner.decisions)
        learner.update(samples)
    return weights.finish(average.agent, config, folder), learner.decisions
