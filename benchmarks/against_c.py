"""Engine against plain C in one run: steps with and without observations, with auto-reset."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.contenders.reference import Reference, new_arrays
from benchmarks.measure import Effort, Play, Row, alternate, rows_of
from diamant_env import Batch

C = "plain C"
Ring = list[NDArray[np.int8]]
"""Arrays of actions, drawn beforehand and used in turn."""


def compare_steps(batches: tuple[int, ...], effort: Effort) -> list[Row]:
    """Return all comparisons at 4 and 8 players."""
    rows = []
    for games in batches:
        for players in (4, 8):
            random = np.random.default_rng(0)
            ring = [(random.random((games, players)) < 0.1).astype(np.int8) for _ in range(16)]
            sections = {
                "step with observations": {
                    "engine": engine(ring),
                    C: reference(ring),
                    f"{C}, only what changed": reference(ring, incremental=True),
                },
                "rules": {"engine": engine(ring, observed=False), C: reference(ring, observed=False)},
            }
            for section, contenders in sections.items():
                rates = {
                    name: [games * players / 1e6 * rate for rate in found]
                    for name, found in alternate(contenders, effort).items()
                }
                rows += rows_of(section, f"batch {games:,}, {players} players", "M agent-steps/s", rates)
    return rows


def engine(ring: Ring, observed: bool = True) -> Play:
    """Return the engine as a contender, with observations if `observed`."""
    batch = Batch(*ring[0].shape)
    observations, rewards, done = new_arrays(*ring[0].shape)
    batch.reset(0, observations=observations)

    def play(steps: int) -> None:
        for step in range(steps):
            actions = ring[step % len(ring)]
            if observed:
                batch.step(actions, observations, rewards, done, auto_reset=True)
            else:
                batch.play(actions, rewards, done, auto_reset=True)

    return play


def reference(ring: Ring, incremental: bool = False, observed: bool = True) -> Play:
    """Return the C code as a contender, see `Reference.stepper`."""
    rival = Reference(*ring[0].shape)
    observations, rewards, done = new_arrays(*ring[0].shape)
    rival.reset(0, observations)
    rows = observations if observed else None
    steppers = [rival.stepper(actions, rows, rewards, done, incremental=incremental) for actions in ring]

    def play(steps: int) -> None:
        for step in range(steps):
            steppers[step % len(ring)]()

    return play
