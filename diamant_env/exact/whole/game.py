"""Exact best responses and equilibria of small whole games, for any reward and policies of the full observation.

One player deviates and knows the public state: all chests, also hidden ones, since they follow from past decisions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent, answer_deciding
from diamant_env.editions import MAX_PLAYERS, Edition, find_edition
from diamant_env.engine.arguments import checked_int
from diamant_env.engine.edition_params import edition_params_array
from diamant_env.engine.records import as_bytes, from_observation, observe_records
from diamant_env.exact.induction import EQUILIBRIUM, EVALUATE, RESPONSE, Progress
from diamant_env.exact.response import Response, answers_to, check_policy
from diamant_env.exact.whole.graph import build_graph, find_states
from diamant_env.exact.whole.values import induce_values
from diamant_env.observation import Observations
from diamant_env.rewards import reward_code
from diamant_env.state import DECIDE

_NODES = 8_000  # per batch of observations: a few megabytes

Policy: TypeAlias = NDArray[np.float64]
"""Probability of leaving of each seat at each state, float64 (nodes, num_players), 0 in camp."""


class WholeGame:
    """All states of a small game.

    Args:
        edition: Name of an edition, such as ``"small-3"``, or an `Edition`.
        num_players: Players at the table.

    Attributes:
        edition: The edition.
        num_players: Players at the table.
        graph: The states and their moves, see `Graph`.

    Raises:
        ValueError: If there are too many states for the memory.

    >>> from diamant_env import Edition
    >>> game = WholeGame(Edition("tiny", (3, 5), ("snake",), trap_copies=2, expeditions=1), num_players=2)
    >>> len(game.graph.states)
    58
    >>> game.best_response(game.solve_equilibrium("win"), "win").exploitability
    0.0
    """

    def __init__(self, edition: str | Edition, num_players: int) -> None:
        self.edition = find_edition(edition)
        self.num_players = checked_int("num_players", num_players, 1, MAX_PLAYERS)
        self.graph = build_graph(self.edition, self.num_players)
        self._edition_params = edition_params_array([self.edition])

    def best_response(
        self, agent: Agent | Policy | Sequence[Agent | Policy], reward: str = "win", progress: Progress | None = None
    ) -> Response:
        """Return the value of an agent or policy and of the best response to it.

        Args:
            agent: Agent or policy of all seats; or a list of one per seat, of which one deviates at a time: values are
                then float64 (num_players,).
            reward: One of `REWARDS`.
            progress: Called with the fraction done of an agent's policy, 0 to 1.

        Raises:
            ValueError: If the reward is unknown, the list has another length, a policy has another shape or a value
                outside [0, 1], or `policy_of` raises it.
        """
        code = reward_code(reward, self.num_players)
        agents: list[Any] = list(agent) if isinstance(agent, list | tuple) else [agent]
        if len(agents) not in {1, self.num_players}:
            raise ValueError(f"{len(agents)} agents; one, or one for each of the {self.num_players} seats, is expected")
        policies = [
            self._checked(item) if isinstance(item, np.ndarray) else self.policy_of(item, progress) for item in agents
        ]
        seats = np.arange(self.num_players)
        shifts = [np.choose((seats + shift) % len(policies), policies) for shift in range(len(policies))]
        policy = np.stack(shifts, axis=1)
        best, profile = (self._values(policy, code, mode) for mode in (RESPONSE, EVALUATE))
        if len(policies) == 1:
            return Response(float(best[0]), float(profile[0]), self.num_players)
        return Response(best, profile, self.num_players)

    def solve_equilibrium(self, reward: str = "win") -> Policy:
        """Return a subgame-perfect equilibrium, by backward induction over Nash equilibria of the joint decisions.

        `best_response` to it returns its value and the numerical error.

        Args:
            reward: One of `REWARDS`.

        Raises:
            ValueError: If the reward is unknown.
        """
        policy = np.zeros((len(self.graph.states), 1, self.num_players))
        self._values(policy, reward_code(reward, self.num_players), EQUILIBRIUM)
        return policy[:, 0]

    def agent(self, policy: Policy, name: str = "policy") -> Agent:
        """Return an agent that plays a policy in games with open chests.

        In a state that a rotation of the seats leaves unchanged, these seats observe the same: all play the probability
        of one of them.

        Raises:
            ValueError: If the policy has another shape or a value outside [0, 1]; when it acts, for another table,
                hidden chests or hidden rivals.
        """
        return WholeGameAgent(self, self._checked(policy), name)

    def policy_of(self, agent: Agent, progress: Progress | None = None) -> Policy:
        """Return an agent's policy, float64 (nodes, num_players); the agent observes what the edition shows.

        Args:
            agent: The agent.
            progress: Called with the fraction done, 0 to 1.

        Raises:
            ValueError: If the agent reads hidden features, is not a function of the observation, or returns values
                outside [0, 1].
        """
        games = self.graph.games
        policy, deciding = np.zeros((len(games), self.num_players)), np.flatnonzero(games["phase"] == DECIDE)
        for first in range(0, len(deciding), _NODES):
            nodes = deciding[first : first + _NODES]
            inside = games["inside"][nodes, : self.num_players] != 0
            flat = observe_records(games[nodes], self._edition_params, self.num_players)[inside]
            answers = np.zeros(inside.shape)
            answers[inside] = answers_to(flat, agent, self.edition)
            policy[nodes] = answers
            if progress:
                progress(min(first + _NODES, len(deciding)) / len(deciding))
        return policy

    def _checked(self, policy: NDArray) -> Policy:
        """Return a policy as float64, 0 in camp; raise a ValueError as `check_policy` does."""
        policy = np.asarray(policy, np.float64)
        check_policy(policy, (len(self.graph.states), self.num_players))
        return np.where(self.graph.games["inside"][:, : self.num_players] != 0, policy, 0)

    def _values(self, policy: NDArray[np.float64], code: int, mode: int) -> NDArray[np.float64]:
        """Return the value of each seat at the start, float64 (num_players,)."""
        value = np.zeros_like(policy)
        induce_values(self.graph, as_bytes(self._edition_params), code, mode, policy, value)
        return value[0, 0]


@dataclass(frozen=True, eq=False)
class WholeGameAgent:
    """Agent that plays a policy of a small whole game, see `WholeGame.agent`."""

    game: WholeGame
    policy: Policy
    name: str
    stateless: ClassVar[bool] = True

    def __str__(self) -> str:
        return self.name

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        return answer_deciding(obs, lambda rows: self._leave(obs.flat[rows]))

    def _leave(self, flat: NDArray[np.float32]) -> NDArray[np.float64]:
        game, obs = self.game, Observations(flat)
        rivals = (obs["rival_present"].sum(axis=1) == game.num_players - 1) & (obs["hidden_chests"] == 0)
        if not rivals.all():
            raise ValueError(f"{self} plays {game.num_players} players with open chests; rivals are absent or hidden")
        states = from_observation(flat, np.zeros(len(flat), np.uint64), game.edition)
        nodes = np.empty((len(flat), 2), np.int64)
        find_states(game.graph, as_bytes(states).view(np.uint64), nodes)
        if (nodes[:, 0] < 0).any():
            raise ValueError(f"{self}: row {nodes[:, 0].argmin()} is not a state of {game.edition.name!r}")
        return self.policy[nodes[:, 0], nodes[:, 1]]
