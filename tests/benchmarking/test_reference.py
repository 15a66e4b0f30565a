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


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    try:
        compiled_library()
    except NoCompilerError as error:
        pytest.skip(str(error))


def compare(
    players: int, edition: str | Edition, incremental: bool = False, auto_reset: bool = True, leave: float = 0.2
) -> None:
    """Play the same games in both and compare all that they write."""
    batch, rival = Batch(GAMES, players, edition), Reference(GAMES, players, edition)
    observations, rewards, done = new_arrays(GAMES, players)
    rival.reset(5, observations)
    assert batch.reset(5).tobytes() == observations.tobytes()
    random = np.random.default_rng(players)
    for turn in range(TURNS):
        actions = (random.random((GAMES, players)) < leave).astype(np.int8)
        expected = batch.step(actions, auto_reset=auto_reset)
        rival.stepper(actions, observations, rewards, done, auto_reset=auto_reset, incremental=incremental)()
        for name, ours, theirs in zip(
            ("observations", "rewards", "done"), expected, (observations, rewards, done), strict=True
        ):
            assert ours.tobytes() == theirs.tobytes(), f"{name} differ at turn {turn}"


@pytest.mark.parametrize("incremental", [False, True])
@pytest.mark.parametrize("players", range(1, 9))
def test_tables_of_every_size(players, incremental):
    compare(players, "iello-2016", incremental)


@pytest.mark.parametrize("edition", [*EDITIONS, ODD], ids=str)
def test_every_edition(edition):
    for players in (3, 4, 8):
        compare(players, edition)
        compare(players, edition, incremental=True)


@pytest.mark.parametrize("incremental", [False, True])
@pytest.mark.parametrize("leave", [0.05, 0.6])
def test_games_that_stay_over(incremental, leave):
    compare(4, "iello-2016", incremental, auto_reset=False, leave=leave)


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


@pytest.mark.parametrize("incremental", [False, True])
def test_a_batch_larger_than_the_caches(incremental):
    games = 7003
    batch, rival = Batch(games, 8), Reference(games, 8)
    observations, rewards, done = new_arrays(games, 8)
    rival.reset(1, observations)
    batch.reset(1)
    for turn in range(6):
        actions = (np.random.default_rng(turn).random((games, 8)) < 0.3).astype(np.int8)
        expected, *_ = batch.step(actions, auto_reset=True)
        rival.stepper(actions, observations, rewards, done, incremental=incremental)()
        assert np.array_equal(expected, observations)


def test_random_games_are_those_of_the_engine():
    batch = Batch(GAMES, 5)
    observations = batch.reset(9)
    actions, leave = np.zeros((GAMES, 5), np.int8), np.full((GAMES, 5), 0.3, np.float32)
    turns = 0
    while not batch.over.all():
        turns += int((~batch.over).sum())
        batch.draw_decisions(leave, actions)
        batch.step(actions, observations)
    chests, played = Reference(1, 5).play_games(GAMES, 9, float(np.float32(0.3)))
    assert chests.tolist() == batch.games.chest[:, :5].tolist()
    assert played == turns
