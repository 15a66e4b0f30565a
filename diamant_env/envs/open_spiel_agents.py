"""Agents of this project in OpenSpiel, and OpenSpiel's policies here; `diamant_env.open_spiel` has the game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray
from open_spiel.python.policy import Policy

from diamant_env.agent import answer_of
from diamant_env.engine.arguments import checked_int
from diamant_env.engine.records import rebuilt
from diamant_env.exact.response import require_memoryless
from diamant_env.observation import NUM_FEATURES, Observations
from diamant_env.opponents.own import Player
from diamant_env.opponents.registry import make
from diamant_env.state import CONTINUE, LEAVE, GameState

_ASKED = 16  # times after each first card, for an agent that draws
_OF_SEATS = ("chest", "relics", "inside", "left_turn")


class AgentPolicy(Policy):
    """An agent of this project as a policy for all players of the game or of its turn-based form.

    Args:
        game: `python_diamant`, or what `pyspiel.convert_to_turn_based` makes of it.
        agent: What `diamant_env.opponents.make` takes.

    Raises:
        ValueError: If it is no agent, or one that decides by more than what it sees.
    """

    def __init__(self, game: pyspiel.Game, agent: Player) -> None:
        super().__init__(game, list(range(game.num_players())))
        self.agent = make(agent)
        start = game.new_initial_state()
        rows = [self._seen(start.child(card), 0) for card, _ in start.chance_outcomes()]
        require_memoryless(self.agent, np.repeat(np.concatenate(rows), _ASKED, axis=0))

    def _seen(self, state: pyspiel.State, player: int) -> NDArray[np.float32]:
        # The turn-based form puts whose turn it is before what the seat sees.
        return np.array(state.observation_tensor(player), np.float32)[None, -NUM_FEATURES:]

    def action_probabilities(self, state: pyspiel.State, player_id: int | None = None) -> dict[int, float]:
        """Return the probability of each legal action."""
        player = state.current_player() if player_id is None else player_id
        if len(state.legal_actions(player)) == 1:
            return {CONTINUE: 1.0}
        seen = Observations(self._seen(state, player))
        leave = float(answer_of(self.agent, seen, np.zeros(1, np.bool_))[0])
        return {CONTINUE: 1 - leave, LEAVE: leave}


class AgentBot(pyspiel.Bot):
    """An agent of this project as the bot of one player.

    See `AgentPolicy`. OpenSpiel's own `PolicyBot` has no action where 0 is the only legal one, in camp.
    """

    def __init__(self, game: pyspiel.Game, player: int, agent: Player, seed: int = 0) -> None:
        super().__init__()
        self._player, self._policy, self._random = player, AgentPolicy(game, agent), np.random.default_rng(seed)

    def step_with_policy(self, state: pyspiel.State) -> tuple[list[tuple[int, float]], int]:
        """Return the probability of each legal action, and an action drawn by them."""
        chances = self._policy.action_probabilities(state, self._player)
        return list(chances.items()), int(self._random.choice(list(chances), p=list(chances.values())))

    def step(self, state: pyspiel.State) -> int:
        """Return an action."""
        return self.step_with_policy(state)[1]

    def restart_at(self, state: pyspiel.State) -> None:
        """Nothing is remembered."""


class PolicyAgent:
    """An OpenSpiel policy as an agent of this project, for `evaluate` and tables.

    Args:
        policy: What has ``action_probabilities(state, player)``, of a game with ``recall=state``.
        game: What it was learned in: `python_diamant` or its turn-based form.
        player: Whose part it plays, in whichever seat it sits.
        name: What the agent's ``str`` is.

    Raises:
        ValueError: If the game's information states are histories, which no observation shows.
    """

    memoryless = True

    def __init__(self, policy: Any, game: pyspiel.Game, player: int = 0, name: str = "OpenSpiel's policy") -> None:
        parameters = game.get_parameters()
        if parameters.get("game", parameters).get("recall") != "state":
            raise ValueError("a policy of histories can't play by what a seat sees; learn it with recall=state")
        self.policy, self.game, self.name = policy, game, name
        self.player = checked_int("player", player, 0, game.num_players() - 1)

    def __str__(self) -> str:
        return self.name

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`; a ValueError if a row is of another box or number of players."""
        leave, rows = np.zeros(len(first), np.float32), np.flatnonzero(obs["must_decide"])
        games = rebuilt(obs.flat[rows], np.zeros(len(rows), np.uint64))
        for field in _OF_SEATS:  # the observer is seat 0 there
            part = games[field][:, : self.game.num_players()]
            part[:] = np.roll(part, self.player, axis=1)
        for row, record in zip(rows, games, strict=True):
            state = state_at(self.game, record, self.player)
            leave[row] = self.policy.action_probabilities(state, self.player).get(LEAVE, 0)
        return leave


def state_at(game: pyspiel.Game, record: GameState, player: int) -> pyspiel.State:
    """Return the state in which `player` is asked, of the game or its turn-based form, from a record of `GAME`.

    Its history is empty: it is for policies that read information states with ``recall=state``.
    """
    state = game.new_initial_state()
    if not hasattr(state, "simultaneous_game_state"):
        state.position.restore(record)
        return state
    state.simultaneous_game_state()._jump = record  # the turn-based form looks whose turn it is after an action
    state.apply_action(0)
    for _ in range(player):
        state.apply_action(CONTINUE)
    return state
