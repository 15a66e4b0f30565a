"""Lookup tables of the effects of cards and decisions, computed with `diamant_env.rules`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, MAX_PLAYERS, MAX_TREASURES, NO_CARD, Edition
from diamant_env.engine.edition_params import edition_params
from diamant_env.exact.cards import CardSets
from diamant_env.rules import resolve_decisions, return_to_camp, reveal, start_game
from diamant_env.state import CONTINUE, DECIDE, GAME, LEAVE, GameState


class Moves(NamedTuple):
    """Effects of moves, in gems."""

    gain: NDArray[np.int64]  # (players inside, slots), a treasure's addition to each bag
    rest: NDArray[np.int64]  # (players inside, slots), a treasure's addition to the path
    path_share: NDArray[np.int64]  # (leavers, gems on the path), share of each leaver
    path_rest: NDArray[np.int64]  # (leavers, gems on the path), remainder on the path; all of it with 0 leavers
    takes_relics: NDArray[np.int64]  # (leavers,), 1 if the leavers take the relics


def tabulate_moves(start: GameState, edition: Edition) -> Moves:
    """Return the tables for 0 to all of the players inside at `start`."""
    players = int(start["num_inside"])
    copies = start["deck"][:FIRST_TRAP]
    gain, rest = np.zeros((2, players + 1, MAX_TREASURES), np.int64)
    for inside in range(1, players + 1):
        for slot in map(int, np.flatnonzero(copies)):
            gain[inside, slot], rest[inside, slot] = _treasure(start, edition, inside, slot)
    # The remainder of a division among leavers is less than their number.
    most_on_path = int(start["path_gems"]) + players + int((rest @ copies).max())
    path_share, path_rest = np.zeros((2, players + 1, most_on_path + 1), np.int64)
    path_rest[0] = np.arange(most_on_path + 1)
    takes_relics = np.zeros(players + 1, np.int64)
    for leavers in range(1, players + 1):
        for gems in range(most_on_path + 1):
            game = _cave_with(gems, leavers)
            return_to_camp(game, leavers)
            path_share[leavers, gems] = game["banked"][0]
            path_rest[leavers, gems] = game["path_gems"]
            takes_relics[leavers] = game["path_relics"] == 0
    return Moves(gain, rest, path_share, path_rest, takes_relics)


def relic_worth(start: GameState, edition: Edition, card: int) -> NDArray[np.int64]:
    """Return the value of the relics on the path after 0, 1, … draws of this card, int64 (copies + 1,)."""
    game = start.copy()
    worth = [int(game["path_relic_value"])]
    for _ in range(start["deck"][card]):
        reveal(game, edition_params(edition), card)
        worth.append(int(game["path_relic_value"]))
    return np.array(worth, np.int64)


def payout_by_digit(start: GameState, edition: Edition, sets: CardSets) -> NDArray[np.int64]:
    """Return the addition of each digit's cards to a single player's payout, int64 (digits, values)."""
    worth = np.zeros(sets.safe.shape, np.int64)
    for digit, (card, radix) in enumerate(zip(sets.card.tolist(), sets.radix, strict=True)):
        if card >= FIRST_RELIC:
            worth[digit, :radix] = relic_worth(start, edition, card) - start["path_relic_value"]
        elif card >= 0:
            worth[digit, :radix] = np.arange(radix) * sum(_treasure(start, edition, 1, card))
    return worth


def start_of_expedition(edition: Edition, num_players: int) -> GameState:
    """Return a new game before its first card, a record of type `GAME`.

    Args:
        edition: The edition.
        num_players: Number of players, 1 to 8.
    """
    game = np.zeros(1, GAME)[0]
    start_game(game, edition_params(edition), num_players, np.uint64(0))
    return game


def after_leaving(game: GameState, edition: Edition) -> GameState:
    """Return the game after all players inside have left."""
    game = game.copy()
    game["phase"] = DECIDE
    game["decision"] = LEAVE
    resolve_decisions(game, edition_params(edition))
    return game


def after_bust(game: GameState, edition: Edition, trap: int) -> GameState:
    """Return the game after a bust by a kind of trap."""
    game = game.copy()
    game["bust_card"] = NO_CARD
    while game["bust_card"] == NO_CARD:
        reveal(game, edition_params(edition), FIRST_TRAP + trap)
    return game


def fatal_kinds(game: GameState, sets: CardSets) -> list[tuple[list[int], int]]:
    """Return (kinds of trap, digit) that can end the expedition: one kind per digit; those on the path with -1."""
    copies = game["deck"][FIRST_TRAP:FIRST_RELIC]
    digits = np.unique(sets.digit_of_trap[sets.digit_of_trap >= 0])
    kinds = [([int(np.flatnonzero(sets.digit_of_trap == digit)[0])], int(digit)) for digit in digits]
    kinds = [(traps, digit) for traps, digit in kinds if copies[traps[0]] >= 2]
    on_path = [int(trap) for trap in np.flatnonzero(game["on_path"]) if copies[trap]]
    return kinds + ([(on_path, -1)] if on_path else [])


def _treasure(start: GameState, edition: Edition, inside: int, slot: int) -> tuple[int, int]:
    """Return a treasure's additions to each bag and to the path, for a number of players inside."""
    game = start.copy()
    game["num_inside"] = inside
    reveal(game, edition_params(edition), slot)
    return int(game["bag"] - start["bag"]), int(game["path_gems"] - start["path_gems"])


def _cave_with(gems: int, leavers: int) -> GameState:
    """Return a game with gems and a relic of value 0 on the path, in which the first `leavers` seats leave."""
    game = np.zeros(1, GAME)[0]
    game["path_gems"], game["path_relics"] = gems, 1
    game["num_players"] = game["num_inside"] = MAX_PLAYERS
    game["inside"] = 1
    game["decision"] = CONTINUE
    game["decision"][:leavers] = LEAVE
    return game
