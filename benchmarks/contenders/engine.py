"""Our engine as a contender: batches with observations, the rules alone, random games."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from benchmarks.contenders.reference import Reference, new_arrays
from benchmarks.measure import Play
from diamant_env import Batch

RING = 16  # arrays of actions, drawn beforehand and used in turn


def action_ring(num_games: int, seats: int, leave_probability: float) -> list[NDArray[np.int8]]:
    """Return arrays of random actions, int8 (num_games, seats)."""
    random = np.random.default_rng(0)
    return [(random.random((num_games, seats)) < leave_probability).astype(np.int8) for _ in range(RING)]


def engine_play(num_games: int, players: int, ring: list[NDArray[np.int8]], threads: int = 1) -> Play:
    """Return a contender: the engine with observations, rewards, done and auto-reset."""
    batch = Batch(num_games, players, threads=threads)
    observations, rewards, done = new_arrays(num_games, players)
    batch.reset(0, observations=observations)

    def play(steps: int) -> None:
        for step in range(steps):
            batch.step(ring[step % RING], observations, rewards, done, auto_reset=True)

    return play


def reference_play(
    num_games: int, players: int, ring: list[NDArray[np.int8]], incremental: bool = False, observed: bool = True
) -> Play:
    """Return a contender: the C (see `Reference.step`), with observations unless `observed` is false."""
    rival = Reference(num_games, players)
    observations, rewards, done = new_arrays(num_games, players)
    rival.reset(0, observations)
    rows = observations if observed else None
    steppers = [rival.stepper(actions, rows, rewards, done, incremental=incremental) for actions in ring]

    def play(steps: int) -> None:
        for step in range(steps):
            steppers[step % RING]()

    return play


def rules_play(
    num_games: int,
    players: int,
    ring: list[NDArray[np.int8]],
    threads: int = 1,
    read_bags: bool = False,
) -> Play:
    """Return a contender: the engine without observations; on request each step reads all bags."""
    batch = Batch(num_games, players, threads=threads)
    batch.reset(0)
    _, rewards, done = new_arrays(num_games, players)

    def play(steps: int) -> None:
        for step in range(steps):
            batch.play(ring[step % RING], rewards, done, auto_reset=True)
            if read_bags:
                batch.tables["bag"].max()

    return play


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


def reference_games_play(num_games: int, players: int, leave_probability: float) -> Play:
    """Return a contender: the C plays as many random games; a step is one batch, other games each time."""
    rival, seeds = Reference(1, players), itertools.count(0, num_games)

    def play(steps: int) -> None:
        for _ in range(steps):
            rival.play_games(num_games, next(seeds), leave_probability)

    return play


def random_games(count: int, players: int, leave_probability: float) -> NDArray[np.int16]:
    """Play the games with seeds 0, 1 … to their ends; return the chests, int16 (count, players)."""
    batch = Batch(count, players)
    batch.reset(0)
    return batch.play_out(leave_probability)
