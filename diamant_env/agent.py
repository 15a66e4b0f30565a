"""The interface of agents: from observations to the probability of leaving."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from diamant_env.observation import NUM_FEATURES, Observations, UnknownField


class Agent(Protocol):
    """A policy, a batch of seats at a time.

    Every agent is stochastic in form: it names a probability and the table draws the decision, so that any agent
    can be watched, mixed, averaged and exploited. An agent whose answer to a row depends on that row alone may have an
    attribute ``memoryless = True``: it is then asked only for rows of games that play a turn. One that observes the
    history of decisions has ``history = True``; its batch must have it too, see `observe_history`.
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


def observe_history(agents: Iterable[object]) -> bool:
    """Whether one of these agents observes the history of decisions, which `Batch` then must have."""
    return any(getattr(agent, "history", False) for agent in agents)


def answer_deciding(obs: Observations, ask: Callable[[NDArray[np.intp]], NDArray[np.floating]]) -> NDArray[np.float32]:
    """Return P(LEAVE), float32 (rows,), 0 where nothing must be decided.

    Args:
        obs: What each row's seat sees.
        ask: Returns P(LEAVE) of the rows at these positions, of which there is at least one.
    """
    leave, deciding = np.zeros(len(obs.flat), np.float32), np.flatnonzero(obs.flat[:, 0])
    if len(deciding):
        leave[deciding] = ask(deciding)
    return leave


def answer_of(agent: Agent, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Ask an agent, see `Agent.act`; return what it answers as float32 (rows,).

    Raises:
        ValueError: If it is no array of so many probabilities between 0 and 1; the message shows the first wrong one.
            Also if the agent reads a field that there is not.
    """
    rows = len(first)
    if observe_history([agent]):
        if obs.flat.shape[-1] == NUM_FEATURES:
            raise ValueError(f"{agent} observes the history of decisions, which is not known here")
    elif obs.flat.shape[-1] > NUM_FEATURES:
        obs = Observations(obs.flat[:, :NUM_FEATURES])
    try:
        answer: object = agent.act(obs, first)
    except UnknownField as error:
        raise ValueError(f"{agent}: {error.args[0]}") from error
    try:
        found = np.asarray(answer).astype(np.float32, casting="same_kind", copy=False)
    except (TypeError, ValueError) as error:
        given = getattr(answer, "dtype", type(answer).__name__)
        raise ValueError(f"{agent} must return {rows} probabilities of LEAVE, not {given}") from error
    if found.shape != (rows,):
        raise ValueError(f"{agent} must return {rows} probabilities of LEAVE, one per row, not shape {found.shape}")
    wrong = ~((found >= 0) & (found <= 1))
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"{agent} returned {found[row]} for row {row}; a probability of LEAVE is between 0 and 1")
    return found
