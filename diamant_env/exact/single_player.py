"""Optimal stopping of a single player, by backward induction over the sets of cards drawn.

The value of a state is the maximum of leaving and of the expectation over the next card (Chow, Robbins, Siegmund: Great
Expectations, 1971). In a game of one player this extends to the whole game: the continuation value at the end of an
expedition depends only on the traps and relics that remain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import jit
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, Edition, find_edition
from diamant_env.engine.edition_params import edition_params
from diamant_env.engine.records import as_games, check_game
from diamant_env.exact.cards import CardSets, card_sets, index_of, read_set, require_decisions, require_same_expedition
from diamant_env.exact.expeditions import ExpeditionStart, deck_of
from diamant_env.exact.moves import after_bust, after_leaving, fatal_kinds, payout_by_digit, start_of_expedition
from diamant_env.rules import reveal
from diamant_env.state import OVER, REVEAL, GameState

_Continuation = tuple[float, float]  # expected gems and busts in later expeditions


class SinglePlayerSolution(NamedTuple):
    """Optimal policy of a single player from a state to the end of the expedition or game.

    Attributes:
        start: The state, a record of type `GAME`.
        edition: The edition of the game.
        sets: The sets of cards that can be drawn.
        values: float64 (sets,), expected gems under optimal play.
        leaves: bool (sets,), whether leaving is optimal (ties leave).
        busts: float64 (sets,), expected number of busts; in one expedition the probability of a bust.
        payout: int64 (digits, values), gems that the cards of each digit add to the payout.
    """

    start: GameState
    edition: Edition
    sets: CardSets
    values: NDArray[np.float64]
    leaves: NDArray[np.bool_]
    busts: NDArray[np.float64]
    payout: NDArray[np.int64]

    @property
    def value(self) -> float:
        """Expected gems from the start."""
        return float(self.values[0])

    @property
    def expected_busts(self) -> float:
        """Expected number of busts from the start; the probability of a bust in one expedition."""
        return float(self.busts[0])

    def leave_probability(self, games: np.ndarray) -> NDArray[np.float64]:
        """Return the optimal probability of leaving, 0 or 1, at later states of the expedition, float64 (games,).

        Args:
            games: Records of type `GAME` (games,) in phase `DECIDE`.

        Raises:
            ValueError: If a state can't follow the start in the same expedition, or is in another phase.
        """
        games, indices = as_games(games), np.zeros(len(games), np.int64)
        require_decisions(games)
        require_same_expedition(self.start, games)
        _indices_of(self.sets, self.payout, self.start, games, indices)
        if (indices < 0).any():
            raise ValueError(f"game {indices.argmin()} can't follow the state that was solved, in the same expedition")
        return self.leaves[indices].astype(np.float64)


def solve_single_player(
    edition: str | Edition, game: GameState | None = None, whole_game: bool = False
) -> SinglePlayerSolution:
    """Solve the optimal stopping problem of a single player.

    Args:
        edition: Name of a published edition or an `Edition`.
        game: The initial state, a record of type `GAME` with one player inside; by default a new game of one player.
        whole_game: Whether to maximise gems over all remaining expeditions; in games of one player only.

    Returns:
        The optimal policy and its values.

    Raises:
        ValueError: If the edition is unknown, not exactly one player is inside, or `whole_game` with rivals.
    """
    edition = find_edition(edition)
    start = start_of_expedition(edition, 1) if game is None else game
    return SinglePlayerSolver(edition, whole_game).solve(start)


class SinglePlayerSolver:
    """Solver for many states of one edition, with cached continuation values of later expeditions.

    Args:
        edition: Name of a published edition or an `Edition`.
        whole_game: See `solve_single_player`.
    """

    def __init__(self, edition: str | Edition, whole_game: bool = False) -> None:
        self.edition = find_edition(edition)
        self.whole_game = whole_game
        self._cache: dict[ExpeditionStart, _Continuation] = {}

    def solve(self, start: GameState) -> SinglePlayerSolution:
        """Solve from a state, a record of type `GAME`; see `solve_single_player`."""
        check_game(start, self.edition)
        start = start.copy()
        if start["phase"] == OVER or start["num_inside"] != 1:
            raise ValueError(f"{start['num_inside']} players inside; a single player's decisions need exactly 1")
        if self.whole_game and start["num_players"] != 1:
            raise ValueError(f"a table of {start['num_players']} players; the whole game is solved for 1")
        sets = card_sets(start, self.edition)
        relic_digits = np.flatnonzero(sets.card >= FIRST_RELIC)
        relic_stride = sets.stride[relic_digits[0]] if len(relic_digits) else 1
        relic_sets = int(np.prod(sets.radix[relic_digits]))
        left, bust = self._continuations(start, sets, relic_digits, relic_sets)
        worth = payout_by_digit(start, self.edition, sets)
        initial_payout = int(payout_of(start))
        values, busts = np.zeros((2, sets.size))
        leaves = np.zeros(sets.size, np.bool_)
        must_reveal = start["phase"] == REVEAL
        _fill(sets, worth, initial_payout, relic_stride, relic_sets, left, bust, must_reveal, values, leaves, busts)
        return SinglePlayerSolution(start, self.edition, sets, values, leaves, busts, worth)

    def _continuations(
        self, start: GameState, sets: CardSets, relic_digits: NDArray, relic_sets: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return continuation values after leaving, (relic sets, 2), and after a bust, (digits + 1, relic sets, 2).

        The last row of busts is for traps on the path at the start.
        """
        left = np.zeros((relic_sets, 2))
        bust = np.zeros((len(sets.radix) + 1, relic_sets, 2))
        bust[:, :, 1] = 1
        if not self.whole_game:
            return left, bust
        for combination in range(relic_sets):
            game = start.copy()
            rest = combination
            for digit in relic_digits:
                for _ in range(rest % sets.radix[digit]):
                    reveal(game, edition_params(self.edition), int(sets.card[digit]))
                rest //= sets.radix[digit]
            left[combination] = self._continuation_at(after_leaving(game, self.edition))
            for traps, row in fatal_kinds(game, sets):
                copies = game["deck"][[FIRST_TRAP + trap for trap in traps]]
                continuations = [self._continuation_at(after_bust(game, self.edition, trap)) for trap in traps]
                bust[row, combination] += np.average(continuations, axis=0, weights=copies)
        return left, bust

    def _continuation_at(self, game: GameState) -> _Continuation:
        """Return the continuation at the start of an expedition."""
        if game["phase"] == OVER:
            return 0.0, 0.0
        deck = deck_of(game, self.edition)
        if deck not in self._cache:
            solution = self.solve(game)
            self._cache[deck] = solution.value, solution.expected_busts
        return self._cache[deck]


