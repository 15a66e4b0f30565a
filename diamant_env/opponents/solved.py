"""Agents that play exact solutions of `diamant_env.exact`.

An expedition is solved when it first occurs (seconds for two players, one or two minutes for five) and cached on disk.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from diamant_env import exact
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, MAX_PLAYERS, Edition
from diamant_env.engine.records import rebuilt
from diamant_env.observation import Observations
from diamant_env.opponents.scripted.family import Scripted
from diamant_env.state import GameState

_TRAPS, _RELICS = slice(FIRST_TRAP, FIRST_RELIC), slice(FIRST_RELIC, None)
_OF_RELICS = ("relics_taken", "path_relics", "path_relic_value")


@dataclass
class EquilibriumAgent(Scripted):
    """Agent of the symmetric equilibrium in score of each single expedition, by `exact.solve_equilibrium`.

    It plays the edition of its table; with relics the first expedition only.
    """

    family: ClassVar[str] = "equilibrium"
    tables: ClassVar[tuple[int, int]] = (1, MAX_PLAYERS)  # minimum and maximum number of players
    first_expedition_only: ClassVar[bool] = True  # in an edition with relics
    solutions: dict[tuple, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`.

        Raises:
            ValueError: If the table of a row is not supported, or a row that must decide has no edition.
        """
        leave = np.zeros(len(obs.flat), np.float32)
        for edition, rows in obs.by_edition():
            games = rebuilt(obs.flat[rows], np.zeros(len(rows), np.uint64))
            self._check(games, edition)
            _sort_traps(games, len(edition.traps))
            kinds, left = self._kinds(games, edition), np.arange(len(games))
            while left.size:  # few distinct expeditions
                same = (kinds[left] == kinds[left[0]]).all(axis=1)
                which, left = left[same], left[~same]
                key = (edition, *kinds[which[0]].tolist())
                if key not in self.solutions:
                    self.solutions[key] = self._solve(self._start(games[which[0]], edition), edition)
                leave[rows[which]] = self.solutions[key].leave_probability(games[which])
        return leave

    def _check(self, games: np.ndarray, edition: Edition) -> None:
        fewest, most = self.tables
        players = games["num_players"]
        if ((players < fewest) | (players > most)).any():
            given = ", ".join(map(str, np.unique(players)))
            raise ValueError(f"{self} plays tables of {fewest} to {most}, not of {given} players")
        if self.first_expedition_only and edition.relics and (games["expedition"] > 1).any():
            raise ValueError(f"{self} plays the first expedition only: later ones with relics are not solved")

    def _kinds(self, games: np.ndarray, edition: Edition) -> NDArray[np.int64]:
        """Return the key of each game's expedition, int64 (games, numbers)."""
        return np.column_stack([games["num_players"], games["deck"][:, _TRAPS] + games["on_path"]])

    def _start(self, game: GameState, edition: Edition) -> GameState:
        """Return the current expedition of a game before its first card."""
        start = exact.start_of_expedition(edition, int(game["num_players"]))
        start["expedition"] = game["expedition"]
        start["deck"][_TRAPS] = game["deck"][_TRAPS] + game["on_path"]
        start["deck_size"] = start["deck"].sum()
        return start

    def _solve(self, start: GameState, edition: Edition) -> Any:
        return exact.solve_equilibrium(edition=edition, game=start)


@dataclass
class DifferenceAgent(EquilibriumAgent):
    """Agent that maximises the score difference to its only rival, by `exact.solve_difference`."""

    family: ClassVar[str] = "difference"
    tables: ClassVar[tuple[int, int]] = (2, 2)

    def _solve(self, start: GameState, edition: Edition) -> Any:
        return exact.solve_difference(edition=edition, game=start)


@dataclass
class LoneAgent(EquilibriumAgent):
    """Agent that maximises the expected score of a whole game alone, by `exact.LoneSolver`."""

    family: ClassVar[str] = "lone"
    tables: ClassVar[tuple[int, int]] = (1, 1)
    first_expedition_only: ClassVar[bool] = False
    solvers: dict[Edition, exact.LoneSolver] = field(default_factory=dict, init=False, repr=False, compare=False)

    def _kinds(self, games: np.ndarray, edition: Edition) -> NDArray[np.int64]:
        games = _with_relics_back(games, edition)
        relics = [games[name] for name in ("expedition", *_OF_RELICS)]
        return np.column_stack([super()._kinds(games, edition), *relics, games["deck"][:, _RELICS]])

    def _start(self, game: GameState, edition: Edition) -> GameState:
        start = super()._start(game, edition)
        game = _with_relics_back(np.array([game]), edition)[0]
        for name in ("relics", *_OF_RELICS):
            start[name] = game[name]
        start["deck"][_RELICS] = game["deck"][_RELICS]
        start["deck_size"] = start["deck"].sum()
        return start

    def _solve(self, start: GameState, edition: Edition) -> Any:
        solver = self.solvers.setdefault(edition, exact.LoneSolver(edition, whole_game=True))
        solution = solver.solve(start)
        return solution._replace(values=solution.values[:1].copy(), busts=solution.busts[:1].copy())  # to save memory


def _with_relics_back(games: np.ndarray, edition: Edition) -> np.ndarray:
    """Return the games with identical relics moved from the path back into the deck.

    Relics with printed values stay: observations show the value on the path, not the relics.
    """
    games = games.copy()
    if edition.relic_values == "taken":
        games["deck"][:, FIRST_RELIC] += games["path_relics"]
        games["path_relics"] = games["path_relic_value"] = 0
    return games


def _sort_traps(games: np.ndarray, kinds: int) -> None:
    """Sort the kinds of trap by number of cards: games equal up to a permutation of kinds are solved once."""
    decks, on_path = games["deck"][:, FIRST_TRAP : FIRST_TRAP + kinds], games["on_path"][:, :kinds]
    order = np.argsort(decks + on_path, axis=1, kind="stable")
    decks[:] = np.take_along_axis(decks, order, axis=1)
    on_path[:] = np.take_along_axis(on_path, order, axis=1)
