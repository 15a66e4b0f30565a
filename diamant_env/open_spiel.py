"""Diamant as an OpenSpiel game: importing this module registers ``python_diamant``.

Simultaneous moves and explicit chance, over `diamant_env.Game`. A seat in camp has one legal action, CONTINUE. Needs
OpenSpiel: ``pip install "diamant-env[open-spiel]"``.

Parameters of the game:
    players: 1 to 8.
    edition: A text such as ``incan-gold/expeditions:1`` or ``box.toml``, see `diamant_env.find_edition`. Hidden chests
        make information imperfect.
    utility: ``score``: gems, general-sum. ``win``: 1/k for each of the k winners, constant-sum. ``margin``: own score
        less the mean of the others', zero-sum.
    recall: ``history``: information states are all cards and decisions so far (perfect recall). ``state``: they are
        the current observation, a sufficient statistic with fewer information states; needed for hidden rivals.
    terminal_rewards: Whether the score is paid at the end of the game, as MCTS requires, and not when it is banked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    import pyspiel
except ModuleNotFoundError as error:
    text = 'diamant_env.open_spiel needs pyspiel: pip install "diamant-env[open-spiel]"'
    raise ModuleNotFoundError(text, name=error.name) from error

from diamant_env.editions import FIRST_RELIC, MAX_PLAYERS, NUM_CARDS, find_edition
from diamant_env.engine.arguments import checked_int
from diamant_env.envs.open_spiel_agents import AgentBot, AgentPolicy, PolicyAgent
from diamant_env.game import Game
from diamant_env.observation import FIELDS, NUM_FEATURES, Observations
from diamant_env.state import CONTINUE, GAME, LEAVE, GameState

__all__ = ["AgentBot", "AgentPolicy", "DiamantGame", "DiamantState", "PolicyAgent"]

_UTILITIES = {
    "score": pyspiel.GameType.Utility.GENERAL_SUM,
    "win": pyspiel.GameType.Utility.CONSTANT_SUM,
    "margin": pyspiel.GameType.Utility.ZERO_SUM,
}
_RECALLS = ("history", "state")
_STRUCT_FIELDS = [name for name in GAME.fields or () if name not in ("key", "edition")]
_DEFAULTS = {
    "players": 3,
    "edition": "iello-2016",
    "utility": "score",
    "recall": "history",
    "terminal_rewards": False,
}


def _game_type(utility: str, hidden_chests: bool, terminal_rewards: bool) -> pyspiel.GameType:
    kind, at_end = pyspiel.GameType, terminal_rewards or utility != "score"
    return kind(
        short_name="python_diamant",
        long_name="Diamant (Incan Gold)",
        dynamics=kind.Dynamics.SIMULTANEOUS,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION if hidden_chests else kind.Information.PERFECT_INFORMATION,
        utility=_UTILITIES[utility],
        reward_model=kind.RewardModel.TERMINAL if at_end else kind.RewardModel.REWARDS,
        max_num_players=MAX_PLAYERS,
        min_num_players=1,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_DEFAULTS,
    )


class DiamantGame(pyspiel.Game):
    """The game; see the module's docstring for its parameters.

    Raises:
        ValueError: If a parameter is out of range or the edition is not playable.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        parameters = {**_DEFAULTS, **(params or {})}
        for name, allowed in (("utility", tuple(_UTILITIES)), ("recall", _RECALLS)):
            if parameters[name] not in allowed:
                raise ValueError(f"{name}={parameters[name]!r}; {', '.join(allowed)} are allowed")
        edition = find_edition(parameters["edition"])
        if edition.hidden_rivals and parameters["recall"] != "state":
            raise ValueError(f"recall={parameters['recall']!r} shows what hidden_rivals hides; state is allowed")
        self.start = Game(parameters["players"], edition)
        self.start.returns(parameters["utility"])  # raises for "margin" with one player
        self.utility, self.recall = parameters["utility"], parameters["recall"]
        kind = _game_type(self.utility, edition.hidden_chests, parameters["terminal_rewards"])
        self.paid_at_end = kind.reward_model == pyspiel.GameType.RewardModel.TERMINAL
        cards = len(edition.treasures) + len(edition.traps) + len(edition.relics)  # most cards before a bust
        self._most_cards = (cards + 1) * edition.expeditions
        most = sum(edition.treasures) * edition.expeditions + sum(edition.relics)
        low, high = {"score": (0, most), "win": (0, 1), "margin": (-most, most)}[self.utility]
        total = {"score": None, "win": 1.0, "margin": 0.0}[self.utility]
        info = pyspiel.GameInfo(2, NUM_CARDS, parameters["players"], low, high, total, cards * edition.expeditions)
        super().__init__(kind, info, params or {})

    def max_chance_nodes_in_history(self) -> int:
        """Return the maximum number of cards revealed in a game."""
        return self._most_cards

    def new_initial_state(self) -> DiamantState:
        """Return the state before the first card."""
        return DiamantState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> DiamantObserver:
        """Return an observer, by default of the current observation."""
        if params:
            raise ValueError(f"params={params!r}; observers have no parameters")
        return DiamantObserver(iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), self)


