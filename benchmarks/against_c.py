"""The engine beside plain C in the same run: steps with observations, the rules alone, and two threads beside one."""

from __future__ import annotations

from benchmarks.contenders.engine import action_ring, engine_play, reference_play, rules_play
from benchmarks.measure import Effort, Timed, alternate
from benchmarks.results import Comparison, comparisons

C = "plain C"


def compare_steps(batches: tuple[int, ...], effort: Effort) -> list[Comparison]:
    """All comparisons at 4 and 8 players."""
    rows = []
    for num_games in batches:
        for players in (4, 8):
            ring = action_ring(num_games, players)
            table = num_games, players, ring
            sections: dict[str, dict[str, Timed]] = {
                "step with observations": {
                    "engine": engine_play(*table),
                    C: reference_play(*table),
                    f"{C}, only what changed": reference_play(*table, incremental=True),
                },
                "rules": {"engine": rules_play(*table), C: reference_play(*table, observed=False)},
                "two threads": {"two threads": engine_play(*table, threads=2), "one thread": engine_play(*table)},
            }
            for section, contenders in sections.items():
                speeds = alternate(contenders, effort)
                rates = {name: speed.times(num_games * players / 1e6) for name, speed in speeds.items()}
                rows += comparisons(section, f"batch {num_games:,}, {players} players", "M agent-steps/s", rates)
    return rows
