"""Our engine as a contender: batches with observations, the rules alone, random games."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Play
from benchmarks.reference import Reference, ScalarReference, new_arrays
from diamant_env import Batch

RING = 16  # arrays of actions, made beforehand and used in turn


def action_ring(num_games: int, seats: int, leave_probability: float) -> list[NDArray[np.int8]]:
    """Return arrays of random actions, int8 (num_games, seats)."""
    random = np.random.default_rng(0)
    return [(random.random((num_games, seats)) < leave_probability).astype(np.int8) for _ in range(RING)]


def engine_play(num_games: int, players: int, ring: list[NDArray[np.int8]], threads: int = 1) -> Play:
    """Return a contender: the engine with observations, rewards, done and auto-reset, in the caller's arrays."""
    batch = Batch(num_games, players, threads=threads)
    observations, rewards, done = new_arrays(num_games, players)
    batch.reset(0, observations=observations)

    def play(steps: int) -> None:
        for step in range(steps):
            batch.step(ring[step % RING], observations, rewards, done, auto_reset=True)

    return play


def reference_play(
    num_games: int, players: int, ring: list[NDArray[np.int8]], variant: str, flags: tuple[str, ...] | None = None
) -> Play:
    """Return a contender: a variant of the C (see `Reference.step`) with arrays of the same kind.

    With the compiler's `flags` it is the C without vector types, else the strongest.
    """
    rival = Reference(num_games, players) if flags is None else ScalarReference(num_games, players, flags=flags)
    observations, rewards, done = new_arrays(num_games, players)
    rows = None if variant == "rules" else observations
    rival.reset(0, observations)
    steppers = [rival.stepper(actions, rows, rewards, done, variant=variant) for actions in ring]

    def play(steps: int, keep: object = (rival, observations, rewards, done)) -> None:
        for step in range(steps):
            steppers[step % RING]()

    return play


def rules_play(
    num_games: int,
    players: int,
    ring: list[NDArray[np.int8]],
    threads: int = 1,
    look: Callable[[Batch], object] = lambda batch: None,
) -> Play:
    """Return a contender: the rules with rewards, done and auto-reset, without rows; each step ends with `look`."""
    batch = Batch(num_games, players, threads=threads)
    batch.reset(0)
    _, rewards, done = new_arrays(num_games, players)

    def play(steps: int) -> None:
        for step in range(steps):
            batch.play(ring[step % RING], rewards, done, auto_reset=True)
            look(batch)

    return play


def tables_play(num_games: int, players: int, ring: list[NDArray[np.int8]]) -> Play:
    """Return a contender: the rules with the narrow observation, of which each step takes the bags at risk."""
    return rules_play(num_games, players, ring, look=lambda batch: batch.tables["bag"].max())


def deciding_share(num_games: int, players: int, ring: list[NDArray[np.int8]]) -> float:
    """Return which share of the seats has to decide, on average over steps in mid-game."""
    batch = Batch(min(num_games, 1024), players)
    observations = batch.reset(0)
    deciding = []
    for step in range(100):
        batch.step(ring[step % RING][: batch.num_games], observations, auto_reset=True)
        deciding.append(float(np.mean(batch.must_decide)))
    return float(np.mean(deciding[50:]))


def random_games_play(num_games: int, players: int, leave_probability: float, threads: int = 1) -> Play:
    """Return a contender that plays batches of random games to their ends; a step is one batch."""
    batch = Batch(num_games, players, threads=threads)
    observations, *_ = new_arrays(num_games, players)
    batch.reset(0, observations=observations)

    def play(steps: int) -> None:
        for _ in range(steps):
            batch.reset(observations=observations)
            batch.play_out(leave_probability)

    return play


def reference_games_play(kind: type[Reference], num_games: int, players: int, leave_probability: float) -> Play:
    """Return a contender: as many games in a step by one of the C's, other ones in each."""
    rival, seeds = kind(1, players), itertools.count(0, num_games)

    def play(steps: int) -> None:
        for _ in range(steps):
            rival.play_games(num_games, next(seeds), leave_probability)

    return play


def random_games(count: int, players: int, leave_probability: float) -> NDArray[np.int16]:
    """Play the games with seeds 0, 1 … to their ends; return the chests, int16 (count, players)."""
    batch = Batch(count, players)
    batch.reset(0)
    return batch.play_out(leave_probability)
