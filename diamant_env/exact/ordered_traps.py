"""Agents that see the kinds of trap in one order: what the exact solver asks about when it counts them as one kind."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent
from diamant_env.observation import SLICES, Observations

_ON_PATH, _LEFT = SLICES["traps_on_path"], SLICES["traps_left"]


class OrderedTraps:
    """Shows an agent the kinds of trap that lie on the path before the others.

    At the start of an expedition of which the deck holds equally many of each kind, this is all that distinguishes one
    order from another: an agent that sees no other is a policy of how many kinds lie there.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def __str__(self) -> str:
        return str(self.agent)

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`."""
        shown = obs.flat[:, _ON_PATH]
        if (shown[:, 1:] <= shown[:, :-1]).all():
            return self.agent.act(obs, first)
        flat = obs.flat.copy()
        order = np.argsort(-flat[:, _ON_PATH], axis=1, kind="stable")
        for columns in (_ON_PATH, _LEFT):
            flat[:, columns] = np.take_along_axis(flat[:, columns], order, axis=1)
        return self.agent.act(Observations(flat), first)
