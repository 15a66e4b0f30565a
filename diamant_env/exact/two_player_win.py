"""Whole games of two players for the win, without relics: values and minimax policies by backward induction.

The win share depends on the chests through the lead alone. With both inside, bag and path follow from the cards, so a
state is (cards, lead): a 2 x 2 constant-sum game. After one player has left with x gems the other's bag is the sum of
the treasures less x: optimal stopping over (cards, x, lead).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import jit
from diamant_env.editions import FIRST_TRAP, Edition, find_edition
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.engine.records import as_games
from diamant_env.exact.cards import CardSets, card_sets, index_of, read_set, require_decisions
from diamant_env.exact.equilibrium import cache_file, load_numbers, save_numbers
from diamant_env.exact.expeditions import Deck, current_expedition, deck_of, expeditions_after, sort_traps
from diamant_env.exact.induction import Progress
from diamant_env.exact.moves import after_bust, after_leaving, fatal_kinds, start_of_expedition
from diamant_env.state import OVER, REVEAL, GameState

MAX_STATES = 200_000_000  # (cards, x) of an expedition: 3.2 GB
MAX_PLANS = 1_000_000_000  # bytes of cached policies

Shares = Callable[[GameState, NDArray[np.int64]], NDArray[np.float64]]
"""Function from the state after an expedition and leads to win shares."""


class _Expedition(NamedTuple):
    """An expedition from a state on, for any lead.

    Attributes:
        sets: The sets of cards that can be drawn.
        banked: int64 (sets,), gems of a player who leaves alone; 0 if one has left before.
        total: int64 (sets,), gems of both, those that a player has banked before excepted.
        first: int64 (sets + 1,), offset of each set's states with one player inside, by x up to `banked`.
        left: float64 (leads,), win share by lead if the expedition ends, centred on 0.
        bust: float64 (digits + 1, leads), the same after a bust by a digit's trap; last row: of those on the path.
    """

    sets: CardSets
    banked: NDArray[np.int64]
    total: NDArray[np.int64]
    first: NDArray[np.int64]
    left: NDArray[np.float64]
    bust: NDArray[np.float64]


class Payoffs(NamedTuple):
    """Win shares of a player at a joint decision, by its own and the rival's decision.

    Attributes:
        both_stay: If both continue.
        stays: If the rival leaves alone.
        leaves: If the player leaves alone.
        both_leave: If both leave.
    """

    both_stay: Any
    stays: Any
    leaves: Any
    both_leave: Any


@dataclass(frozen=True)
class TwoPlayerWin:
    """The solved game.

    Attributes:
        edition: The edition.
        shares: Win share of a player at the start of each expedition by its lead, 0, 1, …, float64 (leads,).
        error: Maximum gain of a deviation at a single state, as win share.
    """

    edition: Edition
    shares: dict[Deck, NDArray[np.float64]]
    error: float
    _plans: OrderedDict = field(default_factory=OrderedDict, init=False, repr=False, compare=False)

    def win_shares(self, game: GameState, leads: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return a player's win share at the start of an expedition or the end of the game, float64 (leads,).

        Args:
            game: The state, a record of type `GAME`; its chests are ignored.
            leads: The player's chest less the rival's, in gems. Those that can't be reached are counted as decided.
        """
        return _shares_of(self.edition, self.shares, game, leads)

    def action_values(self, game: GameState) -> NDArray[np.float64]:
        """Return seat 0's win shares of CONTINUE and LEAVE and its probability of leaving, float64 (3,).

        The rival plays the equilibrium now, and both play it afterwards.

        Args:
            game: A state in which seat 0 must decide, a record of type `GAME`.
        """
        lead = int(game["chest"][0]) - int(game["chest"][1])
        expedition = _expedition(game, self.edition, abs(lead), self.win_shares)
        payoffs = _solve(expedition, lead)[0]
        if game["num_inside"] == 1:
            leave = float(self.win_shares(after_leaving(game, self.edition), lead + expedition.total[:1])[0])
            return np.array([payoffs.stays, leave, leave >= payoffs.stays])
        p, q = minimax(payoffs), minimax(rival_of(payoffs))
        stay = payoffs.both_stay + q * (payoffs.stays - payoffs.both_stay)
        return np.array([stay, payoffs.leaves + q * (payoffs.both_leave - payoffs.leaves), p])

    def leave_probability(self, games: np.ndarray) -> NDArray[np.float64]:
        """Return seat 0's minimax probability of leaving, float64 (games,).

        Args:
            games: States in which seat 0 must decide, records of type `GAME` (games,).

        Raises:
            ValueError: If a state is in another phase, has not two players, or cards or a lead that can't occur.
        """
        games = as_games(games)
        require_decisions(games)
        sort_traps(games, len(self.edition.traps))
        result, starts = np.zeros(len(games)), current_expedition(games, self.edition)
        leads = games["chest"][:, 0].astype(int) - games["chest"][:, 1]
        alone = games["num_inside"] == 1
        for row in np.flatnonzero(alone):
            result[row] = self.action_values(games[row])[2]
        keys = np.column_stack([starts["expedition"], starts["deck"], np.abs(leads)])
        for key in np.unique(keys[~alone], axis=0):
            rows = np.flatnonzero((keys == key).all(axis=1) & ~alone)
            sets, policy = self._plan(tuple(key.tolist()), starts[rows[0]], int(key[-1]))
            nodes = np.zeros(len(rows), np.int64)
            _indices_of(sets, starts[rows[0]], games[rows], nodes)
            if (nodes < 0).any():
                raise ValueError(f"game {rows[nodes.argmin()]} is no state of {self.edition.name!r}")
            result[rows] = policy[nodes, (leads[rows] < 0).astype(int)]
        return result

    def _plan(self, key: tuple, start: GameState, lead: int) -> tuple[CardSets, NDArray[np.float64]]:
        """Return the sets of an expedition and `policy` of `_induce`, least recently used plans removed."""
        plans = self._plans
        if key not in plans:
            expedition = _expedition(start, self.edition, lead, self.win_shares)
            policy = np.zeros((expedition.sets.size, 2))
            _solve(expedition, lead, policy)
            plans[key] = expedition.sets, policy
            while len(plans) > 1 and sum(policy.nbytes for _, policy in plans.values()) > MAX_PLANS:
                plans.popitem(last=False)
        plans.move_to_end(key)
        return plans[key]


