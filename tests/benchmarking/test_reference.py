"""C implementation of the benchmarks against the engine, byte for byte."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.contenders.reference import Reference, compiled_library, new_arrays
from diamant_env import Batch, Edition

ODD = Edition(
    name="odd",
    treasures=(6, 10, 100, 100, 3, 1),
    traps=("a", "b"),
    trap_copies=9,
    relics=(3, 50, 7, 9, 100),
    relics_enter="expedition",
    relic_values="printed",
    expeditions=6,
    bust_removes=2,
)
GAMES, TURNS = 70, 60  # over two blocks of the C code
CASES = [
    *({"players": players} for players in (1, 8)),
    *({"players": 3, "edition": edition} for edition in ("everdeck-relics", ODD)),
    *({"auto_reset": False, "leave": leave} for leave in (0.05, 0.6)),
    {"players": 8, "games": 7003, "turns": 6},  # larger than the caches
]


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    try:
        compiled_library()
    except OSError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("incremental", [False, True])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_c_and_engine_give_same_observations_rewards_and_ends(case, incremental):
    play = {"players": 4, "edition": "iello-2016", "auto_reset": True, "leave": 0.2, "games": GAMES, "turns": TURNS}
    players, edition, auto_reset, leave, games, turns = (play | case).values()
    batch, rival = Batch(games, players, edition), Reference(games, players, edition)
    observations, rewards, done = new_arrays(games, players)
    rival.reset(5, observations)
    assert batch.reset(5).tobytes() == observations.tobytes()
    random = np.random.default_rng(players)
    for turn in range(turns):
        actions = (random.random((games, players)) < leave).astype(np.int8)
        expected = batch.step(actions, auto_reset=auto_reset)
        rival.stepper(actions, observations, rewards, done, auto_reset=auto_reset, incremental=incremental)()
        for ours, theirs in zip(expected, (observations, rewards, done), strict=True):
            assert ours.tobytes() == theirs.tobytes(), f"turn {turn}"
