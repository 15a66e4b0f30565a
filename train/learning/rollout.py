"""One turn of a rollout: what `train.ppo` and the runners of `train.rllib` do alike."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from diamant_env.sb3 import DiamantVecEnv
from train.learning.decision_buffer import DecisionBuffer
from train.learning.exploration import COIN, Exploration

Evaluate = Callable[[NDArray[np.float32]], tuple[NDArray[np.float32], NDArray[np.float32]]]


def play_turn(
    env: DiamantVecEnv,
    buffer: DecisionBuffer,
    observations: NDArray[np.float32],
    evaluate: Evaluate,
    reward_scale: float,
    exploration: Exploration | None = None,
) -> tuple[NDArray[np.float32], int]:
    """Draw the learners' decisions with the games' own random numbers, play them, and add both to the buffer.

    Args:
        env: The learning seats.
        buffer: Where their decisions and outcomes go.
        observations: float32 (rows, NUM_FEATURES), what the seats see now.
        evaluate: Gives log-probabilities (decisions, 2) and values (decisions,) for the observations of those that
            must decide.
        reward_scale: Rewards are multiplied by this.
        exploration: Says who tosses a coin instead, and what is learned from; None: nobody, and everything.

    Returns:
        What the seats see next, float32 (rows, NUM_FEATURES), and how many decided.
    """
    rows = np.flatnonzero(observations[:, 0])
    seen = observations[rows]
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
