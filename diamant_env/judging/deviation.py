"""Deviation gains: payoff of a player among copies of an agent, less the payoff of a copy.

By symmetry the payoff of a copy is 1 / players in win share and 0 in margin; in score it is measured in the same games.
All players are measured on common random numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from diamant_env.editions import MAX_PLAYERS, Edition
from diamant_env.engine.arguments import checked_int
from diamant_env.judging.evaluation import of_agent_0, of_others
from diamant_env.judging.games import MAX_GAMES, Played, Player, listed, name_of, number_of_tables, play
from diamant_env.judging.intervals import Estimate, mean_of_tables, share_of_tables
from diamant_env.judging.lineups import seat_with
from diamant_env.rewards import reward_code

PAYOFFS: dict[str, Callable[[Played], NDArray[np.float64]]] = {
    "win": lambda played: of_agent_0(played.shares),
    "score": lambda played: of_agent_0(played.scores),
    "margin": lambda played: of_agent_0(played.scores) - of_others(played.scores),
}
"""Payoff of agent 0 in each game, float64 (games,), by reward."""


@dataclass(frozen=True)
class DeviationGame:
    """A table of copies of one agent at which another player takes one seat.

    Attributes:
        agent: The agent that is copied.
        players: Players at the table, 2 to 8.
        edition: An edition, see `diamant_env.find_edition`.
        reward: ``"win"``, ``"score"`` or ``"margin"``.

    Raises:
        ValueError: If `players` is out of range or `reward` unknown.
    """

    agent: Player
    players: int
    edition: str | Edition
    reward: str

    def __post_init__(self) -> None:
        checked_int("players", self.players, 2, MAX_PLAYERS)
        reward_code(self.reward, self.players)


@dataclass(frozen=True)
class DeviationGain:
    """Gain of one player in a deviation game.

    Attributes:
        player: Name of the player.
        payoff: Mean payoff.
        totals: float64 (tables,), sums over the games of each table: of win shares, or of gains in gems.
        quotas: int64 (tables,), games of each table.
        fair: Payoff of a copy where payoffs are win shares, else None.
    """

    player: str
    payoff: float
    totals: NDArray[np.float64]
    quotas: NDArray[np.int64]
    fair: float | None = None

    @property
    def gain(self) -> Estimate:
        """Mean payoff less that of a copy."""
        return self.among(1)

    def among(self, candidates: int) -> Estimate:
        """Return the gain with a simultaneous interval for this number of candidates."""
        if self.fair is None:
            return mean_of_tables(self.totals, self.quotas, candidates)
        share = share_of_tables(self.totals, self.quotas, candidates)  # of positive width at 0 and 1
        return Estimate(share.mean - self.fair, share.low - self.fair, share.high - self.fair)


def self_play(game: DeviationGame, games: int, seeds: np.random.SeedSequence) -> NDArray[np.float64] | float:
    """Return the payoff of a copy: a constant, or float64 (games,) where it is measured."""
    if game.reward != "score":
        return 1 / game.players if game.reward == "win" else 0.0
    tables = number_of_tables(games, game.players)
    seating = np.zeros((tables, game.players), np.int64)
    played = play([game.agent], seating, games, seeds, game.edition)
    return played.scores.mean(axis=1)


def deviation_gains(
    players: list[Player],
    game: DeviationGame,
    games: int,
    seeds: np.random.SeedSequence,
    progress: tqdm | None = None,
) -> list[DeviationGain]:
    """Measure the gains of players (agents or texts) on common random numbers, `games` games each.

    Raises:
        ValueError: If a player does not support the table, `players` is no list, or `games` is no number above 0.
    """
    players, games = listed("players", players), checked_int("games", games, 1, MAX_GAMES)
    usual = self_play(game, games, seeds)
    tables = number_of_tables(games, game.players)
    seating = seat_with(np.ones((tables, game.players - 1), np.int64))
    found = []
    for player in players:
        played = play([player, game.agent], seating, games, seeds, game.edition, progress)
        payoffs = PAYOFFS[game.reward](played)
        fair = float(usual) if game.reward == "win" else None
        totals = played.totals(payoffs if fair is not None else payoffs - usual)
        found.append(DeviationGain(name_of(player), float(payoffs.mean()), totals, played.quotas, fair))
    return found
