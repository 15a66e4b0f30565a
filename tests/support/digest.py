"""Play mixed games and print a digest of everything they show: run by `test_compiled` with and without compilation."""

from __future__ import annotations

import hashlib
import sys

import numpy as np

from diamant_env import GAME, Batch, Edition, from_observation
from diamant_env.rewards import REWARDS
from tests.support.play import BASE, LATE_RELICS, ODD, PRINTED, RELICS_DECIDE

# As many cards and gems as there may be.
FULL = Edition(name="full", treasures=(1000,), traps=("a",), trap_copies=99, expeditions=2, bust_removes=0)
EDITIONS = [BASE, LATE_RELICS, PRINTED, RELICS_DECIDE, ODD, FULL]


def play_batch(reward: str, auto_reset: bool, digest) -> None:
    """Play one game of every table size; decisions come from the games' own random numbers."""
    players = np.arange(2 if reward == "margin" else 1, 9)
    size = len(players)
    batch = Batch(size, players, [EDITIONS[i % len(EDITIONS)] for i in range(size)], reward)
    actions, chance = np.zeros((size, 8), np.int8), np.full((size, 8), 0.3, np.float32)
    arrays = [batch.reset(seed=123)]
    for _ in range(40):
        batch.draw_decisions(chance, actions)
        arrays += [array.copy() for array in batch.step(actions, auto_reset=auto_reset)]
        arrays += [actions.copy(), batch.state()]
        arrays += [batch.games[name].copy() for name in GAME.names]
    for state, key, edition in zip(batch.state(), batch.games.key, batch.games.edition, strict=True):
        digest.update(repr(from_observation(state[None], [int(key)], batch.editions[edition]).tolist()).encode())
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())


if __name__ == "__main__":
    np.seterr(over="ignore")  # random numbers and words overflow on purpose
    sha = hashlib.sha256()
    for each in REWARDS:
        play_batch(each, each == "score", sha)
    sys.stdout.write(sha.hexdigest())
