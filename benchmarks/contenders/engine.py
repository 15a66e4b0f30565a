"""Our engine and the C as contenders, with observations or the rules alone; games that end begin anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.contenders.reference import Reference, new_arrays
from benchmarks.measure import Timed, timed
from diamant_env import Batch

RING = 16  # arrays of actions, drawn beforehand and used in turn
Ring = list[NDArray[np.int8]]


def action_ring(num_games: int, seats: int) -> Ring:
    """Return arrays of random actions, int8 (num_games, seats), LEAVE with probability 0.1."""
    random = np.random.default_rng(0)
    return [(random.random((num_games, seats)) < 0.1).astype(np.int8) for _ in range(RING)]


def engine_play(num_games: int, players: int, ring: Ring, threads: int = 1) -> Timed:
    """Return a contender: the engine with observations, rewards and done."""
    batch = Batch(num_games, players, threads=threads)
    observations, rewards, done = new_arrays(num_games, players)
    batch.reset(0, observations=observations)

    def play(steps: int) -> None:
        for step in range(steps):
            batch.step(ring[step % RING], observations, rewards, done, auto_reset=True)

    return timed(play)


def rules_play(num_games: int, players: int, ring: Ring) -> Timed:
    """Return a contender: the engine without observations."""
    batch = Batch(num_games, players)
    batch.reset(0)
    _, rewards, done = new_arrays(num_games, players)

    def play(steps: int) -> None:
        for step in range(steps):
            batch.play(ring[step % RING], rewards, done, auto_reset=True)

    return timed(play)


def reference_play(num_games: int, players: int, ring: Ring, incremental: bool = False, observed: bool = True) -> Timed:
    """Return a contender: the C (see `Reference.stepper`), with observations unless `observed` is false."""
    rival = Reference(num_games, players)
    observations, rewards, done = new_arrays(num_games, players)
    rival.reset(0, observations)
    rows = observations if observed else None
    steppers = [rival.stepper(actions, rows, rewards, done, incremental=incremental) for actions in ring]

    def play(steps: int) -> None:
        for step in range(steps):
            steppers[step % RING]()

    return timed(play)
