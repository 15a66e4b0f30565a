"""Records of games that agents play."""

from collections.abc import Sequence

from diamant_env import Edition
from diamant_env.opponents import Agent
from diamant_env.records import GameRecord, GameSession


def record_of(
    agents: Sequence[Agent],
    edition: str | Edition = "iello-2016",
    seed: int = 0,
    hidden_chests: bool | None = None,
) -> GameRecord:
    """Play a game with one agent per seat; return its record."""
    return GameSession(edition, agents, seed, [str(agent) for agent in agents], hidden_chests).play_out()
