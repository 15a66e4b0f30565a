"""The inputs of PPO's loss: the learners' decisions, drawn, played and kept, with their advantages and returns."""

from __future__ import annotations

from collections.abc import Callable, Generator

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.type_aliases import RolloutBufferSamples

from diamant_env.compilation import jit
from diamant_env.opponents.inputs import Inputs
from diamant_env.sb3 import DiamantVecEnv
from train.learning.exploration import COIN, Exploration
from train.runs.checkpoint import State

Evaluate = Callable[[NDArray[np.float32]], tuple[NDArray[np.float32], NDArray[np.float32]]]
"""Log-probabilities (decisions, 2) and values (decisions,) of inputs (decisions, width), all float32."""
NOTHING_PENDING = -1


def decision_dtype(width: int) -> np.dtype:
    """Return what is kept of a decision whose network computes from so many numbers."""
    columns = [
        ("inputs", np.float32, (width,)),
        ("row", np.int32),
        ("action", np.int8),
        ("value", np.float32),
        ("log_prob", np.float32),
        ("reward", np.float32),
        ("terminal", np.bool_),
        ("weight", np.float32),
    ]
    return np.dtype(columns, align=True)


def play_turn(
    env: DiamantVecEnv,
    buffer: DecisionBuffer,
    observations: NDArray[np.float32],
    inputs: Inputs,
    evaluate: Evaluate,
    reward_scale: float,
    exploration: Exploration | None = None,
) -> tuple[NDArray[np.float32], int]:
    """Draw the learners' decisions with the games' own random numbers, play them, and add both to the buffer.

    Args:
        env: The learning seats.
        buffer: Where their decisions and outcomes go.
        observations: float32 (rows, NUM_FEATURES), what the seats see now.
        inputs: What the networks compute from.
        evaluate: The policy and the value function, called for the rows that must decide.
        reward_scale: Rewards are multiplied by this.
        exploration: Which decisions are coin tosses and what each decision weighs; None: no tosses, all weigh 1.

    Returns:
        What the seats see next, float32 (rows, NUM_FEATURES), and the number of decisions.
    """
    rows = np.flatnonzero(observations[:, 0])
    seen = inputs(observations[rows])
    log_probs, values = evaluate(seen)
    leave = np.zeros(env.num_envs, np.float32)
    leave[rows] = np.exp(log_probs[:, 1])
    coins = np.zeros(0, np.int64) if exploration is None else exploration.coins(rows)
    leave[rows[coins]] = COIN
    actions = env.draw_decisions(leave)
    chosen = actions[rows]
    taken = log_probs[np.arange(len(rows)), chosen]
    weights = 1 if exploration is None else exploration.weights(rows, coins, taken)
    buffer.add_decisions(rows, seen, chosen, values, taken, weights)
    observations, rewards, done = env.play(actions)
    buffer.add_outcomes(rewards * np.float32(reward_scale), done)
    if exploration is not None:
        exploration.end_games(done)
    return observations, len(rows)


