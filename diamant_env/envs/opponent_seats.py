"""Who plays against a single learner: what the setting `opponents` may be, and how its agents are asked."""

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
        opponents: Texts that `diamant_env.opponents.make` takes, policy files, agents, or functions of the
            observations. One for all rivals, or one per rival in the order in which the learner's
            observation lists them: the first sits on the seat after the learner's.
        num_rivals: Rivals at each table.

    Attributes:
        agents: Each agent once, as a `Table` takes them.

    Raises:
        ValueError: If `opponents` is something else or of the wrong length.
    """

    def __init__(self, opponents: Player | Sequence[Player], num_rivals: int) -> None:
        one_each = one_per_rival(opponents, num_rivals)
        different = {_identity(one): one for one in one_each or [opponents]}
        order = list(different)
        self._relative = np.array([order.index(_identity(one)) for one in one_each] + [EMPTY])
        self.agents = make_opponents(different.values())

    def seating(self, learners: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the `Table`'s seating, int (games, seats), around these learners' seats, int (games,)."""
        seats = len(self._relative)
        return self._relative[(np.arange(seats) - learners[:, None] - 1) % seats]

    def seed(self, seed: int) -> None:
        """Seed the agents that have a method ``seed(int)``, each differently."""
        seed_agents(self.agents, seed)


def one_per_rival(opponents: Player | Sequence[Player], num_rivals: int) -> list[Any]:
    """Return the opponent of each rival; a ValueError says if there are too few or too many."""
    one_each = list(opponents) if isinstance(opponents, list | tuple) else [opponents] * num_rivals
    if len(one_each) != num_rivals:
        raise ValueError(f"{len(one_each)} opponents; give one for all rivals, or one for each of the {num_rivals}")
    return one_each


def seed_agents(agents: Sequence[Agent], seed: int) -> None:
    """Seed those of the agents that have a method ``seed(int)``, each differently."""
    drawing = [agent.seed for agent in agents if callable(getattr(agent, "seed", None))]  # type: ignore[attr-defined]
    for position, call in enumerate(drawing):
        call(int(np.random.SeedSequence([seed, position]).generate_state(1)[0]))


def make_opponents(opponents: Iterable[Player]) -> list[Agent]:
    """Return the agents of opponents; a ValueError says which is none."""
    try:
        return [make(opponent, secrets.randbits(32)) for opponent in opponents]
    except ValueError as error:
        raise ValueError(f"opponents: {error}") from error.__cause__


def _identity(opponent: Any) -> Any:
    """Return what makes two opponents the same agent: their text, or that they are one object."""
    return str(opponent) if isinstance(opponent, str | Path) else id(opponent)
