"""Exact figures without simulation: the engine's own cards counted out, as chess engines count moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from diamant_env import GAME, LEAVE, Edition
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.rules import resolve_decisions, reveal, start_game
from diamant_env.state import OVER, REVEAL
from tests.support.exact_by_hand import after, left
from tests.support.figures import bust_at_trap, survival
from tests.support.oracle import Oracle
from tests.support.play import INVENTED, PUBLISHED, every
from tests.support.side_by_side import Names, engine_rows, oracle_row

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

    def decided(self, game: np.recarray, leavers: Sequence[int]) -> np.recarray:
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


@every(LONGER)
def test_all_courses_of_three_turns(edition):
    """Every card and every decision of a game for two, into the second expedition: the engine's and the oracle's."""
    tree, names, courses = Tree(edition, 2), Names(edition), []

    def go(game: np.recarray, oracle: Oracle, turns: int) -> None:
        if game[0].phase == REVEAL:
            assert {names.cards[card] for card, _ in tree.cards(game)} == set(oracle.deck)
            for card, _ in tree.cards(game):
                go(tree.after(game, card), after(oracle, names.cards[card]), turns)
            return
        rows = engine_rows(game)
        assert rows == [oracle_row(oracle)]
        assert names.deck(game[0].deck.tolist()) == oracle.deck_counts
        if turns == 3 or oracle.over:
            courses.append(tuple(rows[0]))
            return
        inside = [seat for seat, player in enumerate(oracle.players) if player.inside]
        for leavers in [(), *((seat,) for seat in inside), inside][: 2 ** len(inside)]:
            go(tree.decided(game, leavers), left(oracle, set(leavers)), turns + 1)

    go(tree.root, Oracle(edition, 2), 0)
    assert len(set(courses)) > 10
