"""Who plays against a single learner: what the setting `opponents` may be, and how its agents are asked."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.agent import Agent
from diamant_env.observation import NUM_FEATURES, Observations
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.registry import make
from diamant_env.opponents.scripted.family import Scripted
from diamant_env.opponents.table import EMPTY

Opponent: TypeAlias = "str | Path | Agent | Callable[[Observations], ArrayLike]"
ALLOWED = (
    "a text such as 'bag:18', a policy file (*.safetensors), an agent with act(obs, first), a function of the "
    "observations, or a sequence with one of these per rival"
)


@dataclass
class FunctionAgent:
    """An agent without memory: its function returns the probability of LEAVE, or a bool, for each row."""

    function: Callable[[Observations], ArrayLike]

    def __str__(self) -> str:
        return str(self.function)

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`."""
        return np.asarray(self.function(obs), np.float32)


class StatefulOpponent:
    """Asks an agent that may remember things by row, when only some of the games play a turn.

    The agent always gets all its rows, in the same order. A row of a game that plays no turn now looks as it did
    last, except that it must not decide. `games` are those that play a turn now; `act` is given their rows alone.
    """

    def __init__(self, agent: Agent, num_games: int, rows_per_game: int) -> None:
        self.agent = agent
        self.games = np.arange(num_games)
        self._seats = np.arange(rows_per_game)
        self._seen = np.zeros((num_games * rows_per_game, NUM_FEATURES), np.float32)

    def __str__(self) -> str:
        return str(self.agent)

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`."""
        rows = (self.games[:, None] * len(self._seats) + self._seats).ravel()
        self._seen[:, 0] = 0
        self._seen[rows] = obs.flat
        starting = np.zeros(len(self._seen), np.bool_)
        starting[rows] = first
        answer = np.asarray(self.agent.act(Observations(self._seen.copy()), starting), np.float32)
        if answer.shape != starting.shape:
            raise ValueError(f"{self} must return {len(starting)} probabilities, not an array of shape {answer.shape}")
        return answer[rows]


class OpponentSeats:
    """The agents of all seats but the learner's.

    Args:
        opponents: See `ALLOWED`. One for all rivals, or one per rival in the order in which the learner's
            observation lists them: the first sits on the seat after the learner's.
        num_rivals: Rivals at each table.
        num_games: Tables.

    Attributes:
        agents: Each agent once, as a `Table` takes them.

    Raises:
        ValueError: If `opponents` is something else or of the wrong length.
    """

    def __init__(self, opponents: Opponent | Sequence[Opponent], num_rivals: int, num_games: int) -> None:
        one_each = list(opponents) if isinstance(opponents, list | tuple) else [opponents] * num_rivals
        if len(one_each) != num_rivals:
            raise ValueError(f"{len(one_each)} opponents; give one for all rivals, or one for each of the {num_rivals}")
        known: dict[Any, Agent] = {_identity(one): _agent(one) for one in (one_each or [opponents])}
        order = list(known)
        self._relative = np.array([order.index(_identity(one)) for one in one_each] + [EMPTY])
        self.agents = list(known.values())
        self._seeded = [agent for agent in self.agents if callable(getattr(agent, "seed", None))]
        self._stateful: list[StatefulOpponent] = []
        for position, agent in enumerate(self.agents):
            if not _is_memoryless(agent):
                rows_per_game = int(np.count_nonzero(self._relative == position))
                self._stateful.append(StatefulOpponent(agent, num_games, rows_per_game))
                self.agents[position] = self._stateful[-1]

    def seating(self, learners: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the `Table`'s seating, int (games, seats), around these learners' seats, int (games,)."""
        seats = len(self._relative)
        return self._relative[(np.arange(seats) - learners[:, None] - 1) % seats]

    def ask_for(self, games: NDArray[np.int64]) -> None:
        """Say which games will play the next turn, so that agents with memory know their rows."""
        for opponent in self._stateful:
            opponent.games = games

    def seed(self, seed: int) -> None:
        """Seed the agents that have a method ``seed(int)``, each differently."""
        for position, agent in enumerate(self._seeded):
            agent.seed(int(np.random.SeedSequence([seed, position]).generate_state(1)[0]))  # type: ignore[attr-defined]


def _agent(opponent: Any) -> Agent:
    if isinstance(opponent, str | Path):
        try:
            return make(str(opponent), secrets.randbits(32))
        except ValueError as error:
            raise ValueError(f"opponents: {error}; or {ALLOWED}") from None
    if not isinstance(opponent, type):
        if callable(getattr(opponent, "act", None)):
            return opponent
        if callable(opponent):
            return FunctionAgent(opponent)
    raise ValueError(f"opponents: {opponent!r} plays nothing; allowed: {ALLOWED}")


def _identity(opponent: Any) -> Any:
    """Return what makes two opponents the same agent: their text, or that they are one object."""
    return str(opponent) if isinstance(opponent, str | Path) else id(opponent)


def _is_memoryless(agent: Agent) -> bool:
    """Whether an agent is known to look at nothing but each row by itself."""
    if isinstance(agent, Scripted):
        return type(agent).seed is Scripted.seed  # those that draw something themselves remember it
    return isinstance(agent, NetworkAgent | FunctionAgent)
