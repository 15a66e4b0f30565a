"""Exact figures without simulation: the engine's own cards counted out, as chess engines count moves."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np

from diamant_env import GAME, LEAVE, Edition
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.rules import resolve_decisions, reveal, start_game
from diamant_env.state import OVER, REVEAL
from tests.support.figures import bust_at_trap, survival
from tests.support.oracle import Oracle
from tests.support.play import INVENTED, PUBLISHED, every
from tests.support.side_by_side import Names

TINY = [
    Edition("one kind of trap", (1,), ("mud",), expeditions=1),
    Edition("traps only in pairs", (2, 2, 9), ("mud", "wind", "rain"), trap_copies=2, expeditions=1),
    Edition("many treasures", (1, 1, 1, 4, 4, 6, 6, 6, 6), ("mud", "wind"), expeditions=1),
    Edition("equal relics", (3, 3), ("mud", "wind"), trap_copies=4, relics=(5, 5, 10), expeditions=1),
    Edition("printed relics", (8,), ("mud",), 5, (2, 4, 7), relic_values="printed", expeditions=1),
    Edition("a late relic", (8, 8, 1), ("mud", "wind"), 3, (2, 4, 7), relics_enter="expedition", expeditions=1),
]
LONGER = [replace(edition, expeditions=2) for edition in TINY]


class Tree:
    """Every course that a game of the engine can take."""

    def __init__(self, edition: Edition, players: int = 1) -> None:
        self.box = numbers_of(edition)
        self.root = np.zeros(1, GAME).view(np.recarray)
        start_game(self.root[0], self.box, players, np.uint64(0))

    def after(self, game: np.recarray, card: int) -> np.recarray:
        """The game after this card."""
        later = game.copy()
        reveal(later[0], self.box, card)
        return later

    def decided(self, game: np.recarray, leavers: tuple[int, ...]) -> np.recarray:
        """The game after these seats left."""
        later = game.copy()
        later[0].decision[:] = 0
        later[0].decision[list(leavers)] = LEAVE
        resolve_decisions(later[0], self.box)
        return later

    def cards(self, game: np.recarray) -> list[tuple[int, int]]:
        """The kinds of card in the deck, and how many of each."""
        return [(card, int(game[0].deck[card])) for card in np.flatnonzero(game[0].deck)]


def survival_by_the_engine(edition: Edition) -> tuple[list[Fraction], dict[int, Fraction]]:
    """P(no bust after k cards) for all k, and P(the h-th trap comes before a bust) for all h.

    Games with as many cards and as many kinds of trap on the path have the same future as far as busts go, so one of
    them stands for all.
    """
    tree = Tree(replace(edition, expeditions=1))
    alive, reached = {0: (Fraction(1), tree.root)}, dict.fromkeys(range(1, len(edition.traps) + 1), Fraction(0))
    chances = [Fraction(1)]
    while alive:
        later: dict[int, tuple[Fraction, np.recarray]] = {}
        for traps, (chance, game) in alive.items():
            for card, copies in tree.cards(game):
                after = tree.after(game, card)
                if after[0].phase == OVER:
                    continue
                share = chance * Fraction(copies, int(game[0].deck_size))
                now = int(after[0].on_path.sum())
                later[now] = (later[now][0] + share if now in later else share, after)
                if now > traps:
                    reached[now] += share
        alive = later
        chances.append(sum((chance for chance, _ in alive.values()), Fraction(0)))
    return chances, reached


@every([*PUBLISHED, *INVENTED, *TINY])
def test_survival_of_every_edition(edition):
    chances, reached = survival_by_the_engine(edition)
    assert chances == [survival(edition, cards) for cards in range(len(chances))]
    assert chances[-1] == 0
    for traps, chance in reached.items():
        assert 1 - chance == bust_at_trap(edition, traps)


# All courses of a game for two, cards and decisions, into the second expedition: how many, and what they hold.


def courses_of_the_engine(edition: Edition, turns: int) -> list[tuple[int, ...]]:
    tree, results = Tree(edition, 2), []

    def go(game: np.recarray, depth: int) -> None:
        if depth == turns or game[0].phase == OVER:
            chests, relics = game[0].chest.tolist()[:2], game[0].relics.tolist()[:2]
            results.append((*chests, *relics, int(game[0].expedition), int(game[0].deck_size)))
        elif game[0].phase == REVEAL:
            for card, _ in tree.cards(game):
                go(tree.after(game, card), depth)
        else:
            inside = [seat for seat in (0, 1) if game[0].inside[seat]]
            for leavers in subsets(inside):
                go(tree.decided(game, leavers), depth + 1)

    go(tree.root, 0)
    return sorted(results)


def courses_of_the_oracle(edition: Edition, turns: int) -> list[tuple[int, ...]]:
    results, names = [], Names(edition).cards

    def go(moves: list, depth: int) -> None:
        oracle, waits_for_card = played(moves)
        if depth == turns or oracle.over:
            (one, two), size = oracle.players, len(oracle.deck)
            relics = (len(one.relic_values), len(two.relic_values))
            results.append((one.chest, two.chest, *relics, oracle.expedition, size))
        elif waits_for_card:
            for card in sorted(oracle.deck_counts, key=names.index):
                go([*moves, card], depth)
        else:
            for leavers in subsets([seat for seat in (0, 1) if oracle.players[seat].inside]):
                go([*moves, leavers], depth + 1)

    def played(moves: list) -> tuple[Oracle, bool]:
        oracle, waits_for_card = Oracle(edition, 2), True
        for move in moves:
            expedition = oracle.expedition
            if waits_for_card:
                oracle.reveal(move)
                waits_for_card = oracle.expedition != expedition
            else:
                oracle.decide(set(move))
                waits_for_card = True
        return oracle, waits_for_card

    go([], 0)
    return sorted(results)


def subsets(seats: list[int]) -> list[tuple[int, ...]]:
    chosen = product([False, True], repeat=len(seats))
    return [tuple(seat for seat, leaves in zip(seats, row, strict=True) if leaves) for row in chosen]


@every(LONGER)
def test_all_courses_of_three_turns(edition):
    engine = courses_of_the_engine(edition, 3)
    assert engine == courses_of_the_oracle(edition, 3)
    assert len(set(engine)) > 10
