"""Exact figures by enumeration of the engine's chance outcomes, like perft in chess engines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from diamant_env import Edition, Game
from tests.support.exact_by_hand import after, left
from tests.support.figures import bust_at_trap, survival
from tests.support.oracle import Oracle
from tests.support.play import BASE, INVENTED, PUBLISHED, every
from tests.support.side_by_side import Names, engine_rows, oracle_row

TINY = [
    Edition("one kind of trap", (1,), ("mud",), expeditions=1),
    Edition("traps only in pairs", (2, 2, 9), ("mud", "wind", "rain"), trap_copies=2, expeditions=1),
    Edition("many treasures", (1, 1, 1, 4, 4, 6, 6, 6, 6), ("mud", "wind"), expeditions=1),
    Edition("equal relics", (3, 3), ("mud", "wind"), trap_copies=4, relics=(5, 5, 10), expeditions=1),
    Edition("printed relics", (8,), ("mud",), 5, (2, 4, 7), relic_values="printed", expeditions=1),
    Edition("a late relic", (8, 8, 1), ("mud", "wind"), 3, (2, 4, 7), relics_enter="expedition", expeditions=1),
]
LONGER = [
    replace(edition, expeditions=2)
    for edition in TINY
    if edition.name in ("one kind of trap", "equal relics", "a late relic")
]


def after_card(game: Game, card: int) -> Game:
    later = game.clone()
    later.reveal(card)
    return later


def decided(game: Game, leavers: Sequence[int]) -> Game:
    later = game.clone()
    later.decide([int(seat in leavers) for seat in range(game.num_players)])
    return later


def cards(game: Game) -> list[tuple[int, int]]:
    """Return the kinds of card in the deck with their copies."""
    deck = game.state.deck.tolist()
    return [(card, deck[card]) for card, _ in game.chance_outcomes()]


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
            for card, copies in cards(game):
                then = after_card(game, card)
                if then.phase == "over":
                    continue
                share = chance * Fraction(copies, int(game.state.deck_size))
                now = int(then.state.on_path.sum())
                then.decide([0])
                later[now] = (later[now][0] + share if now in later else share, then)
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


def test_bust_at_the_nth_trap():
    assert [bust_at_trap(BASE, traps) for traps in (2, 3, 4)] == [Fraction(1, 7), Fraction(37, 91), Fraction(64, 91)]


@every(LONGER)
def test_all_histories_of_three_turns(edition):
    names, histories = Names(edition), []

    def go(game: Game, oracle: Oracle, turns: int) -> None:
        if game.phase == "reveal":
            assert {names.cards[card] for card, _ in cards(game)} == set(oracle.deck)
            for card, _ in cards(game):
                go(after_card(game, card), after(oracle, names.cards[card]), turns)
            return
        rows = engine_rows(np.array([game.state]))
        assert rows == [oracle_row(oracle)]
        assert names.deck(game.state.deck.tolist()) == oracle.deck_counts
        if turns == 3 or oracle.over:
            histories.append(tuple(rows[0]))
            return
        inside = [seat for seat, player in enumerate(oracle.players) if player.inside]
        for leavers in [(), *((seat,) for seat in inside), inside][: 2 ** len(inside)]:
            go(decided(game, leavers), left(oracle, set(leavers)), turns + 1)

    go(Game(2, edition), Oracle(edition, 2), 0)
    assert len(set(histories)) > 10
