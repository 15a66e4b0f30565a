"""Mixed-radix indices of the multisets of cards drawn in an expedition.

A digit per kind of card counts its draws since the initial state. Drawing a card adds that digit's stride, so
decreasing index order is a reverse topological order. Kinds of trap with equal numbers of copies are interchangeable:
they may share a digit, the number of kinds drawn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import jit
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, MAX_TRAPS, Edition
from diamant_env.state import DECIDE, GameState

MAX_SETS = 200_000_000


class CardSets(NamedTuple):
    """Sets of cards that can be drawn after a state."""

    stride: NDArray[np.int64]  # (digits,), increment of the index per card drawn
    radix: NDArray[np.int64]  # (digits,), number of values of the digit
    safe: NDArray[np.int64]  # (digits, values), cards in the deck that increment the digit, by the digit's value
    fatal: NDArray[np.int64]  # (digits, values), cards in the deck that end the expedition, by the digit's value
    card: NDArray[np.int64]  # (digits,), the treasure or relic, -1 for traps
    digit_of_trap: NDArray[np.int64]  # (kinds,), -1 for kinds on the path at the start or not in the deck
    always_fatal: int  # number of cards of the kinds on the path at the start
    size: int  # number of sets


class _Digit(NamedTuple):
    safe: list[int]
    fatal: list[int]
    card: int = -1
    traps: tuple[int, ...] = ()


def card_sets(game: GameState, edition: Edition, merge_traps: bool = True) -> CardSets:
    """Return the sets of cards that can be drawn after a state; `merge_traps`: interchangeable traps share a digit."""
    # Treasures have the lowest strides and traps the highest, for memory locality.
    digits = [
        _Digit(list(range(copies, -1, -1)), [0] * (copies + 1), card)
        for card, copies in enumerate(game["deck"].tolist())
        if copies and not FIRST_TRAP <= card < FIRST_RELIC
    ]
    digits += _trap_digits(game, merge_traps)
    radix = np.array([len(digit.safe) for digit in digits], np.int64)  # empty if only fatal cards are left
    size = float(np.prod(radix.astype(float)))
    if size > MAX_SETS:
        raise ValueError(f"{size:.3g} sets of cards in {edition.name!r}; at most {MAX_SETS:.0e} are solved")
    safe, fatal = np.zeros((2, len(digits), int(radix.max(initial=1))), np.int64)
    digit_of_trap = np.full(MAX_TRAPS, -1, np.int64)
    for index, digit in enumerate(digits):
        safe[index, : radix[index]] = digit.safe
        fatal[index, : radix[index]] = digit.fatal
        digit_of_trap[list(digit.traps)] = index
    on_path = game["on_path"].astype(bool)
    return CardSets(
        stride=np.cumprod(np.append(1, radix))[:-1].astype(np.int64),
        radix=radix,
        safe=safe,
        fatal=fatal,
        card=np.array([digit.card for digit in digits], np.int64),
        digit_of_trap=digit_of_trap,
        always_fatal=int(game["deck"][FIRST_TRAP:FIRST_RELIC][on_path].sum()),
        size=int(size),
    )


class Drawn(NamedTuple):
    """A set of cards drawn."""

    number: int  # index of the set
    digits: NDArray[np.int64]  # (digits,)
    deck_size: int  # number of cards that remain in the deck


@jit
def read_set(sets, index, digits):
    """Return a set by its index; its digits are written into `digits`, int64 (digits,)."""
    deck_size = sets.always_fatal
    for digit in range(digits.shape[0]):
        at = (index // sets.stride[digit]) % sets.radix[digit]
        digits[digit] = at
        deck_size += sets.safe[digit, at] + sets.fatal[digit, at]
    return Drawn(index, digits, deck_size)


def require_same_expedition(start: GameState, games: NDArray) -> None:
    """Raise a ValueError if a game has another number of players or is in another expedition."""
    other = (games["num_players"] != start["num_players"]) | (games["expedition"] != start["expedition"])
    if other.any():
        game = games[other.argmax()]
        raise ValueError(
            f"game {other.argmax()} can't follow the state that was solved: it is in expedition {game['expedition']} "
            f"of {game['num_players']} players, the other in {start['expedition']} of {start['num_players']}"
        )


def require_decisions(games: NDArray) -> None:
    """Raise a ValueError if a game is not in phase `DECIDE`."""
    if (wrong := games["phase"] != DECIDE).any():
        raise ValueError(
            f"game {wrong.argmax()} is in phase {games['phase'][wrong.argmax()]}; DECIDE, {DECIDE}, is needed"
        )


@jit
def index_of(sets, start, game):
    """Return the index of the cards drawn between two states, -1 if `game` can't follow `start`."""
    index = np.int64(0)
    for digit in range(sets.radix.shape[0]):
        card = sets.card[digit]
        drawn = np.int64(start.deck[card]) - game.deck[card] if card >= 0 else np.int64(0)
        if drawn < 0 or drawn >= sets.radix[digit]:
            return np.int64(-1)
        index += drawn * sets.stride[digit]
    cards = np.int64(start.deck_size) - game.deck_size
    for trap in range(MAX_TRAPS):
        new = game.on_path[trap] - start.on_path[trap]
        if new < 0 or new > 1 or start.deck[FIRST_TRAP + trap] - new != game.deck[FIRST_TRAP + trap]:
            return np.int64(-1)
        if new and sets.digit_of_trap[trap] < 0:
            return np.int64(-1)
        if new:
            index += sets.stride[sets.digit_of_trap[trap]]
    for digit in range(sets.radix.shape[0]):
        cards -= (index // sets.stride[digit]) % sets.radix[digit]
    return index if cards == 0 else np.int64(-1)


def _trap_digits(game: GameState, merge: bool) -> list[_Digit]:
    """Return a digit per kind of trap in the deck and not on the path; `merge` joins kinds with equal copies."""
    copies = game["deck"][FIRST_TRAP:FIRST_RELIC].tolist()
    fresh = [trap for trap in range(MAX_TRAPS) if copies[trap] and not game["on_path"][trap]]
    alike = [[trap for trap in fresh if copies[trap] == count] for count in sorted({copies[trap] for trap in fresh})]
    return [
        _Digit(
            safe=[(len(traps) - drawn) * copies[traps[0]] for drawn in range(len(traps) + 1)],
            fatal=[drawn * (copies[traps[0]] - 1) for drawn in range(len(traps) + 1)],
            traps=tuple(traps),
        )
        for traps in (alike if merge else [[trap] for trap in fresh])
    ]
