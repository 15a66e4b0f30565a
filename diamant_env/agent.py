"""The interface of agents: from observations to the probability of leaving."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from diamant_env.engine.loops import first_improper
from diamant_env.observation import Observations, UnknownField


class Agent(Protocol):
    """A policy for a batch of seats.

    An agent returns probabilities and the environment samples actions, so that any agent can be mixed, averaged and
    exploited.

    A string or a class makes a new agent for each evaluation or environment, a function of the observation is
    stateless, and an object is used as it is. As evaluated agent and opponent at once an object needs ``stateless =
    True``. Then its probability for a row depends on that row alone, and it receives only rows that must decide.
    """

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the probability of LEAVE, float32 (rows,), for each row.

        Args:
            obs: Observation of each row's seat, by field name in natural units, such as ``obs["bag"]`` (rows,).
            episode_start: bool (rows,), the rows whose game has just begun. A row is the same seat at the same table in
                every call, so an agent may keep a state per row. Rows with ``obs["must_decide"] == 0`` are included, as
                often as the caller plays turns; their probabilities are ignored, and a state that counts rows must skip
                them.
        """
        ...


def answer_deciding(obs: Observations, act: Callable[[NDArray[np.intp]], NDArray[np.floating]]) -> NDArray[np.float32]:
    """Return P(LEAVE) of rows, float32, by `act` of the indices of those that decide, at least one; 0 elsewhere."""
    leave, deciding = np.zeros(len(obs.flat), np.float32), obs.flat[:, 0].nonzero()[0]
    if len(deciding):
        leave[deciding] = act(deciding)
    return leave


def answer_of(agent: Agent, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return the probabilities of LEAVE of an agent, float32 (rows,), see `Agent.act`; raise ValueError if wrong."""
    rows = len(episode_start)
    try:
        answer: object = agent.act(obs, episode_start)
    except UnknownField as error:
        raise ValueError(f"{agent}: {error.args[0]}") from error
    except AttributeError as error:
        if hasattr(agent, "act"):
            raise
        raise ValueError(
            f"{agent!r} has no method act; diamant_env.opponents.make_agent returns an agent for it"
        ) from error
    try:
        probabilities = np.asarray(answer).astype(np.float32, "C", "same_kind", copy=False)
    except (TypeError, ValueError) as error:
        kind = getattr(answer, "dtype", type(answer).__name__)
        raise ValueError(f"{agent} must return {rows} probabilities of LEAVE, not {kind}") from error
    if probabilities.shape != (rows,):
        raise ValueError(
            f"{agent} must return {rows} probabilities of LEAVE, one per row, not shape {probabilities.shape}"
        )
    row = int(first_improper(probabilities))
    if row >= 0:  # perhaps one that is ignored
        probabilities = np.where(obs.flat[:, 0] != 0, probabilities, np.float32(0))
        row = int(first_improper(probabilities))
    if row >= 0:
        raise ValueError(
            f"{agent} returned {probabilities[row]} for row {row}; a probability of LEAVE is between 0 and 1"
        )
    return probabilities
