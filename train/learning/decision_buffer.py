"""A rollout buffer of decisions: turns in which a seat had nothing to decide never enter it."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.type_aliases import RolloutBufferSamples

from diamant_env.native.compiled import jit
from train.runs.checkpoint import State

NOTHING_PENDING = -1


class DecisionBuffer(RolloutBuffer):
    """Decisions of all rows in the order of time; what a row earns until its next decision belongs to the last one.

    At the end of a rollout, a row that must decide again is bootstrapped with the value of what it sees now. A row
    in camp can't be: the value of waiting is never trained. Its last decision is carried into the next rollout,
    where the game goes on, and the decisions before it are bootstrapped with its value.
    """

    def reset(self) -> None:
        """Forget everything, carried decisions too."""
        capacity = (self.buffer_size + 1) * self.n_envs
        self.flat_observations = np.zeros((capacity, *self.obs_shape), np.float32)
        self.rows = np.zeros(capacity, np.int32)
        self.flat_actions = np.zeros(capacity, np.int8)
        self.flat_values = np.zeros(capacity, np.float32)
        self.flat_log_probs = np.zeros(capacity, np.float32)
        self.flat_rewards = np.zeros(capacity, np.float32)
        self.terminal = np.zeros(capacity, np.bool_)
        self.weights = np.ones(capacity, np.float32)
        self.pending = np.full(self.n_envs, NOTHING_PENDING, np.int64)
        self.count = 0
        self.shuffle = np.random.default_rng(0)

    def start_rollout(self) -> None:
        """Keep only the decisions whose outcome is still open, at the front."""
        rows = np.flatnonzero(self.pending != NOTHING_PENDING)
        kept = self.pending[rows]
        for array in self._columns().values():
            array[: len(kept)] = array[kept]
        self.count = len(kept)
        self.pending[rows] = np.arange(len(kept))

    def state(self) -> State:
        """Return the open decisions and the state of the shuffle; call `start_rollout` before."""
        return {
            "open": {name: column[: self.count].copy() for name, column in self._columns().items()},
            "pending": self.pending.copy(),
            "shuffle": self.shuffle.bit_generator.state,
        }

    def restore(self, state: State) -> None:
        """Continue from a value of `state`.

        Raises:
            ValueError: If the open decisions are not one each of the rows that wait for an outcome.
        """
        opened, pending = state["open"], state["pending"]
        waiting = np.flatnonzero(pending != NOTHING_PENDING)
        count = len(waiting)
        if any(len(column) != count for column in opened.values()):
            raise ValueError(f"{count} rows wait for an outcome; there must be as many open decisions")
        if not (np.array_equal(opened["rows"], waiting) and np.array_equal(pending[waiting], np.arange(count))):
            raise ValueError("the open decisions are not those of the rows that wait for an outcome")
        if not np.isin(opened["actions"], (0, 1)).all():
            raise ValueError("an action of an open decision is neither 0 nor 1")
        for name, column in self._columns().items():
            column[:count] = opened[name]
        self.count = count
        self.pending[:] = pending
        self.shuffle.bit_generator.state = state["shuffle"]

    def _columns(self) -> dict[str, NDArray]:
        return {
            "observations": self.flat_observations,
            "rows": self.rows,
            "actions": self.flat_actions,
            "values": self.flat_values,
            "log_probs": self.flat_log_probs,
            "rewards": self.flat_rewards,
            "terminal": self.terminal,
            "weights": self.weights,
        }

    def add_decisions(
        self,
        rows: NDArray,
        observations: NDArray,
        actions: NDArray,
        values: NDArray,
        log_probs: NDArray,
        weights: ArrayLike = 1,
    ) -> None:
        """Add one decision of each of these rows, all arguments (decisions, …); what weighs 0 is not learned from."""
        stop = self.count + len(rows)
        new = slice(self.count, stop)
        self.rows[new] = rows
        self.flat_observations[new] = observations
        self.flat_actions[new] = actions
        self.flat_values[new] = values
        self.flat_log_probs[new] = log_probs
        self.flat_rewards[new] = 0
        self.terminal[new] = False
        self.weights[new] = weights
        self.pending[rows] = np.arange(self.count, stop)
        self.count = stop

    def add_outcomes(self, rewards: NDArray[np.float32], done: NDArray[np.bool_]) -> None:
        """Credit each row's reward, (rows,), to its last decision; where `done`, that decision was its game's last."""
        self.flat_rewards[self.pending] += rewards
        self.terminal[self.pending[done]] = True
        self.pending[done] = NOTHING_PENDING

    def finish_rollout(self, next_values: NDArray[np.float32], deciding: NDArray[np.bool_]) -> None:
        """Compute advantages and returns (generalized advantage estimation, Schulman et al. 2016).

        Args:
            next_values: float32 (rows,), the value of what each row sees now; read only where `deciding`.
            deciding: bool (rows,), the rows that must decide now.
        """
        self.pending[deciding] = NOTHING_PENDING
        advantages, complete = decision_advantages(
            self.rows[: self.count],
            self.flat_rewards[: self.count],
            self.flat_values[: self.count],
            self.terminal[: self.count],
            self.pending,
            np.where(deciding, next_values, 0).astype(np.float32),
            self.gamma,
            self.gae_lambda,
        )
        weights = self.weights[: self.count]
        self.complete = np.flatnonzero(complete & (weights > 0))
        self.flat_advantages = advantages
        self.values = self.flat_values[self.complete]
        self.returns = self.values + advantages[self.complete]
        self.full = True

    def weigh(self) -> None:
        """Standardise the advantages over the rollout and multiply each by its weight.

        The value target of a coin toss is the value itself: its outcome is not the policy's.
        """
        weights = self.weights[self.complete]
        tossed = weights != 1  # where it is 1 by chance, the toss was as likely as the policy's own decision
        advantages = self.flat_advantages[self.complete]
        decided = advantages[~tossed]
        if len(decided) > 1:
            advantages = (advantages - decided.mean()) / (decided.std() + np.float32(1e-8))
        self.flat_advantages[self.complete] = advantages * weights
        self.returns[tossed] = self.values[tossed]

    def get(self, batch_size: int | None = None) -> Generator[RolloutBufferSamples, None, None]:
        """Yield all complete decisions once, shuffled, in minibatches of nearly the same size."""
        order = self.shuffle.permutation(len(self.complete))
        parts = max(1, round(len(order) / (batch_size or len(order))))
        for chosen in np.array_split(order, parts):
            where = self.complete[chosen]
            yield RolloutBufferSamples(
                torch.from_numpy(self.flat_observations[where]),
                torch.from_numpy(self.flat_actions[where]).long(),
                torch.from_numpy(self.values[chosen]),
                torch.from_numpy(self.flat_log_probs[where]),
                torch.from_numpy(self.flat_advantages[where]),
                torch.from_numpy(self.returns[chosen]),
            )


@jit
def decision_advantages(rows, rewards, values, terminal, pending, next_values, gamma, gae_lambda):
    """Return the advantage of each decision, float32 (decisions,), and whether it is complete, bool (decisions,).

    Decisions are in the order of time; `pending` (rows,) holds the position of each row's open decision, or -1.
    """
    advantages = np.zeros(len(rows), np.float32)
    complete = np.ones(len(rows), np.bool_)
    following_value = next_values.copy()
    following_advantage = np.zeros_like(next_values)
    for k in range(len(rows) - 1, -1, -1):
        row = rows[k]
        if pending[row] == k:
            complete[k] = False
        else:
            if terminal[k]:
                following_value[row] = 0
                following_advantage[row] = 0
            error = rewards[k] + gamma * following_value[row] - values[k]
            advantages[k] = error + gamma * gae_lambda * following_advantage[row]
        following_value[row] = values[k]
        following_advantage[row] = advantages[k]
    return advantages, complete
