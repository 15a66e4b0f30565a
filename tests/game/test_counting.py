"""Exact figures by enumeration of the engine's chance outcomes, like perft in chess engines."""

from dataclasses import replace
from fractions import Fraction
from math import comb

from diamant_env import Edition, Game
from tests.support.play import BASE, INVENTED, PUBLISHED, every


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


def survival_by_the_engine(edition: Edition) -> tuple[list[Fraction], dict[int, Fraction]]:
    """Return P(no bust after k cards) for all k, and P(the h-th trap comes before a bust) for all h.

    The number of cards and of kinds of trap on the path determines the chances of a bust: one game per pair suffices.
    """
    root = Game(1, replace(edition, expeditions=1))
    alive, reached = {0: (Fraction(1), root)}, dict.fromkeys(range(1, len(edition.traps) + 1), Fraction(0))
    chances = [Fraction(1)]
    while alive:
        later: dict[int, tuple[Fraction, Game]] = {}
        for traps, (chance, game) in alive.items():
            for card, _ in game.chance_outcomes():
                then = game.clone()
                then.reveal(card)
                if then.phase == "over":
                    continue
                share = chance * Fraction(int(game.state.deck[card]), int(game.state.deck_size))
                now = int(then.state.on_path.sum())
                then.decide([0])
                later[now] = (later[now][0] + share if now in later else share, then)
                if now > traps:
                    reached[now] += share
        alive = later
        chances.append(sum((chance for chance, _ in alive.values()), Fraction(0)))
    return chances, reached


@every([*PUBLISHED, *INVENTED])
def test_survival_of_every_edition(edition):
    chances, reached = survival_by_the_engine(edition)
    assert chances == [survival(edition, cards) for cards in range(len(chances))]
    assert chances[-1] == 0
    for traps, chance in reached.items():
        assert 1 - chance == bust_at_trap(edition, traps)


def test_bust_at_the_nth_trap():
    assert [bust_at_trap(BASE, traps) for traps in (2, 3, 4)] == [Fraction(1, 7), Fraction(37, 91), Fraction(64, 91)]
