"""Who plays against a single learner: what the setting `opponents` may be, and how its agents are asked."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent, answer_of
from diamant_env.observation import NUM_FEATURES, Observations
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.own import FunctionAgent, Player, as_agent
from diamant_env.opponents.registry import make
from diamant_env.opponents.scripted.family import Scripted
from diamant_env.opponents.table import EMPTY

Opponent: TypeAlias = "Player | Path"


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
        return answer_of(self.agent, Observations(self._seen.copy()), starting)[rows]


class OpponentSeats:
    """The agents of all seats but the learner's.

    Args:
        opponents: Texts that `diamant_env.opponents.make` takes, policy files, agents, or functions of the
            observations. One for all rivals, or one per rival in the order in which the learner's
            observation lists them: the first sits on the seat after the learner's.
        num_rivals: Rivals at each table.
        num_games: Tables.

    Attributes:
        agents: Each agent once, as a `Table` takes them.

    Raises:
        ValueError: If `opponents` is something else or of the wrong length.
    """

    def __init__(self, opponents: Opponent | Sequence[Opponent], num_rivals: int, num_games: int) -> None:
        one_each = one_per_rival(opponents, num_rivals)
        known: dict[Any, Agent] = {_identity(one): opponent_agent(one) for one in (one_each or [opponents])}
        order = list(known)
        self._relative = np.array([order.index(_identity(one)) for one in one_each] + [EMPTY])
        self.agents = list(known.values())
        self._unwrapped = list(self.agents)
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
        seed_agents(self._unwrapped, seed)


def one_per_rival(opponents: Opponent | Sequence[Opponent], num_rivals: int) -> list[Any]:
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


def opponent_agent(opponent: Any) -> Agent:
    """Return the agent that an opponent is; a ValueError says if it is none."""
    try:
        if isinstance(opponent, str | Path):
            return make(str(opponent), secrets.randbits(32))
        return as_agent(opponent)
    except ValueError as error:
        raise ValueError(f"opponents: {error}") from error.__cause__


def _identity(opponent: Any) -> Any:
    """Return what makes two opponents the same agent: their text, or that they are one object."""
    return str(opponent) if isinstance(opponent, str | Path) else id(opponent)


def _is_memoryless(agent: Agent) -> bool:
    """Whether an agent is known to look at nothing but each row by itself."""
    if isinstance(agent, Scripted):
        return type(agent).seed is Scripted.seed  # those that draw something themselves remember it
    return isinstance(agent, NetworkAgent | FunctionAgent)