def solve_two_player_win(
    edition: str | Edition = "iello-2016-fr", progress: Progress | None = None, cache: bool = True
) -> TwoPlayerWin:
    """Solve the whole game of two players for the win, last expeditions first.

    Args:
        edition: Name of a published edition or an `Edition`, without relics and with open chests.
        progress: Called with the fraction done, 0 to 1.
        cache: Whether to use the shipped solution and the cache on disk.

    Raises:
        ValueError: If the edition has relics or hidden chests, or is too large.
    """
    edition = find_edition(edition)
    if edition.relics or edition.hidden_chests:
        what = "relics" if edition.relics else "hidden chests"
        raise ValueError(f"{edition.name!r} has {what}; two players for the win are solved without")
    start = start_of_expedition(edition, 2)
    games = {**expeditions_after(start, edition), deck_of(start, edition): start}
    shares: dict[Deck, NDArray[np.float64]] = {}
    work = np.cumsum([card_sets(game, edition).size * _leads(game, edition) for game in games.values()])
    error = 0.0
    for number, (deck, game) in enumerate(games.items()):
        file = cache_file(game, edition, "two-player win") if cache else None
        numbers = load_numbers(file)
        if numbers is None:
            numbers = _solve_deck(game, edition, lambda game, leads: _shares_of(edition, shares, game, leads))
            save_numbers(file, numbers)
        shares[deck], error = numbers[1:], max(error, float(numbers[0]))
        if progress:
            progress(float(work[number] / work[-1]))
    return TwoPlayerWin(edition, shares, error)


