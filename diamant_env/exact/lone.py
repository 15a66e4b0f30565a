"""A player alone: when to leave, solved exactly by backward induction over the sets of cards that can come up.

Optimal stopping (Chow, Robbins, Siegmund: Great Expectations, 1971): the value of a state is the better of leaving
and of the mean over the next card. A player alone at the table plays a whole game by it, since what an
expedition leaves behind (which traps and relics are still in the game) is known when it ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import jit
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, Edition, find_edition
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.engine.records import as_games, check_game
from diamant_env.exact.cards import CardSets, card_sets, cards_left, number_of, read_digits
from diamant_env.exact.moves import after_bust, after_leaving, payout_by_digit, start_of_expedition
from diamant_env.rules import reveal
from diamant_env.state import OVER, REVEAL, GameState

_Outlook = tuple[float, float]  # gems still to bank, busts still to come


class Lone(NamedTuple):
    """The solution for a player alone inside, from one state to the end of the expedition or of the game.

    Attributes:
        start: The state, a record of type `GAME`.
        edition: What is played.
        sets: The sets of cards that can come up.
        values: float64 (sets,), gems that the player banks from then on under optimal play, on average.
        leaves: bool (sets,), whether leaving is better than going on (of equals, the player leaves).
        busts: float64 (sets,), busts from then on, on average; in one expedition the probability of a bust.
    """

    start: GameState
    edition: Edition
    sets: CardSets
    values: NDArray[np.float64]
    leaves: NDArray[np.bool_]
    busts: NDArray[np.float64]

    @property
    def value(self) -> float:
        """Gems that the player banks from the start on, on average."""
        return float(self.values[0])

    @property
    def bust_probability(self) -> float:
        """Busts from the start on, on average, a probability if one expedition was solved."""
        return float(self.busts[0])

    def leave_probability(self, games: np.ndarray) -> NDArray[np.float64]:
        """Return 1 where the player leaves and 0 where not, float64 (games,), at later states of the expedition.

        Args:
            games: Records of type `GAME` (games,).

        Raises:
            ValueError: If one of them can't follow the state that was solved in the same expedition.
        """
        numbers = np.zeros(len(games), np.int64)
        _numbers_of(self.sets, self.start, as_games(games), numbers)
        if (numbers < 0).any():
            raise ValueError(f"game {numbers.argmin()} can't follow the state that was solved in the same expedition")
        return self.leaves[numbers].astype(np.float64)


def solve_lone(edition: str | Edition, game: GameState | None = None, whole_game: bool = False) -> Lone:
    """Solve the decisions of a player who is alone inside the cave.

    Args:
        edition: A published name or an `Edition`.
        game: A record of type `GAME` with one player inside; by default a fresh game of one player.
        whole_game: Count what the player banks in all expeditions from here on, not in this one alone; only at a
            table of one, since otherwise the next expedition is another game.

    Raises:
        ValueError: If there is no such edition, not exactly one is inside, or the table is too large.
    """
    edition = find_edition(edition)
    start = start_of_expedition(edition, 1) if game is None else game.copy()
    return LoneSolver(edition, whole_game).solve(start)


class LoneSolver:
    """Solves many states of one edition; the expeditions that lie behind them are solved once.

    Args:
        edition: A published name or an `Edition`.
        whole_game: See `solve_lone`.
    """

    def __init__(self, edition: str | Edition, whole_game: bool = False) -> None:
        self.edition = find_edition(edition)
        self.whole_game = whole_game
        self.known: dict[tuple, _Outlook] = {}

    def solve(self, start: GameState) -> Lone:
        """Solve the decisions from a state on, a record of type `GAME`; see `solve_lone`."""
        check_game(start, self.edition)
        if start["phase"] == OVER or start["num_inside"] != 1:
            raise ValueError(f"{start['num_inside']} players inside; a lone player's decisions need exactly 1")
        if self.whole_game and start["num_players"] != 1:
            raise ValueError(f"a table of {start['num_players']} players; the whole game is solved for 1")
        sets = card_sets(start, self.edition)
        relic_digits = np.flatnonzero(sets.card >= FIRST_RELIC)
        first = sets.stride[relic_digits[0]] if len(relic_digits) else 1
        combinations = int(np.prod(sets.radix[relic_digits]))
        left, bust = self._outlooks(start, sets, relic_digits, combinations)
        worth = payout_by_digit(start, self.edition, sets)
        haul = int(start["bag"] + start["path_gems"] + start["path_relic_value"])
        values, busts = np.zeros((2, sets.size))
        leaves = np.zeros(sets.size, np.bool_)
        must_reveal = start["phase"] == REVEAL
        _stop(sets, worth, haul, first, combinations, left, bust, must_reveal, values, leaves, busts)
        return Lone(start, self.edition, sets, values, leaves, busts)

    def _outlooks(
        self, start: GameState, sets: CardSets, relic_digits: NDArray, combinations: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what follows the expedition: after leaving (relics drawn, 2), after a bust (traps, relics drawn, 2).

        The traps are the digits, and last those that lay on the path from the start.
        """
        left = np.zeros((combinations, 2))
        bust = np.zeros((len(sets.radix) + 1, combinations, 2))
        bust[:, :, 1] = 1
        if not self.whole_game:
            return left, bust
        for number in range(combinations):
            game = start.copy()
            rest = number
            for digit in relic_digits:
                for _ in range(rest % sets.radix[digit]):
                    reveal(game, numbers_of(self.edition), int(sets.card[digit]))
                rest //= sets.radix[digit]
            left[number] = self._from(after_leaving(game, self.edition))
            for traps, row in self._fatal_kinds(game, sets):
                copies = game["deck"][[FIRST_TRAP + trap for trap in traps]]
                outlooks = [self._from(after_bust(game, self.edition, trap)) for trap in traps]
                bust[row, number] += np.average(outlooks, axis=0, weights=copies)
        return left, bust

    @staticmethod
    def _fatal_kinds(game: GameState, sets: CardSets) -> list[tuple[list[int], int]]:
        """Return traps that can end the expedition, with their digit: one kind for each, and -1 for all on the path."""
        copies = game["deck"][FIRST_TRAP:FIRST_RELIC]
        digits = np.unique(sets.digit_of_trap[sets.digit_of_trap >= 0])
        kinds = [([int(np.flatnonzero(sets.digit_of_trap == digit)[0])], int(digit)) for digit in digits]
        kinds = [(traps, digit) for traps, digit in kinds if copies[traps[0]] >= 2]
        lying = [int(trap) for trap in np.flatnonzero(game["on_path"]) if copies[trap]]
        return kinds + ([(lying, -1)] if lying else [])

    def _from(self, game: GameState) -> _Outlook:
        """Return what a lone player has ahead at the start of an expedition."""
        if game["phase"] == OVER:
            return 0.0, 0.0
        deck = game["deck"]
        traps, relics = sorted(deck[FIRST_TRAP:FIRST_RELIC].tolist()), deck[FIRST_RELIC:].tolist()
        key = (int(game["expedition"]), *traps, *relics, int(game["relics_taken"]))
        if key not in self.known:
            solution = self.solve(game)
            self.known[key] = solution.value, solution.bust_probability
        return self.known[key]


