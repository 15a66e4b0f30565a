"""The one interface of everything that plays: from observations to the probability of leaving."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from diamant_env.observation import Observations


class Agent(Protocol):
    """A policy, a batch of seats at a time.

    Every agent is stochastic in form: it names a probability and the table draws the decision, so that any agent
    can be watched, mixed, averaged and exploited.
    """

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the probability of LEAVE, float32 (rows,), for each row.

        Args:
            obs: What each row's seat sees, by field name in natural units, such as ``obs["bag"]`` (rows,).
            first: bool (rows,), the rows whose game has just begun. A row is the same seat at the same table from
                call to call, so an agent may remember what it likes per row. Rows that need not decide
                (``obs["must_decide"] == 0``) are there too; what is returned for them is ignored.
        """
        ...