def _leads(game: GameState, edition: Edition) -> int:
    """Return the number of undecided leads at the start of an expedition that can occur, from 0 on."""
    expedition = int(game["expedition"])
    return 1 + sum(edition.treasures) * min(expedition - 1, edition.expeditions - expedition + 1)


def _solve_deck(game: GameState, edition: Edition, win_shares: Shares) -> NDArray[np.float64]:
    """Return the error and the win share by lead at the start of an expedition, float64 (1 + leads,)."""
    leads = _leads(game, edition)
    expedition = _expedition(game, edition, leads, win_shares)
    memory, numbers = memory_of(expedition), np.zeros(1 + leads)
    for lead in range(leads):
        payoffs, error = _solve(expedition, lead, memory=memory)
        numbers[1 + lead], numbers[0] = payoffs.both_stay, max(numbers[0], error)
    return numbers


def _shares_of(edition: Edition, shares: dict, game: GameState, leads: NDArray[np.int64]) -> NDArray[np.float64]:
    """See `TwoPlayerWin.win_shares`."""
    ahead = np.array([0.5]) if game["phase"] == OVER else shares[deck_of(game, edition)]
    size = np.abs(leads)
    found = np.append(ahead, 1.0)[np.minimum(size, len(ahead))]
    return np.where(leads < 0, 1 - found, found)


def _expedition(game: GameState, edition: Edition, lead: int, win_shares: Shares) -> _Expedition:
    """Return the expedition from a state on, for leads up to a lead."""
    sets, numbers = card_sets(game, edition), numbers_of(edition)
    values, shares = numbers["treasure_value"].astype(int), numbers["share"][2]
    bag, path = int(game["bag"]), int(game["path_gems"])
    if game["num_inside"] == 2:
        total, banked = _sums(sets, values, 2 * bag + path), _sums(sets, values - shares, bag + path)
    else:
        total, banked = _sums(sets, values, bag + path), np.zeros(sets.size, np.int64)
    first = np.append(0, np.cumsum(banked + 1))
    if first[-1] > MAX_STATES:
        raise ValueError(f"{first[-1]:,} states in an expedition of {edition.name!r}; at most {MAX_STATES:,}")
    most = lead + int(total.max())
    leads = np.arange(-most, most + 1)
    bust = np.zeros((len(sets.radix) + 1, len(leads)))
    for traps, digit in fatal_kinds(game, sets):
        copies = game["deck"][[FIRST_TRAP + trap for trap in traps]]
        ends = [win_shares(after_bust(game, edition, trap), leads) for trap in traps]
        bust[digit] = np.average(ends, axis=0, weights=copies)
    return _Expedition(sets, banked, total, first, win_shares(after_leaving(game, edition), leads), bust)


def _sums(sets: CardSets, values: NDArray[np.int64], start: int) -> NDArray[np.int64]:
    """Return `start` plus the sum over the treasures of each set of their `values`, int64 (slots,)."""
    sums = np.array([start])
    for card, radix in zip(sets.card.tolist(), sets.radix.tolist(), strict=True):
        each = values[card] if card >= 0 else 0
        sums = (np.arange(radix)[:, None] * each + sums).ravel()
    return sums


def memory_of(expedition: _Expedition) -> tuple[NDArray[np.float64], ...]:
    """Return memory for `_induce`: the values of states with one and with two inside, and of the next card."""
    states, most = int(expedition.first[-1]), int(expedition.banked.max()) + 1
    return np.zeros((2, states)), np.zeros(expedition.sets.size), np.zeros((2, most))


def _solve(expedition, lead, policy=None, memory=None):
    policy = np.zeros((0, 2)) if policy is None else policy
    error, *payoffs = _induce(expedition, lead, memory or memory_of(expedition), policy)
    return Payoffs(*payoffs), error


