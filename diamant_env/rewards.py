"""What a learner is paid: the reward of every seat after a turn."""

from __future__ import annotations

import numpy as np

from diamant_env.compiled import jit
from diamant_env.rules import OVER, win_share

REWARDS = {
    "score": "gems banked at this step, relics at their value when taken",
    "win": "at the end of the game 1/k for each of the k winners, else 0",
    "margin": "at the end of the game own score less the mean of the others' scores: zero-sum",
}
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
def reward_of(game, edition, seat, code):
    """Return the reward of one seat for the turn just played."""
    if code == _SCORE:
        return float(game.banked[seat])
    if game.phase != OVER:
        return 0.0
    if code == _WIN:
        return win_share(game, edition, seat)
    others = np.int64(0)
    for other in range(game.num_players):
        if other != seat:
            others += game.chest[other]
    return game.chest[seat] - others / (game.num_players - 1)