class DiamantState(pyspiel.State):
    """A state; `position` is the underlying `diamant_env.Game`."""

    def __init__(self, game: DiamantGame) -> None:
        super().__init__(game)
        self.position = game.start.clone()
        self._utility, self._paid_at_end = game.utility, game.paid_at_end
        self._returns_before = [0.0] * game.num_players()  # returns before the last joint decision

    def current_player(self) -> int:
        """See `pyspiel.State`."""
        players = pyspiel.PlayerId
        return {"reveal": players.CHANCE, "decide": players.SIMULTANEOUS, "over": players.TERMINAL}[self.position.phase]

    def _legal_actions(self, player: int) -> list[int]:
        seat = checked_int("player", player, 0, self.num_players() - 1)  # `legal_actions()` gives PlayerId.SIMULTANEOUS
        return [CONTINUE, LEAVE] if self.position.must_decide[seat] else [CONTINUE]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """See `pyspiel.State`."""
        return self.position.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        if self.position.phase == "decide":
            raise ValueError("apply_action() at a simultaneous node; apply_actions() takes an action of each player")
        self.position.reveal(action)

    def _apply_actions(self, actions: list[int]) -> None:
        before = self.returns()
        self.position.decide(actions)
        self._returns_before = before

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return ("CONTINUE", "LEAVE")[action]
        number = f" #{action - FIRST_RELIC + 1}" if action >= FIRST_RELIC else ""  # relics may have the same name
        return f"{self.position.edition.card_name(action)}{number}"

    def is_terminal(self) -> bool:
        """See `pyspiel.State`."""
        return self.position.phase == "over"

    def returns(self) -> list[float]:
        """Return the cumulative reward of each player."""
        if self._paid_at_end and self.position.phase != "over":
            return [0.0] * self.position.num_players
        return self.position.returns(self._utility).tolist()

    def rewards(self) -> list[float]:
        """Return the rewards of the last joint decision; chance nodes after it do not reset them."""
        return [now - before for now, before in zip(self.returns(), self._returns_before, strict=True)]

    def _to_struct(self) -> dict[str, Any]:  # the whole state, all chests included
        game = self.position.state
        return {name: game[name].tolist() for name in _STRUCT_FIELDS}

    def _to_observation_struct(self, player: int) -> dict[str, Any]:
        obs = Observations(self.position.observe(player))
        return {field.name: obs[field.name].tolist() for field in FIELDS}

    def __str__(self) -> str:
        seats = list(range(self.num_players()))
        return f"{_public_text(self.position.state, seats)}; chests {_chests(self.position)}"


class DiamantObserver:
    """Observer: a seat's observation as text, and as a tensor if public and private information are requested.

    The tensor is that of `diamant_env.FIELDS`; with perfect recall it is followed by the history, one element per card
    and decision: the action plus 1, padded with 0.
    """

    def __init__(self, kind: Any, game: DiamantGame) -> None:
        self._kind, self._history = kind, kind.perfect_recall and game.recall == "history"
        self._single = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        has_tensor = kind.public_info and self._single
        size = NUM_FEATURES + (game.max_history_length() if self._history else 0)
        self.tensor = np.zeros(size, np.float32) if has_tensor else None
        self.dict = {"observation": self.tensor} if has_tensor else {}

    def set_from(self, state: DiamantState, player: int) -> None:
        """Write a seat's observation into `tensor`."""
        if self.tensor is None:
            return
        self.tensor[:NUM_FEATURES] = state.position.observe(player)
        if self._history:
            history = state.history()
            self.tensor[NUM_FEATURES:] = 0
            self.tensor[NUM_FEATURES : NUM_FEATURES + len(history)] = np.add(history, 1)

    def string_from(self, state: DiamantState, player: int) -> str:
        """Return a seat's observation as text; only what is hidden from rivals is private."""
        if self._history:
            return f"seat {player}: {' '.join(map(str, state.history()))}"
        chests, hidden = _chests(state.position), state.position.edition.hidden_chests
        seats = list(range(len(chests)))
        if state.position.edition.hidden_rivals and self._kind.private_info != pyspiel.PrivateInfoType.ALL_PLAYERS:
            seats = [player] if self._single else []
        parts = [f"seat {player}", _public_text(state.position.state, seats)] if self._kind.public_info else []
        if hidden and self._kind.private_info != pyspiel.PrivateInfoType.NONE:
            parts.append(f"chest {chests[player]}" if self._single else f"chests {chests}")
        elif self._kind.public_info and not hidden:
            parts.append(f"chests {chests}")
        return "; ".join(parts)


def _public_text(game: GameState, seats: list[int]) -> str:
    """Return the public information without chests, of players that of `seats`."""
    names = "expedition", "turn", "num_inside", "bag", "path_gems", "path_relics", "path_relic_value", "relics_taken"
    lists = {name: game[name][seats] for name in ("inside", "left_turn", "relics")}
    lists |= {name: game[name] for name in ("deck", "on_path")}
    parts = [f"{name} {game[name]}" for name in names]
    parts += [f"{name} {','.join(map(str, values.tolist()))}" for name, values in lists.items()]
    return "; ".join(parts)


def _chests(position: Game) -> list[int]:
    return position.returns().astype(int).tolist()


pyspiel.register_game(_game_type("score", False, False), DiamantGame)
