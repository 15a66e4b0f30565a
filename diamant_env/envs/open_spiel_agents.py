"""Adapters between agents of this project and OpenSpiel's policies and bots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray
from open_spiel.python.policy import Policy

from diamant_env.agent import answer_of
from diamant_env.editions import Edition
from diamant_env.engine.arguments import checked_int
from diamant_env.engine.edition_params import edition_params
from diamant_env.engine.records import rebuilt
from diamant_env.exact.response import require_stateless
from diamant_env.observation import NUM_FEATURES, Observations
from diamant_env.opponents.custom import AgentSpec
from diamant_env.opponents.registry import make_agent
from diamant_env.state import CONTINUE, LEAVE, GameState

_REPEATS = 16  # calls per first card, to detect agents that sample
_SEAT_FIELDS = ("chest", "relics", "inside", "left_turn")


class AgentPolicy(Policy):
    """OpenSpiel policy of an agent, for all players of the game or its turn-based form.

    Args:
        game: `python_diamant`, or its `pyspiel.convert_to_turn_based`.
        agent: An argument of `diamant_env.opponents.make_agent`.

    Raises:
        ValueError: If it is not an agent or has memory.
    """

    def __init__(self, game: pyspiel.Game, agent: AgentSpec) -> None:
        super().__init__(game, list(range(game.num_players())))
        self.agent = make_agent(agent)
        start = game.new_initial_state()
        self._edition = edition_of(game)
        rows = [self._flat(start.child(card), 0) for card, _ in start.chance_outcomes()]
        repeated = np.repeat(np.concatenate(rows), _REPEATS, axis=0)
        require_stateless(self.agent, Observations(repeated, self._edition))

    def action_probabilities(self, state: pyspiel.State, player_id: int | None = None) -> dict[int, float]:
        """Return the probability of each legal action."""
        player = state.current_player() if player_id is None else player_id
        if len(state.legal_actions(player)) == 1:
            return {CONTINUE: 1.0}
        obs = Observations(self._flat(state, player), self._edition)
        leave = float(answer_of(self.agent, obs, np.zeros(1, np.bool_))[0])
        return {CONTINUE: 1 - leave, LEAVE: leave}

    def _flat(self, state: pyspiel.State, player: int) -> NDArray[np.float32]:
        # The turn-based form prepends the current player to the tensor.
        return np.array(state.observation_tensor(player), np.float32)[None, -NUM_FEATURES:]


class AgentBot(pyspiel.Bot):
    """OpenSpiel bot of an agent, see `AgentPolicy`; `PolicyBot` fails where 0 is the only legal action."""

    def __init__(self, game: pyspiel.Game, player: int, agent: AgentSpec, seed: int = 0) -> None:
        super().__init__()
        self._player, self._policy, self._random = player, AgentPolicy(game, agent), np.random.default_rng(seed)

    def step_with_policy(self, state: pyspiel.State) -> tuple[list[tuple[int, float]], int]:
        """Return the probability of each legal action and a sampled action."""
        chances = self._policy.action_probabilities(state, self._player)
        return list(chances.items()), int(self._random.choice(list(chances), p=list(chances.values())))

    def step(self, state: pyspiel.State) -> int:
        """Return an action."""
        return self.step_with_policy(state)[1]

    def restart_at(self, state: pyspiel.State) -> None:
        """Do nothing: the bot is stateless."""


class PolicyAgent:
    """Agent of an OpenSpiel policy, for `evaluate` and tables.

    Args:
        policy: An object with ``action_probabilities(state, player)``, for a game with ``recall=state``.
        game: The game of the policy: `python_diamant` or its turn-based form.
        player: The player whose policy is used in every seat.
        name: The agent's ``str``.

    Raises:
        ValueError: If the game's information states are histories, which observations do not contain, or it hides
            rivals.
    """

    stateless = True

    def __init__(self, policy: Any, game: pyspiel.Game, player: int = 0, name: str = "OpenSpiel's policy") -> None:
        parameters = game.get_parameters()
        if parameters.get("game", parameters).get("recall") != "state":
            raise ValueError("a policy of histories can't act on observations; train it with recall=state")
        self.edition = edition_of(game)
        if self.edition.hidden_rivals:
            raise ValueError("a policy of a game with hidden rivals can't act: observations have no state of the game")
        self.policy, self.game, self.name = policy, game, name
        self.player = checked_int("player", player, 0, game.num_players() - 1)

    def __str__(self) -> str:
        return self.name

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`; raise ValueError for rows of other games than the policy's."""
        leave, rows = np.zeros(len(episode_start), np.float32), np.flatnonzero(obs["must_decide"])
        if np.any(obs["hidden_chests"][rows]) and not self.edition.hidden_chests:
            raise ValueError(f"{self} plays with open chests; the chests of this table are hidden")
        self._check_editions(obs)
        games = rebuilt(obs.flat[rows], np.zeros(len(rows), np.uint64))
        for field in _SEAT_FIELDS:  # rebuilt games have the observer in seat 0
            part = games[field][:, : self.game.num_players()]
            part[:] = np.roll(part, self.player, axis=1)
        for row, record in zip(rows, games, strict=True):
            state = state_at(self.game, record, self.player)
            leave[row] = self.policy.action_probabilities(state, self.player).get(LEAVE, 0)
        return leave

    def _check_editions(self, obs: Observations) -> None:
        rules = _rules_of(self.edition)
        for edition, _ in obs.by_edition():
            if edition.hidden_rivals or _rules_of(edition) != rules:
                raise ValueError(f"{self} plays {self.edition.name}, not {edition.name}")


def _rules_of(edition: Edition) -> bytes:
    return edition_params(edition.replace(hidden_chests=False)).tobytes()


def edition_of(game: pyspiel.Game) -> Edition:
    """Return the edition of the game or its turn-based form."""
    start = game.new_initial_state()
    return (start.simultaneous_game_state() if hasattr(start, "simultaneous_game_state") else start).position.edition


def state_at(game: pyspiel.Game, record: GameState, player: int) -> pyspiel.State:
    """Return `player`'s decision state, of the game or its turn-based form, from a record of `GAME`.

    Its history is empty, so it suits policies with ``recall=state`` only.
    """
    state = game.new_initial_state()
    if not hasattr(state, "simultaneous_game_state"):
        state.position.restore(record)
        return state
    state.apply_action(state.legal_actions()[0])  # the turn-based form updates its player only after an action
    state.simultaneous_game_state().position.restore(record)
    for _ in range(player):
        state.apply_action(CONTINUE)
    return state
