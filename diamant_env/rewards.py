"""What a learner is paid: the reward of every seat after a turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from diamant_env.native.compiled import jit
from diamant_env.native.simd import write_row
from diamant_env.rules import win_share
from diamant_env.state import OVER, EditionNumbers, Game

REWARDS = {
    "score": "gems banked at this step, relics at their value when taken",
    "win": "at the end of the game 1/k for each of the k winners, else 0",
    "margin": "at the end of the game own score less the mean of the others' scores: zero-sum",
}
"""The rewards by name, each with what a seat is paid."""
_SCORE, _WIN, _MARGIN = range(len(REWARDS))


def reward_code(reward: str, fewest_players: int) -> int:
    """Return the number by which the compiled code knows a reward.

    Raises:
        ValueError: If there is no such reward, or if it is the margin of a player alone.
    """
    if reward not in REWARDS:
        raise ValueError(f"unknown reward {reward!r}; rewards: {', '.join(REWARDS)}")
    if reward == "margin" and fewest_players < 2:
        raise ValueError("reward 'margin' compares a player with the others; one player has none")
    return list(REWARDS).index(reward)


@jit
def pay(game: Game, edition: EditionNumbers, code: int, played: bool, rewards: NDArray[np.float32], i: int) -> None:
    """Write the rewards of all seats for a turn into `rewards[i]`, float32 (seats,): 0 if it was not `played`."""
    if played and code == _SCORE:
        write_row(rewards, i, game.banked)
    else:
        rewards[i, :] = 0
    if played and code != _SCORE and game.phase == OVER:
        for seat in range(min(game.num_players, rewards.shape[1])):
            rewards[i, seat] = win_share(game, edition, seat) if code == _WIN else margin(game, seat)


@jit
def margin(game: Game, seat: int) -> float:
    """Return a seat's score less the mean of the others' scores."""
    others = np.int64(0)
    for other in range(game.num_players):
        if other != seat:
            others += game.chest[other]
    return game.chest[seat] - others / (game.num_players - 1)
