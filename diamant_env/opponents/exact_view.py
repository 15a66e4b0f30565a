"""Agent wrapper with the view of exact best responses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent
from diamant_env.observation import Observations
from diamant_env.opponents.inputs import exact_view


class ExactView:
    """Agent whose observations are those of `exact_view`."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def __str__(self) -> str:
        return str(self.agent)

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the agent's probabilities of LEAVE for `exact_view` of the observations, float32 (rows,)."""
        return self.agent.act(Observations(exact_view(obs.flat), obs.edition), episode_start)