@jit(cached=True)
def _stop(sets, worth, haul, first, combinations, left, bust, must_reveal, values, leaves, busts):
    """Fill `values`, `leaves` and `busts` from the last set to the first."""
    digits = np.zeros(sets.radix.shape[0], np.int64)
    for number in range(sets.size - 1, -1, -1):
        read_digits(sets, number, digits)
        relics = (number // first) % combinations
        cards = cards_left(sets, digits)
        going_on, going_bust = sets.always_fatal * bust[-1, relics, 0], sets.always_fatal * bust[-1, relics, 1]
        payout = haul
        for digit in range(digits.shape[0]):
            at = digits[digit]
            payout += worth[digit, at]
            rising, fatal = sets.rising[digit, at], sets.fatal[digit, at]
            going_on += fatal * bust[digit, relics, 0]
            going_bust += fatal * bust[digit, relics, 1]
            if rising:
                going_on += rising * values[number + sets.stride[digit]]
                going_bust += rising * busts[number + sets.stride[digit]]
        if cards:
            going_on, going_bust = going_on / cards, going_bust / cards
        leaving = payout + left[relics, 0]
        leaves[number] = leaving >= going_on and not (must_reveal and number == 0)
        values[number] = leaving if leaves[number] else going_on
        busts[number] = left[relics, 1] if leaves[number] else going_bust


@jit(cached=True)
def _numbers_of(sets, start, games, numbers):
    """Write the number of the set that has come up in each game, -1 where it can't follow `start`."""
    for i in range(games.shape[0]):
        numbers[i] = number_of(sets, start, games[i])
