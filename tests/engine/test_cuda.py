"""The GPU's games are the CPU's, in Numba's CUDA simulator (with the JIT off) and, where there is one, on a GPU.

A process of its own plays them: the simulator is chosen when Numba is imported.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import cuda

from diamant_env import Batch

NO_GPU = pytest.mark.skipif(not cuda.is_available(), reason="there is no GPU here")
SETTINGS = [
    {"num_players": [3, 8, 1, 5], "edition": ["iello-2016", "incan-gold", "schmidt-2005", "iello-2016-fr-relics"]},
    {"num_players": [2, 3, 4, 8], "edition": "everdeck", "reward": "margin"},
    {"num_players": 4, "edition": "incan-gold", "reward": "win"},
]


@pytest.mark.parametrize("simulator", ["1", pytest.param("0", marks=NO_GPU)])
def test_the_same_games_and_bad_input(simulator):
    settings = {"NUMBA_ENABLE_CUDASIM": simulator, "NUMBA_DISABLE_JIT": simulator}
    settings["PYTHONPATH"] = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, __file__], env=os.environ | settings, capture_output=True, text=True, check=False, timeout=600
    )
    assert (done.returncode, done.stdout) == (0, "the same games\n"), done.stderr


def play() -> None:
    """Compare byte by byte over some dozen turns, after wrong calls."""
    from diamant_env.cuda import CudaBatch  # it needs the simulator or a GPU

    with pytest.raises(RuntimeError, match=r"step before reset: call reset\(\) first"):
        CudaBatch(2, 3).step(np.zeros((2, 3), np.int8))
    for settings in SETTINGS:
        here, there = Batch(4, **settings), CudaBatch(4, **settings)
        assert there.games.tobytes() == bytes(4 * here.games.itemsize)
        assert there.reset(5).copy_to_host().tobytes() == here.reset(5).tobytes()
        with pytest.raises(ValueError, match=rf"actions of shape \(2, 4\); expected \(4, {here.seats}\)"):
            there.step(np.zeros((2, 4), np.int8))
        with pytest.raises(ValueError, match="actions of dtype float64; expected int8"):
            there.step(np.zeros((4, here.seats)))
        random, ended = np.random.default_rng(1), 0
        for _ in range(32):
            actions = (random.random((4, here.seats)) < 0.4).astype(np.int8)
            expected = here.step(actions, auto_reset=True)
            found = there.step(actions)
            for mine, theirs in zip(expected, found, strict=True):
                assert theirs.copy_to_host().tobytes() == mine.tobytes()
            assert there.games.tobytes() == here.games.tobytes()
            ended += int(expected[2].sum())
        assert ended > 3
    print("the same games")


if __name__ == "__main__":
    play()
