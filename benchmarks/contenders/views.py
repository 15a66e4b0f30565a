"""One game through PettingZoo's parallel API, beside its rock-paper-scissors."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.measure import Effort, Play, alternate
from benchmarks.results import Comparison, comparisons
from diamant_env import diamant_v0

_RING = 64  # dictionaries of actions, drawn beforehand and used in turn


def parallel_play(env: Any, leave_probability: float) -> Play:
    """Return a contender: a parallel environment with two actions, reset whenever its game ends."""
    random = np.random.default_rng(0)
    agents = env.possible_agents
    rolls = random.random((_RING, len(agents))) < leave_probability
    ring = [dict(zip(agents, map(int, roll), strict=True)) for roll in rolls]
    env.reset(seed=0)

    def play(steps: int) -> None:
        for step in range(steps):
            env.step(ring[step % _RING])
            if not env.agents:
                env.reset()

    return play


def compare_views(effort: Effort) -> list[Comparison]:
    """Steps/s of 2, 4 and 8 players beside rock-paper-scissors."""
    try:
        from pettingzoo.classic import rps_v2
    except ImportError as error:
        raise ValueError(f"PettingZoo's rps needs pygame: pip install '.[render]' ({error})") from None
    contenders = {
        f"{players} players": parallel_play(diamant_v0.parallel_env(num_players=players), 0.1) for players in (2, 4, 8)
    }
    rival = "PettingZoo's rock-paper-scissors"
    speeds = alternate(contenders | {rival: parallel_play(rps_v2.parallel_env(), 0.5)}, effort)
    section = "PettingZoo's parallel API, one game"
    return [
        row
        for what in contenders
        for row in comparisons(section, what, "steps/s", {what: speeds[what], rival: speeds[rival]})
    ]
