"""What tells one version of a task from another: a hash of games of it."""

from __future__ import annotations

from functools import cache
from hashlib import sha256

import numpy as np

from diamant_env import Batch
from train.benchmarking.suite import Task

_GAMES, _TURNS = 16, 80


@cache
def digest(task: Task) -> str:
    """Return a hash of what is seen and paid in games of a task, 16 hexadecimal digits.

    Another one says that the rules, the observation, the reward or the shuffling have changed.
    """
    batch = Batch(_GAMES, task.players, task.game.played(), task.game.reward, blank_rivals=task.game.blank)
    found = sha256(batch.reset(seed=0).tobytes())
    game, seat = np.indices((_GAMES, task.players))
    for turn in range(_TURNS):
        leave = (turn + 3 * seat + game) % 7 == 0
        for part in batch.step(leave.astype(np.int8), auto_reset=True):
            found.update(np.ascontiguousarray(part).tobytes())
    return found.hexdigest()[:16]
