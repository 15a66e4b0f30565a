"""Agents seated at the games of a batch: who acts for which seat, and the draw of their decisions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.agent import Agent, answer_of
from diamant_env.batch import Batch
from diamant_env.observation import Observations

EMPTY = -1
"""In a seating: a seat without an agent, for which the caller decides."""


class Table:
    """Seats agents at the games of a batch.

    Args:
        batch: The games.
        agents: The agents.
        seating: int (N, seats), the position in `agents` of who sits there, or `EMPTY` where the caller decides.
            An agent keeps its rows for as long as the table lasts, in the order of (game, seat).

    Raises:
        ValueError: If the seating has the wrong shape or names an agent that is not there.
    """

    def __init__(self, batch: Batch, agents: Sequence[Agent], seating: ArrayLike) -> None:
        self.batch = batch
        self.agents = list(agents)
        self.seating = np.asarray(seating)
        if self.seating.shape != (batch.num_games, batch.seats):
            raise ValueError(f"seating of shape {self.seating.shape}; expected {(batch.num_games, batch.seats)}")
        if self.seating.min() < EMPTY or self.seating.max() >= len(self.agents):
            raise ValueError(f"the seating names agent {self.seating.max()}; there are {len(self.agents)} agents")
        present = np.arange(batch.seats) < batch.num_players[:, None]
        taken = np.where(present, self.seating, EMPTY).ravel()
        self.rows = [np.flatnonzero(taken == agent) for agent in range(len(self.agents))]
        self._leave = np.zeros((batch.num_games, batch.seats), np.float32)

    def leave_probabilities(
        self, observations: NDArray[np.float32], mask: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float32]:
        """Ask all agents; return float32 (N, seats), 0 for `EMPTY` seats.

        Args:
            observations: float32 (N, seats, num_features of the batch).
            mask: bool (N,), the games that play this turn; all by default. Agents without memory get the rows of these
                games alone; the others get all their rows, of which those of games that wait need not decide.

        Raises:
            ValueError: If an agent returns anything but one probability per row.
        """
        games = self.batch.tables
        playing = np.repeat(np.ones(len(games), bool) if mask is None else mask, self.batch.seats)
        first = np.repeat((games["expedition"] == 1) & (games["turn"] == 1), self.batch.seats) & playing
        flat, leave = observations.reshape(-1, observations.shape[-1]), self._leave.reshape(-1)
        for agent, rows in zip(self.agents, self.rows, strict=True):
            asked = rows[playing[rows]] if getattr(agent, "memoryless", False) else rows
            if len(asked):
                seen = flat[asked]
                seen[:, 0] *= playing[asked]
                leave[asked] = answer_of(agent, Observations(seen), first[asked])
        return self._leave

    def decide(
        self,
        observations: NDArray[np.float32],
        actions: NDArray[np.int8],
        mask: NDArray[np.bool_] | None = None,
    ) -> None:
        """Write the decisions of all seats into `actions`, int8 (N, seats); CONTINUE for `EMPTY` seats."""
        self.batch.draw_decisions(self.leave_probabilities(observations, mask), actions)

    def play_out(self, seat_0: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """Play all games from where they are to their end; return what each seat earned, float64 (N, seats).

        Args:
            seat_0: bool (N,), whether seat 0 leaves at the first turn; by default its agent decides.
        """
        shape = self.batch.num_games, self.batch.seats
        earned, actions = np.zeros(shape), np.zeros(shape, np.int8)
        observations = self.batch.observe()
        rewards, done = np.zeros(shape, np.float32), self.batch.over
        leave = self.leave_probabilities(observations)
        if seat_0 is not None:
            leave[:, 0] = seat_0
        while not done.all():
            self.batch.draw_decisions(leave, actions)
            self.batch.step(actions, observations, rewards, done)
            earned += rewards
            leave = self.leave_probabilities(observations)
        return earned
