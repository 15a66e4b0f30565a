"""Opponents of a single learner, from the argument `opponents`."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent
from diamant_env.opponents.own import Player
from diamant_env.opponents.registry import make
from diamant_env.opponents.table import EMPTY


class OpponentSeats:
    """The agents of all seats but the learner's.

    Args:
        opponents: One argument of `diamant_env.opponents.make` for all rivals, or one per rival in seat order after
            the learner.
        num_rivals: Rivals at each table.

    Attributes:
        agents: The distinct agents, for a `Table`.

    Raises:
        ValueError: If `opponents` is invalid or of the wrong length.
    """

    def __init__(self, opponents: Player | Sequence[Player], num_rivals: int) -> None:
        one_each = one_per_rival(opponents, num_rivals)
        different = {_identity(one): one for one in one_each or [opponents]}
        order = list(different)
        self._relative = np.array([order.index(_identity(one)) for one in one_each] + [EMPTY])
        self.agents = make_opponents(different.values())

    def seating(self, learners: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the `Table`'s seating, int (games, seats), for the learners' seats, int (games,)."""
        seats = len(self._relative)
        return self._relative[(np.arange(seats) - learners[:, None] - 1) % seats]

    def seed(self, seed: int) -> None:
        """Seed the agents that have a method ``seed(int)``, each differently."""
        seed_agents(self.agents, seed)


def one_per_rival(opponents: Player | Sequence[Player], num_rivals: int) -> list[Any]:
    """Return one opponent per rival; raise ValueError if the number differs."""
    one_each = list(opponents) if isinstance(opponents, list | tuple) else [opponents] * num_rivals
    if len(one_each) != num_rivals:
        raise ValueError(f"{len(one_each)} opponents; give one for all rivals, or one for each of the {num_rivals}")
    return one_each


def seed_agents(agents: Sequence[Agent], seed: int) -> None:
    """Seed the agents that have a method ``seed(int)``, each differently."""
    seeders = [agent.seed for agent in agents if callable(getattr(agent, "seed", None))]  # type: ignore[attr-defined]
    for position, call in enumerate(seeders):
        call(int(np.random.SeedSequence([seed, position]).generate_state(1)[0]))


def make_opponents(opponents: Iterable[Player]) -> list[Agent]:
    """Return the agents of opponents; raise ValueError for one that is no agent."""
    try:
        return [make(opponent, secrets.randbits(32)) for opponent in opponents]
    except ValueError as error:
        raise ValueError(f"opponents: {error}") from error.__cause__


def _identity(opponent: Any) -> Any:
    """Return the key by which opponents share an agent: their text, or the object's identity."""
    return str(opponent) if isinstance(opponent, str | Path) else id(opponent)
