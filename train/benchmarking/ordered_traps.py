"""Agent wrapper that canonicalises the order of traps, for exact best responses with merged traps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent
from diamant_env.observation import SLICES, Observations

_ON_PATH, _LEFT = SLICES["traps_on_path"], SLICES["traps_left"]


class OrderedTraps:
    """Agent that observes traps reordered: kinds on the path first.

    If the deck starts with equal copies of each kind, observations then depend only on the number of kinds on the path.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def __str__(self) -> str:
        return str(self.agent)

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        on_path = obs.flat[:, _ON_PATH]
        if (on_path[:, 1:] <= on_path[:, :-1]).all():
            return self.agent.act(obs, episode_start)
        flat = obs.flat.copy()
        order = np.argsort(-flat[:, _ON_PATH], axis=1, kind="stable")
        for columns in (_ON_PATH, _LEFT):
            flat[:, columns] = np.take_along_axis(flat[:, columns], order, axis=1)
        return self.agent.act(Observations(flat, obs.edition), episode_start)
