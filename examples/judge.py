"""What all recipes end with: a fixed number of games against scripted opponents, and one line of result."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

import gymnasium
import numpy as np
from numpy.typing import ArrayLike, NDArray

import diamant_env  # noqa: F401 - registers the tasks

GAMES = 1000
OPPONENTS = ["ev", "bag:15", "cards:7"]  # distinct: copies of one agent are easily exploited


def report(library: str, steps: int, choose: Callable[[NDArray[np.float32]], ArrayLike]) -> None:
    """Play the games and print the result.

    Args:
        library: The name under which it is installed.
        steps: What the library counts as trained on.
        choose: Takes observations float32 (n, NUM_FEATURES) of seats that must decide, returns (n,) of 0 and 1.
    """
    share = win_share(choose)
    print(
        f"result: {library} {version(library)}, {steps:,} steps: win share {share:.3f} "
        f"against {', '.join(OPPONENTS)} in {GAMES:,} games (fair: 0.250)"
    )


def win_share(choose: Callable[[NDArray[np.float32]], ArrayLike]) -> float:
    """Return the learner's share of wins; each of the games counts once, however long it is."""
    env = gymnasium.make_vec(
        "diamant_env/Diamant-v0", num_envs=GAMES, num_players=4, reward="win", opponents=OPPONENTS, seat=None
    )
    observations, _ = env.reset(seed=2**32)  # far from the seeds that anybody trains on
    over, wins = np.zeros(GAMES, bool), np.zeros(GAMES)
    while not over.all():
        actions = np.asarray(choose(observations)).reshape(GAMES).astype(np.int64)
        observations, rewards, terminations, _, _ = env.step(actions)
        wins[~over] += rewards[~over]
        over |= terminations
    return float(wins.mean())
