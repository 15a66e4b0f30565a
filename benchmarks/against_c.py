"""The engine beside the C in the same run: with observations and the rules alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.engine import action_ring, deciding_share, engine_play, reference_play, rules_play
from benchmarks.measure import Effort, Speed, alternate
from benchmarks.reference import PLAIN_FLAGS, TUNED_FLAGS
from benchmarks.results import Comparison

REQUIRED, GOAL = 0.75, 0.9  # of the C, with observations
PLAIN_C = "hand-written C"
PLAIN_C_CHANGES = f"{PLAIN_C}, only what changed"
TUNED_C = f"{PLAIN_C}, tuned for this processor"
TUNED_C_CHANGES = f"{TUNED_C}, only what changed"
VECTOR_C = "C with vector registers by hand"
VECTOR_C_CHANGES = f"{VECTOR_C}, only what changed"


def compare_steps(batches: tuple[int, ...], effort: Effort) -> list[Comparison]:
    """Engine and C with observations and without, at 4 and 8 players, LEAVE with probability 0.1 and 0.5."""
    rows = []
    for num_games in batches:
        for players in (4, 8):
            for leave in (0.1, 0.5):
                rows += _with_observations(num_games, players, leave, effort)
                rows += _rules_alone(num_games, players, leave, effort)
    return rows


def _with_observations(num_games: int, players: int, leave: float, effort: Effort) -> list[Comparison]:
    ring = action_ring(num_games, players, leave)
    contenders = {
        "engine": engine_play(num_games, players, ring),
        PLAIN_C: reference_play(num_games, players, ring, "plain", PLAIN_FLAGS),
        PLAIN_C_CHANGES: reference_play(num_games, players, ring, "incremental", PLAIN_FLAGS),
        TUNED_C: reference_play(num_games, players, ring, "plain", TUNED_FLAGS),
        TUNED_C_CHANGES: reference_play(num_games, players, ring, "incremental", TUNED_FLAGS),
        VECTOR_C: reference_play(num_games, players, ring, "plain"),
        VECTOR_C_CHANGES: reference_play(num_games, players, ring, "incremental"),
    }
    return _rows("step with observations", num_games, players, leave, ring, alternate(contenders, effort))


def _rules_alone(num_games: int, players: int, leave: float, effort: Effort) -> list[Comparison]:
    ring = action_ring(num_games, players, leave)
    contenders = {
        "engine": rules_play(num_games, players, ring),
        PLAIN_C: reference_play(num_games, players, ring, "rules", PLAIN_FLAGS),
        TUNED_C: reference_play(num_games, players, ring, "rules", TUNED_FLAGS),
        VECTOR_C: reference_play(num_games, players, ring, "rules"),
    }
    return _rows("rules alone", num_games, players, leave, ring, alternate(contenders, effort))


def _rows(
    section: str, num_games: int, players: int, leave: float, ring: list[NDArray[np.int8]], speeds: dict[str, Speed]
) -> list[Comparison]:
    """One row for each C, each with the goal as its target."""
    deciding = deciding_share(num_games, players, ring)
    return [
        _row(section, num_games, players, leave, speeds, name, deciding, GOAL) for name in speeds if name != "engine"
    ]


def _row(
    section: str,
    num_games: int,
    players: int,
    leave: float,
    speeds: dict[str, Speed],
    rival: str,
    deciding: float,
    target: float,
) -> Comparison:
    """One row in agent-steps/s, with turns/s and decisions/s as further figures."""
    turns = {name: speed.times(num_games) for name, speed in speeds.items()}
    more = {
        "num_games": num_games,
        "players": players,
        "leave": leave,
        "deciding": deciding,
        "required": REQUIRED,
        "repeats": {name: speed.repeats for name, speed in turns.items()},
        "spread": {name: speed.spread for name, speed in turns.items()},
    }
    for unit, factor in (("turns", 1), ("agent_steps", players), ("decisions", players * deciding)):
        more[f"{unit}_per_second"] = {name: speed.median * factor for name, speed in turns.items()}
    return Comparison(
        section,
        f"batch {num_games:,}, {players} players, LEAVE {leave}",
        "M agent-steps/s",
        turns["engine"].median * players / 1e6,
        rival,
        turns[rival].median * players / 1e6,
        turns["engine"].over(turns[rival]),
        target,
        more=more,
    )


def units_side_by_side(rows: list[Comparison]) -> list[list[str]]:
    """Return lines for a table: turns/s, agent-steps/s and decisions/s of the engine, in millions."""
    lines = []
    for row in rows:
        if "turns_per_second" in row.more and row.rival == PLAIN_C:
            figures = [row.more[f"{unit}_per_second"]["engine"] / 1e6 for unit in ("turns", "agent_steps", "decisions")]
            lines.append(
                [row.section, row.what, *(f"{figure:.1f}" for figure in figures), f"{row.more['deciding']:.0%}"]
            )
    return lines
