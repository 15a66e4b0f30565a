"""Probabilities of a bust as fractions: closed forms and figures of the published decks."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from diamant_env import Edition

SURVIVAL = {  # P(no bust after k cards of a fresh deck of N)
    30: {2: Fraction(28, 29), 3: Fraction(365, 406), 4: Fraction(491, 609), 6: 0.575841, 10: 0.171457},
    35: {2: Fraction(116, 119), 3: Fraction(1212, 1309), 4: Fraction(4485, 5236), 6: 0.675830, 10: 0.296532},
}
BUST_AT_TRAP = {2: 0.142857, 3: 0.406593, 4: 0.703297}  # P(bust) of a player who leaves at the h-th trap


def deck_size(edition: Edition) -> int:
    relics = len(edition.relics) if edition.relics_enter == "start" else min(1, len(edition.relics))
    return len(edition.treasures) + len(edition.traps) * edition.trap_copies + relics


def survival(edition: Edition, cards: int) -> Fraction:
    """Return P(no bust): j kinds of trap, one card of each, and harmless cards for the rest."""
    kinds, copies, size = len(edition.traps), edition.trap_copies, deck_size(edition)
    harmless = size - kinds * copies
    ways = sum(comb(kinds, j) * copies**j * comb(harmless, cards - j) for j in range(min(kinds, cards) + 1))
    return Fraction(ways, comb(size, cards))


def bust_at_trap(edition: Edition, traps: int) -> Fraction:
    """Return P(bust) by the h-th trap: only the order of the trap cards matters."""
    kinds, copies = len(edition.traps), edition.trap_copies
    safe = Fraction(1)
    for i in range(traps):
        safe *= Fraction(copies * (kinds - i), copies * kinds - i)
    return 1 - safe
