"""The engine beside the C in the same run: with observations, rules alone, random games, two threads."""

from __future__ import annotations

import numpy as np

from benchmarks.engine import (
    HAS_THREADS,
    action_ring,
    deciding_share,
    engine_play,
    random_games,
    reference_play,
    rules_play,
)
from benchmarks.measure import Effort, Speed, alternate
from benchmarks.reference import Reference
from benchmarks.results import Comparison

REQUIRED, GOAL = 0.75, 0.9  # of the fastest C, with observations
TWO_THREADS = 1.8
GAMES_PER_SECOND = 500_000


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
        "C, all rows anew": reference_play(num_games, players, ring, "plain"),
        "C, what changed": reference_play(num_games, players, ring, "incremental"),
        "C without vector types": reference_play(num_games, players, ring, "scalar"),
    }
    speeds = alternate(contenders, effort)
    fastest = max((name for name in speeds if name != "engine"), key=lambda name: speeds[name].median)
    deciding = deciding_share(num_games, players, ring)
    return [
        _row(
            "step with observations",
            num_games,
            players,
            leave,
            speeds,
            name,
            deciding,
            GOAL if name == fastest else None,
        )
        for name in contenders
        if name != "engine"
    ]


def _rules_alone(num_games: int, players: int, leave: float, effort: Effort) -> list[Comparison]:
    ring = action_ring(num_games, players, leave)
    contenders = {
        "engine": rules_play(num_games, players, ring),
        "C": reference_play(num_games, players, ring, "rules"),
        "C without vector types": reference_play(num_games, players, ring, "scalar rules"),
    }
    speeds = alternate(contenders, effort)
    deciding = deciding_share(num_games, players, ring)
    return [
        _row("rules alone", num_games, players, leave, speeds, name, deciding, GOAL if name == "C" else None)
        for name in contenders
        if name != "engine"
    ]


def _row(
    section: str,
    num_games: int,
    players: int,
    leave: float,
    speeds: dict[str, Speed],
    rival: str,
    deciding: float,
    target: float | None,
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
        if "turns_per_second" in row.more and (row.target is not None):
            figures = [row.more[f"{unit}_per_second"]["engine"] / 1e6 for unit in ("turns", "agent_steps", "decisions")]
            lines.append(
                [row.section, row.what, *(f"{figure:.1f}" for figure in figures), f"{row.more['deciding']:.0%}"]
            )
    return lines


def compare_random_games(effort: Effort) -> list[Comparison]:
    """Random games to their ends with decisions drawn inside, engine beside C and the target."""
    rows = []
    for players, leave in ((4, 0.1), (4, 0.5), (8, 0.1)):
        rival = Reference(1, players)
        if not np.array_equal(random_games(50, players, leave), rival.play_games(50, 0, leave)[0]):
            raise RuntimeError("engine and C played different random games")
        speeds = alternate(
            {
                "engine": lambda count, players=players, leave=leave: random_games(count, players, leave),
                "C": lambda count, rival=rival, leave=leave: rival.play_games(count, 0, leave),
            },
            effort,
        )
        what, ours = f"{players} players, LEAVE {leave}", speeds["engine"].median
        section, ratio = "random games to the end", speeds["engine"].over(speeds["C"])
        rows.append(Comparison(section, what, "games/s", ours, "C", speeds["C"].median, ratio))
        if (players, leave) == (4, 0.1):
            wanted = GAMES_PER_SECOND
            rows.append(Comparison(section, what, "games/s", ours, "target", wanted, ours / wanted, 1.0))
    return rows


def compare_threads(batches: tuple[int, ...], effort: Effort) -> list[Comparison]:
    """Two threads beside one; none if the engine has no such option."""
    rows = []
    for num_games in batches if HAS_THREADS else ():
        for players in (4, 8):
            ring = action_ring(num_games, players, 0.1)
            contenders = {str(threads): engine_play(num_games, players, ring, threads) for threads in (1, 2)}
            speeds = alternate(contenders, effort)
            rates = {name: speed.median * num_games * players / 1e6 for name, speed in speeds.items()}
            what, target = f"batch {num_games:,}, {players} players", TWO_THREADS if num_games >= 16_384 else None
            ratio = speeds["2"].over(speeds["1"])
            rows.append(
                Comparison("two threads", what, "M agent-steps/s", rates["2"], "one", rates["1"], ratio, target)
            )
    return rows
