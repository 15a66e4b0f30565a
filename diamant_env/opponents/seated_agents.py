"""Tables: the assignment of agents to the seats of a batch and the sampling of their decisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.agent import Agent, answer_of
from diamant_env.batch import Batch
from diamant_env.editions import Edition
from diamant_env.engine.arguments import FLOAT32, checked_array, checked_mask
from diamant_env.engine.loops import rows_to_ask
from diamant_env.observation import NUM_FEATURES, Observations
from diamant_env.opponents.custom import CustomAgent

EMPTY = -1
"""Marker of a seat without an agent in a seating; the caller decides for it."""


class Transition(NamedTuple):
    """A turn of all games of a `SeatedAgents`. The arrays are reused: copy what must outlive the turn."""

    observations: NDArray[np.float32]  # (N, seats, NUM_FEATURES), before the decisions
    leave: NDArray[np.float32]  # (N, seats), the probabilities of LEAVE
    actions: NDArray[np.int8]  # (N, seats), the sampled decisions
    rewards: NDArray[np.float32]  # (N, seats)
    done: NDArray[np.bool_]  # (N,), the games that are over
    final_observations: NDArray[np.float32]  # (N, seats, NUM_FEATURES), after the turn; where `done` the game's last


class SeatedAgents:
    """Agents in the seats of a batch.

    Args:
        batch: The games.
        agents: The agents.
        seating: int (N, seats), indices into `agents`, or `EMPTY` where the caller decides. The rows of an agent are
            constant and ordered by (game, seat).

    Attributes:
        asked: Index of the agent asked last.

    Raises:
        ValueError: If the seating has the wrong shape or dtype, an index is out of range, or one object is given as two
            agents without being stateless.

    >>> from diamant_env.opponents import make_agent
    >>> batch = Batch(100, num_players=2, reward="win")
    >>> observations = batch.reset(seed=0)
    >>> table = SeatedAgents(batch, [make_agent("champion"), make_agent("random")], [[0, 1]] * 100)
    >>> float(table.play_out().sum())  # win shares by game and seat
    100.0
    """

    def __init__(self, batch: Batch, agents: Sequence[Agent], seating: ArrayLike) -> None:
        self.batch = batch
        self.agents = list(agents)
        self._stateless = np.array([getattr(agent, "stateless", False) for agent in self.agents], np.bool_)
        stateful = [agent for agent, stateless in zip(self.agents, self._stateless, strict=True) if not stateless]
        objects = [id(agent.agent if isinstance(agent, CustomAgent) else agent) for agent in stateful]
        for agent, identity in zip(stateful, objects, strict=True):
            if objects.count(identity) > 1:
                raise ValueError(f"{agent} is seated twice as one object; give an object each, or set stateless = True")
        self._gets_all = np.zeros(len(self.agents), np.bool_)
        self._seat(seating)

    def reseat(self, seating: ArrayLike) -> None:
        """Replace the seating, in games that begin.

        After the first call a stateful agent receives the rows of all seats, so row i is always the same seat. Rows of
        seats that it does not play have ``must_decide`` 0.

        Args:
            seating: See `SeatedAgents`.

        Raises:
            ValueError: See `SeatedAgents`.
        """
        self._gets_all = ~self._stateless
        self._seat(seating)

    def _seat(self, seating: ArrayLike) -> None:
        batch = self.batch
        self.seating = np.asarray(seating)
        if self.seating.dtype.kind not in "iu":
            raise ValueError(f"seating of dtype {self.seating.dtype}; indices of agents are expected, {EMPTY} for none")
        if self.seating.shape != (batch.num_games, batch.max_players):
            raise ValueError(f"seating of shape {self.seating.shape}; expected {(batch.num_games, batch.max_players)}")
        wrong = self.seating[(self.seating < EMPTY) | (self.seating >= len(self.agents))]
        if wrong.size:
            raise ValueError(f"the seating names agent {wrong[0]}; there are {len(self.agents)} agents")
        present = np.arange(batch.max_players) < batch.num_players[:, None]
        self._taken = np.where(present, self.seating, EMPTY).ravel()
        rows = [
            np.arange(self._taken.size) if gets_all else np.flatnonzero(self._taken == agent)
            for agent, gets_all in enumerate(self._gets_all)
        ]
        self._order = np.concatenate([*rows, np.zeros(0, np.int64)])
        self._starts = np.cumsum([0, *map(len, rows)])

    def leave_probabilities(
        self, observations: NDArray[np.float32], mask: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float32]:
        """Ask all agents; return float32 (N, seats), 0 for `EMPTY` seats.

        Args:
            observations: float32 (N, seats, NUM_FEATURES).
            mask: bool (N,), the games that play this turn; all by default. Stateless agents get the rows that must
                decide in these games; others get all their rows, with those of the other games marked as not deciding.

        Raises:
            ValueError: If an array has the wrong shape or dtype, or an agent does not return one probability per row.
        """
        observations = checked_array(observations, "observations", FLOAT32, (*self.seating.shape, NUM_FEATURES))
        return self._ask(observations, checked_mask(mask, self.batch.all_games))

    def decide_unchecked(
        self, observations: NDArray[np.float32], actions: NDArray[np.int8], mask: NDArray[np.bool_] | None = None
    ) -> None:
        """Write the decisions of all seats into `actions`, int8 (N, seats); CONTINUE for `EMPTY` seats.

        Without validation, for environments that own the arrays.
        """
        leave = self._ask(observations, self.batch.all_games if mask is None else mask)
        self.batch.draw_unchecked(leave, actions)

    def _ask(self, observations: NDArray[np.float32], playing: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return `leave_probabilities` without validation."""
        observations, leave = observations.reshape(-1, NUM_FEATURES), np.zeros(self.seating.size, np.float32)
        rows, first, ends = rows_to_ask(observations, self._order, self._starts, self._stateless, playing)
        for number, (start, end) in enumerate(pairwise(ends.tolist())):
            if start == end:
                continue
            agent, self.asked = self.agents[number], number
            asked, begins = rows[start:end], first[start:end]
            obs = Observations(observations.take(asked, axis=0), self._editions_of(asked))
            if self._stateless[number]:
                leave[asked] = answer_of(agent, obs, begins)
            else:
                owned = self._taken[asked] == number
                obs.flat[:, 0] *= owned & playing[asked // self.batch.max_players]
                leave[asked[owned]] = answer_of(agent, obs, begins & owned)[owned]
        return leave.reshape(self.seating.shape)

    def _editions_of(self, rows: NDArray[np.int64]) -> Edition | NDArray[np.object_]:
        """Return the batch's edition, or that of each row, `Edition` objects (rows,)."""
        editions = self.batch.editions
        if len(editions) == 1:
            return editions[0]
        return np.array(editions, object)[self.batch.public_states["edition"][rows // self.batch.max_players]]

    def turns(
        self,
        leave: NDArray[np.float32] | None = None,
        playing: NDArray[np.bool_] | None = None,
        auto_reset: bool = False,
    ) -> Iterator[Transition]:
        """Ask the agents, sample, step and yield each `Transition` until all games are over.

        Args:
            leave: float32 (N, seats), probabilities of LEAVE at the first turn; by default the agents'.
            playing: bool (N,), the games to play; all by default. The caller may end games by it between turns.
            auto_reset: Start the next game wherever one ends, without end.
        """
        batch = self.batch
        observations, actions = batch.observe(), np.zeros(self.seating.shape, np.int8)
        following, rewards, done = np.zeros_like(observations), np.zeros(actions.shape, np.float32), batch.over
        final = np.zeros_like(observations) if auto_reset else None
        options: dict[str, Any] = {"auto_reset": auto_reset, "final_observations": final, "mask": playing}
        while auto_reset or not (done if playing is None else done | ~playing).all():
            if leave is None:
                leave = self.leave_probabilities(observations, playing)
            batch.draw_decisions(leave, actions)
            batch.step(actions, following, rewards, done, **options)
            yield Transition(observations, leave, actions, rewards, done, following if final is None else final)
            observations, following, leave = following, observations, None

    def play_out(self, leave: NDArray[np.float32] | None = None) -> NDArray[np.float64]:
        """Play all games to their end; return the sum of rewards of each seat, float64 (N, seats).

        Args:
            leave: See `turns`.
        """
        earned = np.zeros((self.batch.num_games, self.batch.max_players))
        for turn in self.turns(leave):
            earned += turn.rewards
        return earned
