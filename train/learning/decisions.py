"""Rollout buffer of decisions, generalised advantage estimation and exploratory actions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.compilation import jit

EXPLORED_LEAVE = np.float32(0.5)
"""P(LEAVE) of an exploratory action."""
NONE = -1
"""Marker of rows without an open decision in `DecisionBuffer.pending`."""


class Samples(NamedTuple):
    """Decisions with known outcome: arrays in chronological order, or tensors of a minibatch.

    Attributes:
        inputs: float32 (decisions, width), inputs of the networks.
        actions: int64 (decisions,).
        values: float32 (decisions,), value estimates of the rollout.
        log_probs: float32 (decisions,), log-probabilities of the actions under the behaviour policy.
        advantages: float32 (decisions,).
        returns: float32 (decisions,), targets of the value function.
        explored: bool (decisions,), exploratory actions.
    """

    inputs: Any
    actions: Any
    values: Any
    log_probs: Any
    advantages: Any
    returns: Any
    explored: Any


def decision_dtype(width: int) -> np.dtype:
    """Return the record dtype of a decision with `width` inputs."""
    columns = [
        ("inputs", np.float32, (width,)),
        ("row", np.int32),
        ("action", np.int8),
        ("value", np.float32),
        ("log_prob", np.float32),
        ("reward", np.float32),
        ("terminal", np.bool_),
        ("explored", np.bool_),
        ("excluded", np.bool_),
    ]
    return np.dtype(columns, align=True)


class DecisionBuffer:
    """Decisions of all rows in chronological order; turns without a decision are not stored.

    Rewards until a row's next decision are credited to its last one. At the end of a rollout, a row that must decide is
    bootstrapped with the value of its observation. The value function is trained at decision points only, so a row in
    camp is not bootstrapped: its last decision is carried into the next rollout, and earlier ones are bootstrapped with
    that decision's value.

    Args:
        turns: Turns of a rollout.
        rows: Number of learning seats.
        width: Number of inputs of the networks.

    Attributes:
        decisions: Records of `decision_dtype`; the first `count` are used.
        pending: int (rows,), index of each row's open decision, or `NONE`.
    """

    def __init__(self, turns: int, rows: int, width: int) -> None:
        self.decisions = np.zeros((turns + 1) * rows, decision_dtype(width))
        self.pending = np.full(rows, NONE, np.int64)
        self.count = 0

    def start_rollout(self) -> None:
        """Move the open decisions to the front and discard all others."""
        rows = np.flatnonzero(self.pending != NONE)
        self.count = len(rows)
        self.decisions[: self.count] = self.decisions[self.pending[rows]]
        self.pending[rows] = np.arange(self.count)

    def add_decisions(
        self,
        rows: NDArray,
        inputs: NDArray,
        actions: NDArray,
        values: NDArray,
        log_probs: NDArray,
        rewards: ArrayLike = 0,
        explored: ArrayLike = False,
        excluded: ArrayLike = False,
    ) -> None:
        """Add one decision for each of these rows, all arguments (decisions, …); see `Exploration.draw`."""
        stop = self.count + len(rows)
        new = self.decisions[self.count : stop]
        new["inputs"], new["row"], new["action"] = inputs, rows, actions
        new["value"], new["log_prob"], new["reward"], new["terminal"] = values, log_probs, rewards, False
        new["explored"], new["excluded"] = explored, excluded
        self.pending[rows] = np.arange(self.count, stop)
        self.count = stop

    def add_outcomes(self, rewards: NDArray[np.float32], done: NDArray[np.bool_]) -> None:
        """Credit each row's reward, (rows,), to its open decision, which is terminal where `done`."""
        waiting = self.pending != NONE
        self.decisions["reward"][self.pending[waiting]] += rewards[waiting]
        self.decisions["terminal"][self.pending[waiting & done]] = True
        self.pending[done] = NONE

    def finish_rollout(
        self, next_values: NDArray[np.float32], deciding: NDArray[np.bool_], gamma: float, gae_lambda: float
    ) -> Samples:
        """Return the decisions with known outcome.

        No value loss on exploratory actions: they are off-policy, and their target is the old value.

        Args:
            next_values: float32 (rows,), values of the current observations; read only where `deciding`.
            deciding: bool (rows,), the rows that must decide now.
            gamma: Discount from one decision to the next.
            gae_lambda: Lambda of generalised advantage estimation (Schulman et al. 2016).
        """
        self.pending[deciding] = NONE
        decisions = self.decisions[: self.count]
        advantages, complete = decision_advantages(
            decisions["row"],
            decisions["reward"],
            decisions["value"],
            decisions["terminal"],
            self.pending,
            np.where(deciding, next_values, 0).astype(np.float32),
            gamma,
            gae_lambda,
        )
        chosen = np.flatnonzero(complete & ~decisions["excluded"])
        names = ("inputs", "action", "value", "log_prob", "explored")
        inputs, actions, values, log_probs, explored = (decisions[name][chosen] for name in names)
        known = advantages[chosen]
        returns = np.where(explored, values, values + known)
        return Samples(inputs, actions.astype(np.int64), values, log_probs, known, returns, explored)

    def state(self) -> dict[str, Any]:
        """Return the open decisions; requires a preceding `start_rollout`."""
        opened = {name: self.decisions[name][: self.count].copy() for name in self.decisions.dtype.names or ()}
        return {"open": opened, "pending": self.pending.copy()}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a value of `state`."""
        opened, pending = state["open"], state["pending"]
        self.count, self.pending[:] = len(opened["row"]), pending
        for name in self.decisions.dtype.names or ():
            self.decisions[name][: self.count] = opened[name]


@jit(cached=True)
def decision_advantages(
    rows: NDArray[np.int32],
    rewards: NDArray[np.float32],
    values: NDArray[np.float32],
    terminal: NDArray[np.bool_],
    pending: NDArray[np.int64],
    next_values: NDArray[np.float32],
    gamma: float,
    gae_lambda: float,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return the advantage of each decision, float32 (decisions,), and whether it is complete, bool (decisions,).

    Decisions are in chronological order; `pending` (rows,) has the index of each row's open decision, or `NONE`.
    """
    advantages = np.zeros(len(rows), np.float32)
    complete = np.ones(len(rows), np.bool_)
    next_value = next_values.copy()
    next_advantage = np.zeros_like(next_values)
    for k in range(len(rows) - 1, -1, -1):
        row = rows[k]
        if pending[row] == k:
            complete[k] = False
        else:
            if terminal[k]:
                next_value[row] = 0
                next_advantage[row] = 0
            error = rewards[k] + gamma * next_value[row] - values[k]
            advantages[k] = error + gamma * gae_lambda * next_advantage[row]
        next_value[row] = values[k]
        next_advantage[row] = advantages[k]
    return advantages, complete


