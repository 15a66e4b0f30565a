"""Probabilities of a bust as fractions, in closed form."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from diamant_env import Edition


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
