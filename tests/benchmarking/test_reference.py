"""The C of the benchmarks plays the engine's games: the same observations, rewards and ends, byte for byte."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.contenders.reference import NoCompilerError, Reference, compiled_library, new_arrays
from diamant_env import EDITIONS, Batch, Edition

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
GAMES, TURNS = 70, 60  # more than two blocks of the C
INCREMENTAL = pytest.mark.parametrize("incremental", [False, True])


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    try:
        compiled_library()
    except NoCompilerError as error:
        pytest.skip(str(error))


def compare(
    players: int, edition: str | Edition, incremental: bool, auto_reset: bool = True, leave: float = 0.2,
    games: int = GAMES, turns: int = TURNS,
) -> None:  # fmt: skip
    """Play the same games in both and compare all that they write."""
    batch, rival = Batch(games, players, edition), Reference(games, players, edition)
    observations, rewards, done = new_arrays(games, players)
    rival.reset(5, observations)
    assert batch.reset(5).tobytes() == observations.tobytes()
    random = np.random.default_rng(players)
    for turn in range(turns):
        actions = (random.random((games, players)) < leave).astype(np.int8)
        expected = batch.step(actions, auto_reset=auto_reset)
        rival.stepper(actions, observations, rewards, done, auto_reset=auto_reset, incremental=incremental)()
        for name, ours, theirs in zip(
            ("observations", "rewards", "done"), expected, (observations, rewards, done), strict=True
        ):
            assert ours.tobytes() == theirs.tobytes(), f"{name} differ at turn {turn}"


@INCREMENTAL
@pytest.mark.parametrize("players", range(1, 9))
def test_tables_of_every_size(players, incremental):
    compare(players, "iello-2016", incremental)


@INCREMENTAL
@pytest.mark.parametrize("edition", [*EDITIONS, ODD], ids=str)
def test_every_edition(edition, incremental):
    for players in (3, 8):
        compare(players, edition, incremental)


@INCREMENTAL
@pytest.mark.parametrize("leave", [0.05, 0.6])
def test_games_that_stay_over(incremental, leave):
    compare(4, "iello-2016", incremental, auto_reset=False, leave=leave)


@INCREMENTAL
def test_a_batch_larger_than_the_caches(incremental):
    compare(8, "iello-2016", incremental, games=7003, turns=6)


@pytest.mark.parametrize("auto_reset", [False, True])
def test_the_rules_alone(auto_reset):
    batch, rival = Batch(GAMES, 4), Reference(GAMES, 4)
    batch.reset(5)
    rival.reset(5)
    _, rewards, done = new_arrays(GAMES, 4)
    for turn in range(TURNS):
        actions = (np.random.default_rng(turn).random((GAMES, 4)) < 0.2).astype(np.int8)
        expected = batch.play(actions, auto_reset=auto_reset)
        rival.stepper(actions, None, rewards, done, auto_reset=auto_reset)()
        assert expected[0].tobytes() == rewards.tobytes()
        assert expected[1].tobytes() == done.tobytes()