class Exploration:
    """Exploring starts: one seat takes a uniformly random action at a random turn; training uses only what follows.

    They sample actions that a nearly deterministic policy rarely takes. All later decisions are on-policy; the
    exploratory action is weighted by importance sampling (Sutton and Barto: Reinforcement learning, an introduction,
    2nd edition 2018, sections 5.3 and 5.5).

    Args:
        games_of_rows: int (rows,), the game of each learning seat.
        share: Share of exploring games, drawn once.
        chance: Probability per turn of the exploratory action in an exploring game, at most once per game.
        seed: Seed of the games, turns and seats drawn.
    """

    def __init__(
        self, games_of_rows: NDArray[np.int64], share: float, chance: float, seed: np.random.SeedSequence
    ) -> None:
        self.games_of_rows = games_of_rows
        self.chance = chance
        self._random = np.random.default_rng(seed)
        self._explores = self._random.random(games_of_rows.max() + 1) < share
        self._waiting = self._explores.copy()

    def draw(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which of the deciding rows explore, at most one of each game, and which training excludes.

        Excluded are the decisions of an exploring game before the exploratory action, and the others' of its turn.
        """
        explored, games = np.zeros(len(rows), np.bool_), self.games_of_rows[rows]
        if not self._explores.any():
            return explored, explored
        exploring = self._waiting & (self._random.random(len(self._waiting)) < self.chance)
        shuffled = self._random.permutation(len(rows))
        candidates = shuffled[exploring[games[shuffled]]]
        explored[candidates[np.unique(games[candidates], return_index=True)[1]]] = True
        excluded = self._waiting[games] & ~explored
        self._waiting[games[explored]] = False
        return explored, excluded

    def end_games(self, done: NDArray[np.bool_]) -> None:
        """Reset exploration in the games of the rows that are `done`, bool (rows,)."""
        ended = self.games_of_rows[done]
        self._waiting[ended] = self._explores[ended]

    def state(self) -> dict[str, Any]:
        """Return the state for a checkpoint."""
        return {"random": self._random.bit_generator.state, "waiting": self._waiting.copy()}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a value of `state`."""
        self._random.bit_generator.state = state["random"]
        self._waiting[:] = state["waiting"]
