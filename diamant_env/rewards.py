"""Reward functions: the rewards of all seats after a turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import jit
from diamant_env.rules import win_share
from diamant_env.state import OVER, EditionParams, GameState
from diamant_env.storage.files import check_parameters, nearest

REWARDS = {
    "score": "gems banked at this step, relics at their value when taken",
    "win": "at the end of the game 1/k for each of the k winners, else 0",
    "margin": "at the end of the game own score less the mean of the others' scores: zero-sum",
}
"""The rewards by name, with their definitions."""
_SCORE, _WIN, _MARGIN = range(len(REWARDS))


Reward: TypeAlias = "str | Callable[..., Any]"
"""One of `REWARDS`, or a custom function, see `custom_rewards`."""


def reward_code(reward: Reward, fewest_players: int, functions: bool = False) -> int:
    """Return the integer code of a reward for compiled code, with `functions` also that of a custom function."""
    if functions and callable(reward):
        check_parameters(reward, "the reward", "banked", "chests", "inside", "done")
        return _SCORE  # replaced by `custom_rewards`
    if not isinstance(reward, str) or reward not in REWARDS:
        near = nearest(reward, REWARDS, f"rewards: {', '.join(REWARDS)}{' or a function' * functions}")
        raise ValueError(f"unknown reward {reward!r}; {near}")
    if reward == "margin" and fewest_players < 2:
        raise ValueError("reward 'margin' compares a player with the others; one player has none")
    return list(REWARDS).index(reward)


def custom_rewards(
    reward: Callable, games: NDArray, played: NDArray[np.bool_], absent: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Return the rewards of a custom function, float32 (N, seats); 0 for absent seats and where no turn was played.

    Args:
        reward: Called as ``reward(banked, chests, inside, done)`` after each turn with all N games: int16 (N, seats),
            gems and relic value banked in the turn; int16 (N, seats), chests after it; bool (N, seats), the seats
            inside; bool (N,), whether the game is over. Returns float (N, seats); rows of games that did not play, over
            or waiting for their learner, are ignored.
        games: Records of type `GAME` (N,), after the turn.
        played: bool (N,), the games that played it.
        absent: bool (N, seats), the absent seats.

    Raises:
        ValueError: If the function returns another shape or values that are not finite in float32.
    """
    seats = absent.shape[1]
    banked = np.where(played[:, None], games["banked"][:, :seats], 0).astype(np.int16)
    inside, done = games["inside"][:, :seats] != 0, games["phase"] == OVER
    name = getattr(reward, "__name__", type(reward).__name__)
    answer = np.asarray(reward(banked, games["chest"][:, :seats].copy(), inside, done))
    with np.errstate(over="ignore"):
        paid = answer.astype(np.float32) if answer.dtype.kind in "biuf" else np.float32(np.nan)
    counts = played[:, None] & ~absent
    if answer.shape != absent.shape or not np.isfinite(np.where(counts, paid, 0)).all():
        what = f"shape {answer.shape} of {answer.dtype}" if answer.shape != absent.shape else "non-finite values"
        raise ValueError(f"reward {name} must return finite numbers of shape {absent.shape}, not {what}")
    return np.where(counts, paid, np.float32(0))


@jit(inline=True)
def pay(game: GameState, edition: EditionParams, code: int, played: bool, rewards: NDArray[np.float32], i: int) -> None:
    """Write the rewards of all seats for a turn into `rewards[i]`, float32 (seats,); 0 unless `played`."""
    for seat in range(rewards.shape[1]):
        rewards[i, seat] = game.banked[seat] if played and code == _SCORE else 0
    if played and code != _SCORE and game.phase == OVER:
        for seat in range(min(game.num_players, rewards.shape[1])):
            rewards[i, seat] = final_reward(game, edition, code, seat)


@jit(inline=True)
def final_reward(game: GameState, edition: EditionParams, code: int, seat: int) -> float:
    """Return the sum of a seat's rewards in a game that is over: its score, win share or margin."""
    if code == _WIN:
        return win_share(game, edition, seat)
    score = np.float64(game.chest[seat])
    if code == _SCORE:
        return score
    others = np.int64(0)
    for other in range(game.num_players):
        if other != seat:
            others += game.chest[other]
    return score - others / (game.num_players - 1)
