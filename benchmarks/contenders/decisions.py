"""How many decisions a game holds."""

from __future__ import annotations

import numpy as np

from diamant_env import Batch
from diamant_env.opponents import Table, make


def decisions_per_game(players: int, leave_probability: float) -> float:
    """Return the mean number of decisions in a game where everyone leaves with this probability."""
    return count_decisions([f"random:{leave_probability}"] * players, players)


def count_decisions(agents: list[str], players: int, games: int = 2000) -> float:
    """Return the mean number of decisions in a game between these agents, one in each seat."""
    batch = Batch(games, players)
    observations = batch.reset(0)
    table = Table(batch, [make(agent) for agent in agents], np.tile(np.arange(players), (games, 1)))
    actions = np.zeros((games, players), np.int8)
    decisions = 0
    while not batch.over.all():
        decisions += int(batch.must_decide.sum())
        table.decide(observations, actions)
        batch.step(actions, observations)
    return decisions / games
