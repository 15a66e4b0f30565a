"""Random games to their ends beside the C, and two threads or processes beside one."""

from __future__ import annotations

import numpy as np

from benchmarks.against_c import TUNED_C, VECTOR_C
from benchmarks.engine import (
    action_ring,
    engine_play,
    random_games,
    random_games_play,
    reference_games_play,
    rules_play,
)
from benchmarks.measure import Effort, Play, Speed, alternate
from benchmarks.processes import processes_play
from benchmarks.reference import Reference, ScalarReference
from benchmarks.results import Comparison

THREADS = {"one thread": 1, "two threads": 2}
TWO_PROCESSES = "two processes"
TWO_BESIDE_ONE = 1.8
JUDGED_BATCH = 16_384
LEAVE = 0.1
GAMES_PER_SECOND = 500_000


def compare_random_games(effort: Effort, num_games: int = 4096) -> list[Comparison]:
    """Random games with decisions drawn inside: one and two threads of the engine beside one of each C."""
    rows = []
    for players in (4, 8):
        for leave in (0.1, 0.5):
            _require_equal_games(players, leave)
            contenders: dict[str, Play] = {
                name: random_games_play(num_games, players, leave, threads) for name, threads in THREADS.items()
            }
            for name, kind in ((TUNED_C, ScalarReference), (VECTOR_C, Reference)):
                contenders[name] = reference_games_play(kind, num_games, players, leave)
            rows += _rows(f"{players} players, LEAVE {leave}", alternate(contenders, effort), num_games)
    return rows


def _require_equal_games(players: int, leave: float) -> None:
    ours = random_games(50, players, leave)
    for kind in (ScalarReference, Reference):
        if not np.array_equal(ours, kind(1, players).play_games(50, 0, leave)[0]):
            raise RuntimeError("engine and C played different random games")


def _rows(what: str, speeds: dict[str, Speed], num_games: int) -> list[Comparison]:
    section = "random games to the end"
    rates = {name: speed.median * num_games for name, speed in speeds.items()}
    more = {"repeats": {name: speed.times(num_games).repeats for name, speed in speeds.items()}}

    def row(threads: str, rival: str, theirs: float, ratio: float, target: float | None = None) -> Comparison:
        line, rate = f"{what}, {threads}", rates[threads]
        return Comparison(section, line, "games/s", rate, rival, theirs, ratio, target, more=more)

    rows = [
        row(threads, rival, rates[rival], speeds[threads].over(speeds[rival]))
        for threads in THREADS
        for rival in (TUNED_C, VECTOR_C)
    ]
    one, two = THREADS
    rows.append(row(two, one, rates[one], speeds[two].over(speeds[one])))
    if what.startswith("4") and what.endswith("0.1"):
        rows.append(row(one, "target", GAMES_PER_SECOND, rates[one] / GAMES_PER_SECOND, 1.0))
    return rows


def compare_threads(batches: tuple[int, ...], effort: Effort) -> list[Comparison]:
    """Two threads beside one, with observations and the rules alone; where a target says so, two processes too.

    Each process has half the games.
    """
    rows = []
    for num_games in batches:
        for players in (4, 8):
            ring = action_ring(num_games, players, LEAVE)
            for make in (engine_play, rules_play):
                contenders = {name: make(num_games, players, ring, threads) for name, threads in THREADS.items()}
                judged = make is engine_play and num_games >= JUDGED_BATCH
                if judged:
                    contenders[TWO_PROCESSES] = processes_play(make, num_games, players, LEAVE, 2)
                kind = "with observations" if make is engine_play else "rules alone"
                what = f"{kind}, batch {num_games:,}, {players} players"
                rows += _beside_one(what, num_games * players, alternate(contenders, effort), judged)
    return rows


def _beside_one(what: str, agents: int, speeds: dict[str, Speed], judged: bool) -> list[Comparison]:
    """What all others make of one thread, in agent-steps."""
    one, *others = speeds
    rates = {name: speed.median * agents / 1e6 for name, speed in speeds.items()}
    more = {"repeats": {name: speed.times(agents).repeats for name, speed in speeds.items()}}
    target = TWO_BESIDE_ONE if judged else None
    return [
        Comparison(
            "two cores", f"{two}, {what}", "M agent-steps/s", rates[two], one, rates[one],
            speeds[two].over(speeds[one]), target, more=more,
        )
        for two in others
    ]  # fmt: skip