@jit(cached=True)
def _fill(sets, worth, initial_payout, relic_stride, relic_sets, left, bust, must_reveal, values, leaves, busts):
    """Fill `values`, `leaves` and `busts` from the last set to the first."""
    digits = np.zeros(sets.radix.shape[0], np.int64)
    for index in range(sets.size - 1, -1, -1):
        deck_size = read_set(sets, index, digits).deck_size
        relics = (index // relic_stride) % relic_sets
        continuing, going_bust = sets.always_fatal * bust[-1, relics, 0], sets.always_fatal * bust[-1, relics, 1]
        payout = initial_payout
        for digit in range(digits.shape[0]):
            at = digits[digit]
            payout += worth[digit, at]
            safe, fatal = sets.safe[digit, at], sets.fatal[digit, at]
            continuing += fatal * bust[digit, relics, 0]
            going_bust += fatal * bust[digit, relics, 1]
            if safe:
                continuing += safe * values[index + sets.stride[digit]]
                going_bust += safe * busts[index + sets.stride[digit]]
        if deck_size:
            continuing, going_bust = continuing / deck_size, going_bust / deck_size
        leaving = payout + left[relics, 0]
        leaves[index] = leaving >= continuing and not (must_reveal and index == 0)
        values[index] = leaving if leaves[index] else continuing
        busts[index] = left[relics, 1] if leaves[index] else going_bust


@jit
def payout_of(game):
    """Return the gems that a single player earns by leaving."""
    return np.int64(game.bag) + game.path_gems + game.path_relic_value


@jit(cached=True)
def _indices_of(sets, worth, start, games, indices):
    """Write the index of the cards drawn in each game into `indices`, -1 where it can't follow `start`."""
    for i in range(games.shape[0]):
        game = games[i]
        index = index_of(sets, start, game)
        payout = payout_of(start)
        for digit in range(sets.radix.shape[0]):
            payout += worth[digit, (index // sets.stride[digit]) % sets.radix[digit]]
        follows = index >= 0 and game.num_inside == 1 and payout == payout_of(game)
        indices[i] = index if follows else -1
