"""Example agent: ``diamant evaluate agents.patient:Patient --against pool``."""

import numpy as np
from numpy.typing import NDArray

from diamant_env import Observations


class Patient:
    """Threshold on the gems at stake, raised when behind in the last expedition."""

    def __init__(self, gems: float = 12, behind: float = 6) -> None:
        self.gems, self.behind = gems, behind

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the probability of LEAVE, float32 (rows,), for each row."""
        last = obs["expeditions_left"] == 0
        wanted = self.gems + self.behind * (last & (obs["lead"] < 0))
        at_stake = obs["bag"] * (obs["bust_chance"] > 0) + obs["path_gems"]
        return (at_stake >= wanted).astype(np.float32)
