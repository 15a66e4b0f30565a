"""Two threads of the engine beside one."""

from __future__ import annotations

from benchmarks.contenders.engine import action_ring, engine_play, rules_play
from benchmarks.measure import Effort, alternate
from benchmarks.results import Comparison, comparisons

LEAVE = 0.1


def compare_threads(batches: tuple[int, ...], effort: Effort) -> list[Comparison]:
    """Two threads beside one, with observations and the rules alone, at 4 and 8 players."""
    rows = []
    for num_games in batches:
        for players in (4, 8):
            ring = action_ring(num_games, players, LEAVE)
            for kind, play in (("with observations", engine_play), ("rules", rules_play)):
                contenders = {
                    "two threads": play(num_games, players, ring, 2),
                    "one thread": play(num_games, players, ring),
                }
                speeds = alternate(contenders, effort)
                rates = {name: speed.times(num_games * players / 1e6) for name, speed in speeds.items()}
                what = f"{kind}, batch {num_games:,}, {players} players"
                rows += comparisons("two threads", what, "M agent-steps/s", rates)
    return rows
