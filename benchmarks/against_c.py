"""The engine beside plain C in the same run: steps with observations, the rules alone, random games to their ends."""

from __future__ import annotations

import numpy as np

from benchmarks.contenders.engine import (
    action_ring,
    engine_play,
    random_games,
    random_games_play,
    reference_games_play,
    reference_play,
    rules_play,
)
from benchmarks.contenders.reference import Reference
from benchmarks.measure import Effort, Play, alternate
from benchmarks.results import Comparison, comparisons

C = "plain C"
C_CHANGES = f"{C}, only what changed"
PLAYERS, LEAVE = (4, 8), (0.1, 0.5)


def compare_steps(batches: tuple[int, ...], effort: Effort) -> list[Comparison]:
    """Engine and C with observations and without, at 4 and 8 players, LEAVE with probability 0.1 and 0.5."""
    rows = []
    for num_games in batches:
        for players in PLAYERS:
            for leave in LEAVE:
                ring = action_ring(num_games, players, leave)
                with_observations: dict[str, Play] = {
                    "engine": engine_play(num_games, players, ring),
                    C: reference_play(num_games, players, ring),
                    C_CHANGES: reference_play(num_games, players, ring, incremental=True),
                }
                rules_alone: dict[str, Play] = {
                    "engine": rules_play(num_games, players, ring),
                    C: reference_play(num_games, players, ring, observed=False),
                }
                what = f"batch {num_games:,}, {players} players, LEAVE {leave}"
                for section, contenders in (("step with observations", with_observations), ("rules", rules_alone)):
                    rates = {
                        name: speed.times(num_games * players / 1e6)
                        for name, speed in alternate(contenders, effort).items()
                    }
                    rows += comparisons(section, what, "M agent-steps/s", rates)
    return rows


def compare_random_games(effort: Effort, num_games: int = 4096) -> list[Comparison]:
    """Random games with decisions drawn inside, one thread of the engine beside the C."""
    rows = []
    for players in PLAYERS:
        for leave in LEAVE:
            theirs, _ = Reference(1, players).play_games(50, 0, leave)
            if not np.array_equal(random_games(50, players, leave), theirs):
                raise RuntimeError("engine and C played different random games")
            contenders: dict[str, Play] = {
                "engine": random_games_play(num_games, players, leave),
                C: reference_games_play(num_games, players, leave),
            }
            rates = {name: speed.times(num_games) for name, speed in alternate(contenders, effort).items()}
            rows += comparisons("random games to the end", f"{players} players, LEAVE {leave}", "games/s", rates)
    return rows
