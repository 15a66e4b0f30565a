"""One game through PettingZoo's parallel API, beside PettingZoo's rock-paper-scissors."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.measure import Effort, Play, alternate
from benchmarks.results import Comparison
from diamant_env import diamant_v0

REQUIRED, GOAL = 10, 13  # times rps
STEPS_PER_SECOND = 110_000
_RING = 64  # dictionaries of actions, made beforehand


def parallel_play(env: Any, leave_probability: float, number: type = int) -> Play:
    """Return a contender: a parallel environment with two actions, reset whenever its game ends."""
    random = np.random.default_rng(0)
    agents = env.possible_agents
    rolls = random.random((_RING, len(agents))) < leave_probability
    ring = [dict(zip(agents, map(number, roll), strict=True)) for roll in rolls]
    env.reset(seed=0)

    def play(steps: int) -> None:
        for step in range(steps):
            env.step(ring[step % _RING])
            if not env.agents:
                env.reset()

    return play


def compare_views(effort: Effort) -> list[Comparison]:
    """Steps/s with dictionaries, Python-int and NumPy-integer actions."""
    try:
        from pettingzoo.classic import rps_v2
    except ImportError as error:
        raise ValueError(f"PettingZoo's rps needs pygame: pip install '.[render]' ({error})") from None
    names = {"Python ints": int, "NumPy integers": np.int64}
    contenders = {
        f"{players} players, {name}": parallel_play(diamant_v0.parallel_env(num_players=players), 0.1, number)
        for players in (2, 4, 8)
        for name, number in names.items()
    }
    rivals = {f"rps, {name}": parallel_play(rps_v2.parallel_env(), 0.5, number) for name, number in names.items()}
    speeds = alternate(contenders | rivals, effort)
    rows = []
    for what in contenders:
        rival = f"rps, {what.split(', ')[1]}"
        ours, target = speeds[what], GOAL if what == "4 players, Python ints" else None
        section, ratio = "PettingZoo parallel", ours.over(speeds[rival])
        rows.append(Comparison(section, what, "steps/s", ours.median, rival, speeds[rival].median, ratio, target))
        if target:
            wanted = STEPS_PER_SECOND
            rows.append(Comparison(section, what, "steps/s", ours.median, "target", wanted, ours.median / wanted, 1.0))
    return rows