@jit(cached=True)
def _induce(expedition, lead, memory, policy):
    """Solve an expedition for a lead; return the maximum gain of a deviation and the payoffs at its start.

    `policy`, float64 (sets, 2) or (0, 2), is filled with the probabilities of leaving of the players with `lead` and
    -`lead`. Before the first card, both stay.
    """
    sets, all_banked, all_total, first, left, bust = expedition
    alone, both, ahead = memory
    digits, centre, error = np.zeros(sets.radix.shape[0], np.int64), left.shape[0] // 2, 0.0
    payoffs = Payoffs(0.0, 0.0, 0.0, 0.0)
    for index in range(sets.size - 1, -1, -1):
        deck_size = read_set(sets, index, digits).deck_size
        banked, total, here = all_banked[index], all_total[index], first[index]
        stay = sets.always_fatal * bust[-1, centre + lead]
        for digit in range(digits.shape[0]):
            safe, fatal = sets.safe[digit, digits[digit]], sets.fatal[digit, digits[digit]]
            stay += fatal * bust[digit, centre + lead]
            if safe:
                stay += safe * both[index + sets.stride[digit]]
        for side in range(2):
            own = centre + lead if side == 0 else centre - lead
            values, mean = alone[side], ahead[side]
            for x in range(banked + 1):
                mean[x] = sets.always_fatal * bust[-1, own - x]
            for digit in range(digits.shape[0]):
                safe, fatal = sets.safe[digit, digits[digit]], sets.fatal[digit, digits[digit]]
                if fatal:
                    ends = bust[digit]
                    for x in range(banked + 1):
                        mean[x] += fatal * ends[own - x]
                if safe:
                    after = first[index + sets.stride[digit]]
                    for x in range(banked + 1):
                        mean[x] += safe * values[after + x]
            for x in range(banked + 1):
                mean[x] /= deck_size
                values[here + x] = max(mean[x], left[own + total - 2 * x])
        payoffs = Payoffs(stay / deck_size, ahead[0, banked], 1 - ahead[1, banked], left[centre + lead])
        p, q = minimax(payoffs), minimax(rival_of(payoffs))
        if policy.shape[0]:
            policy[index, 0], policy[index, 1] = p, q
        row_stay = payoffs.both_stay + q * (payoffs.stays - payoffs.both_stay)
        row_leave = payoffs.leaves + q * (payoffs.both_leave - payoffs.leaves)
        column_stay = payoffs.both_stay + p * (payoffs.leaves - payoffs.both_stay)
        column_leave = payoffs.stays + p * (payoffs.both_leave - payoffs.stays)
        value = row_stay + p * (row_leave - row_stay)
        both[index] = value
        error = max(error, row_stay - value, row_leave - value, value - column_stay, value - column_leave)
    return error, payoffs.both_stay, payoffs.stays, payoffs.leaves, payoffs.both_leave


@jit
def rival_of(payoffs):
    """Return the rival's payoffs."""
    return Payoffs(1 - payoffs.both_stay, 1 - payoffs.leaves, 1 - payoffs.stays, 1 - payoffs.both_leave)


@jit
def minimax(payoffs):
    """Return the probability of leaving that maximises the minimum over the rival's decisions."""
    if_stays, if_leaves = payoffs.leaves - payoffs.both_stay, payoffs.both_leave - payoffs.stays  # gains of leaving
    if if_stays <= 0 and if_leaves <= 0:
        return 0.0
    if if_stays >= 0 and if_leaves >= 0:
        return 1.0
    return min(max((payoffs.both_stay - payoffs.stays) / (if_leaves - if_stays), 0.0), 1.0)


@jit(cached=True)
def _indices_of(sets, start, games, indices):
    """Write `index_of` of each game into `indices`."""
    for i in range(games.shape[0]):
        indices[i] = index_of(sets, start, games[i])
