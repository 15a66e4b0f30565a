"""Mean of a policy's weights over the last part of a run (Polyak averaging)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env.opponents.network import NetworkAgent
from train.runs.config import Config
from train.runs.run_folder import LAST, save_policy


class WeightAverage:
    """Mean of the weights of a policy over the last `share` of `total` decisions or steps."""

    def __init__(self, share: float, total: int) -> None:
        self.start = total * (1 - share) if share else np.inf
        self.count = 0
        self.means: list[NDArray[np.float64]] = []

    def add(self, network: NetworkAgent, done: int) -> None:
        """Count the weights after `done` decisions or steps, if that is in the last part."""
        if done < self.start:
            return
        weights = [array.astype(np.float64) for layer in network.weights() for array in layer]
        self.count += 1
        self.means = self.means or [np.zeros_like(array) for array in weights]
        for mean, array in zip(self.means, weights, strict=True):
            mean += (array - mean) / self.count

    def policy(self, network: NetworkAgent) -> NetworkAgent:
        """Return `network` with the averaged weights, itself before the last part."""
        if self.count == 0:
            return network
        weights = [mean.astype(np.float32) for mean in self.means]
        layers = list(zip(weights[::2], weights[1::2], strict=True))
        return NetworkAgent(layers, network.activation, network.name, inputs=network.inputs)

    def finish(self, network: NetworkAgent, config: Config, folder: Path) -> NetworkAgent:
        """Save the last iterate; return the policy with averaged weights."""
        save_policy(folder / LAST, network, config, config.ppo.decisions)
        return self.policy(network)

    def state(self) -> dict[str, Any]:
        return {"count": self.count, "means": self.means}

    def restore(self, state: dict[str, Any]) -> None:
        self.count, self.means = state["count"], state["means"]
