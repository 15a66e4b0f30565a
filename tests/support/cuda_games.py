"""Play the same games on the CPU and in Numba's CUDA simulator; run by test_cuda.py with NUMBA_ENABLE_CUDASIM=1."""

from __future__ import annotations

import numpy as np

from diamant_env import Batch
from diamant_env.cuda import CudaBatch

SETTINGS = [
    {"num_players": [3, 8, 1, 5], "edition": ["iello-2016", "incan-gold", "schmidt-2005", "iello-2016-fr-relics"]},
    {"num_players": [2, 3, 4, 8], "edition": "everdeck", "reward": "margin"},
    {"num_players": 4, "edition": "incan-gold", "reward": "win"},
]


def bad_input() -> None:
    """Print what is said of wrong calls."""
    batch = CudaBatch(2, 3)
    for actions in (np.zeros((2, 3), np.int8), np.zeros((2, 4), np.int8), np.zeros((2, 3))):
        try:
            batch.step(actions)
        except (RuntimeError, ValueError) as error:
            print(error)
            batch.reset(1)


def main() -> None:
    """Compare byte by byte over some hundred turns."""
    for settings in SETTINGS:
        here, there = Batch(4, **settings), CudaBatch(4, **settings)
        assert there.games.tobytes() == bytes(4 * here.games.itemsize)
        assert there.reset(5).copy_to_host().tobytes() == here.reset(5).tobytes()
        random, ended = np.random.default_rng(1), 0
        for _ in range(60):
            actions = (random.random((4, here.seats)) < 0.4).astype(np.int8)
            expected = here.step(actions, auto_reset=True)
            found = there.step(actions)
            for mine, theirs in zip(expected, found, strict=True):
                assert theirs.copy_to_host().tobytes() == mine.tobytes()
            assert there.games.tobytes() == here.games.tobytes()
            ended += int(expected[2].sum())
        assert ended > 8
    print("the same games")


if __name__ == "__main__":
    bad_input()
    main()