class DecisionBuffer(RolloutBuffer):
    """What PPO's loss is computed from: the decisions of all rows in the order of time, and no idle turns.

    What a row earns until its next decision belongs to its last one. At the end of a rollout, a row that must decide
    again is bootstrapped with the value of what it sees now. A row in camp can't be: the value of waiting is never
    trained. Its last decision is carried into the next rollout, where the game goes on, and the decisions before it
    are bootstrapped with its value.

    Attributes:
        decisions: The first `count` records of `decision_dtype`.
        pending: int (rows,), the position of each row's decision whose outcome is still open, or `NOTHING_PENDING`.
        complete: Positions of the decisions that are learned from, int (n,), after `finish_rollout`.
        advantages: float32 (count,), after `finish_rollout`.
        values: float32 (n,), the values of the complete decisions when they were made.
        returns: float32 (n,), the targets of the value function.
    """

    def reset(self) -> None:
        """Forget everything, carried decisions too."""
        self.decisions = np.zeros((self.buffer_size + 1) * self.n_envs, decision_dtype(self.obs_shape[0]))
        self.pending = np.full(self.n_envs, NOTHING_PENDING, np.int64)
        self.count = 0
        self.shuffle = np.random.default_rng(0)

    def start_rollout(self) -> None:
        """Keep only the decisions whose outcome is still open, at the front."""
        rows = np.flatnonzero(self.pending != NOTHING_PENDING)
        self.count = len(rows)
        self.decisions[: self.count] = self.decisions[self.pending[rows]]
        self.pending[rows] = np.arange(self.count)

    def state(self) -> State:
        """Return the open decisions and the state of the shuffle; call `start_rollout` before."""
        return {
            "open": {name: self.decisions[name][: self.count].copy() for name in self.decisions.dtype.names or ()},
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
        if not (np.array_equal(opened["row"], waiting) and np.array_equal(pending[waiting], np.arange(count))):
            raise ValueError("the open decisions are not those of the rows that wait for an outcome")
        if not np.isin(opened["action"], (0, 1)).all():
            raise ValueError("an action of an open decision is neither 0 nor 1")
        for name, column in opened.items():
            self.decisions[name][:count] = column
        self.count = count
        self.pending[:] = pending
        self.shuffle.bit_generator.state = state["shuffle"]

    def add_decisions(
        self,
        rows: NDArray,
        inputs: NDArray,
        actions: NDArray,
        values: NDArray,
        log_probs: NDArray,
        weights: ArrayLike = 1,
    ) -> None:
        """Add one decision of each of these rows, all arguments (decisions, …); weight 0: it is not learned from."""
        stop = self.count + len(rows)
        new = self.decisions[self.count : stop]
        new["inputs"], new["row"], new["action"] = inputs, rows, actions
        new["value"], new["log_prob"], new["weight"] = values, log_probs, weights
        new["reward"], new["terminal"] = 0, False
        self.pending[rows] = np.arange(self.count, stop)
        self.count = stop

    def add_outcomes(self, rewards: NDArray[np.float32], done: NDArray[np.bool_]) -> None:
        """Credit each row's reward, (rows,), to its last decision; where `done`, that decision was its game's last."""
        self.decisions["reward"][self.pending] += rewards
        self.decisions["terminal"][self.pending[done]] = True
        self.pending[done] = NOTHING_PENDING

    def finish_rollout(self, next_values: NDArray[np.float32], deciding: NDArray[np.bool_]) -> None:
        """Compute advantages and returns (generalized advantage estimation, Schulman et al. 2016).

        Args:
            next_values: float32 (rows,), the value of what each row sees now; read only where `deciding`.
            deciding: bool (rows,), the rows that must decide now.
        """
        self.pending[deciding] = NOTHING_PENDING
        decisions = self.decisions[: self.count]
        self.advantages, complete = decision_advantages(
            decisions["row"],
            decisions["reward"],
            decisions["value"],
            decisions["terminal"],
            self.pending,
            np.where(deciding, next_values, 0).astype(np.float32),
            self.gamma,
            self.gae_lambda,
        )
        self.complete = np.flatnonzero(complete & (decisions["weight"] > 0))
        self.values = decisions["value"][self.complete]
        self.returns = self.values + self.advantages[self.complete]
        self.full = True

    def weigh(self) -> None:
        """Standardise the advantages over the rollout and multiply each by its weight.

        The value target of a coin toss is the value itself: the toss says nothing about what the policy earns.
        """
        weights = self.decisions["weight"][self.complete]
        tossed = weights != 1  # a toss weighs exactly 1 only where the policy itself was at 0.5
        advantages = self.advantages[self.complete]
        decided = advantages[~tossed]
        if len(decided) > 1:
            advantages = (advantages - decided.mean()) / (decided.std() + np.float32(1e-8))
        self.advantages[self.complete] = advantages * weights
        self.returns[tossed] = self.values[tossed]

    def get(self, batch_size: int | None = None) -> Generator[RolloutBufferSamples, None, None]:
        """Yield all complete decisions once, shuffled, in minibatches of nearly the same size."""
        order = self.shuffle.permutation(len(self.complete))
        parts = max(1, round(len(order) / (batch_size or len(order))))
        for chosen in np.array_split(order, parts):
            where = self.complete[chosen]
            yield RolloutBufferSamples(
                torch.from_numpy(self.decisions["inputs"][where]),
                torch.from_numpy(self.decisions["action"][where]).long(),
                torch.from_numpy(self.values[chosen]),
                torch.from_numpy(self.decisions["log_prob"][where]),
                torch.from_numpy(self.advantages[where]),
                torch.from_numpy(self.returns[chosen]),
            )


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
