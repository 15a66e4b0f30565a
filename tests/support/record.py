"""Records of games that agents play."""

from collections.abc import Sequence

import numpy as np

from diamant_env import Batch, Edition
from diamant_env.opponents import Agent, Table
from diamant_env.records import GameLog, GameRecord


def record_of(
    agents: Sequence[Agent],
    edition: str | Edition = "iello-2016",
    seed: int = 0,
    hidden_chests: bool | None = None,
    notes: Sequence[str] = (),
) -> GameRecord:
    """Let agents, one per seat, play a game and return its record."""
    batch = Batch(1, len(agents), edition, hidden_chests=hidden_chests)
    table = Table(batch, agents, [range(len(agents))])
    log = GameLog(batch.editions[0], len(agents), seed, [str(agent) for agent in agents], notes)
    observations, actions = batch.reset(seed), np.zeros((1, len(agents)), np.int8)
    log.follow(batch.games[0])
    while not batch.over[0]:
        table.decide(observations, actions)
        batch.step(actions, observations)
        log.follow(batch.games[0])
    return log.record()
