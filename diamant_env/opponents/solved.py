"""Agents that play exact solutions of `diamant_env.exact`.

An expedition is solved when it first occurs, which takes seconds for two players and a minute or two for five; except
for a single player's, solutions are cached on disk. A whole game of several players is solved at its first decision if
that takes a few minutes at most. The game of two players and 30 cards for the win is shipped.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from diamant_env import exact
from diamant_env.editions import MAX_PLAYERS, Edition
from diamant_env.engine.records import rebuilt
from diamant_env.exact.expeditions import sort_traps
from diamant_env.observation import Observations
from diamant_env.opponents.scripted.family import Scripted
from diamant_env.state import GameState

_DECK = ("num_players", "expedition", "deck", "relics_taken", "path_relics", "path_relic_value")
"""Fields that determine the solution of an expedition."""


@dataclass
class EquilibriumAgent(Scripted):
    """Agent that plays the symmetric equilibrium in score of the whole game, see `exact.whole_game_strategy`."""

    family: ClassVar[str] = "equilibrium"
    tables: ClassVar[tuple[int, int]] = (1, MAX_PLAYERS)  # minimum and maximum number of players
    solutions: dict[tuple, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        leave = np.zeros(len(obs.flat), np.float32)
        for edition, rows in obs.by_edition():
            games = rebuilt(obs.flat[rows], np.zeros(len(rows), np.uint64))
            self._check(games)
            leave[rows] = self._leave_probability(games, edition)
        return leave

    def _leave_probability(self, games: np.ndarray, edition: Edition) -> NDArray[np.floating]:
        leave = np.zeros(len(games), np.float32)
        sort_traps(games, len(edition.traps))
        starts, left = exact.current_expedition(games, edition), np.arange(len(games))
        kinds = np.column_stack([starts[name] for name in _DECK])
        while left.size:  # few distinct expeditions
            same = (kinds[left] == kinds[left[0]]).all(axis=1)
            which, left = left[same], left[~same]
            key = (edition, *kinds[which[0]].tolist())
            if key not in self.solutions:
                self.solutions[key] = self._solve(starts[which[0]], edition)
            leave[which] = self.solutions[key].leave_probability(games[which])
        return leave

    def _check(self, games: np.ndarray) -> None:
        fewest, most = self.tables
        players = games["num_players"]
        if ((players < fewest) | (players > most)).any():
            sizes = ", ".join(map(str, np.unique(players)))
            raise ValueError(f"{self} plays tables of {fewest} to {most}, not of {sizes} players")

    def _solve(self, start: GameState, edition: Edition) -> Any:
        return exact.whole_game_strategy(start, edition)


@dataclass
class SinglePlayerAgent(EquilibriumAgent):
    """Agent that maximises the expected score of a whole game alone, by `exact.SinglePlayerSolver`."""

    family: ClassVar[str] = "single-player"
    tables: ClassVar[tuple[int, int]] = (1, 1)
    solvers: dict[Edition, exact.SinglePlayerSolver] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def _solve(self, start: GameState, edition: Edition) -> Any:
        solver = self.solvers.setdefault(edition, exact.SinglePlayerSolver(edition, whole_game=True))
        solution = solver.solve(start)
        return solution._replace(values=solution.values[:1].copy(), busts=solution.busts[:1].copy())  # to save memory


@dataclass
class MinimaxAgent(EquilibriumAgent):
    """Agent of two players that maximises its minimum win share, without relics: `exact.solve_two_player_win`."""

    family: ClassVar[str] = "minimax"
    tables: ClassVar[tuple[int, int]] = (2, 2)

    def _leave_probability(self, games: np.ndarray, edition: Edition) -> NDArray[np.floating]:
        return two_player_win(edition).leave_probability(games)


two_player_win = functools.lru_cache(maxsize=1)(exact.solve_two_player_win)  # its policies take up to two gigabytes
