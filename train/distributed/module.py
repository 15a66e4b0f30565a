"""The policy and the value function of `train.rllib`: the same two perceptrons as those of `train.ppo`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule

from diamant_env.opponents.inputs import INPUTS
from diamant_env.opponents.network import NetworkAgent
from train.learning.self_play import ACTIVATIONS, layers_of
from train.runs.config import NetworkConfig


class DecisionModule(TorchRLModule, ValueFunctionAPI):
    """Logits of CONTINUE and LEAVE, and a value; `model_config["network"]` holds the fields of a `NetworkConfig`."""

    def setup(self) -> None:
        """Make the networks, with the initial weights that stable-baselines3 gives."""
        self.network = NetworkConfig.model_validate(self.model_config["network"])
        width = INPUTS[self.network.inputs].width
        self.policy = perceptron(width, self.network.hidden, self.network.activation, 2, 0.01)
        self.value = perceptron(width, self.network.hidden, self.network.activation, 1, 1.0)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, torch.Tensor]:
        return {Columns.ACTION_DIST_INPUTS: self.policy(batch[Columns.OBS])}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """Return the values, float32 (rows,), of inputs (rows, width)."""
        return self.value(batch[Columns.OBS]).squeeze(-1)

    def agent(self, name: str) -> NetworkAgent:
        """Return a frozen copy of the policy that NumPy runs."""
        return NetworkAgent(layers_of(self.policy), self.network.activation, name, inputs=self.network.inputs)


def perceptron(
    inputs: int, hidden: Sequence[int], activation: str, outputs: int, last_gain: float
) -> torch.nn.Sequential:
    """Return a multilayer perceptron of so many inputs, its weights orthogonal."""
    widths = [inputs, *hidden, outputs]
    modules: list[torch.nn.Module] = []
    for layer, (width, following) in enumerate(pairwise(widths)):
        last = layer == len(hidden)
        linear = torch.nn.Linear(width, following)
        torch.nn.init.orthogonal_(linear.weight, last_gain if last else float(np.sqrt(2)))
        torch.nn.init.zeros_(linear.bias)
        modules += [linear] if last else [linear, ACTIVATIONS[activation]()]
    return torch.nn.Sequential(*modules)
