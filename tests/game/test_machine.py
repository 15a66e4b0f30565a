"""Engine and oracle side by side in games that hypothesis leads where it likes: chosen cards, adversarial decisions."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from diamant_env import Batch, Edition
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.engine.turns import draw_card
from diamant_env.rules import resolve_decisions, reveal, start_game, win_share
from diamant_env.state import LEAVE, REVEAL
from tests.support.oracle import Oracle
from tests.support.play import INVENTED, PUBLISHED, SCALE, every, games
from tests.support.side_by_side import Names, engine_rows, oracle_row

EXAMPLES = 300
SEATS = st.sets(st.integers(0, 7))
CARDS = st.lists(st.integers(0, 99), max_size=3)


class TwoGames(RuleBasedStateMachine):
    """One game, played by the compiled rules and by the oracle."""

    edition: Edition

    @initialize(players=st.integers(1, 8), seed=st.integers(0, 2**63), cards=CARDS)
    def set_up(self, players, seed, cards):
        self.batch = Batch(1, players, self.edition)
        self.game, self.box = self.batch._core.records[0], numbers_of(self.edition)
        self.names, self.oracle = Names(self.edition), Oracle(self.edition, players)
        self.whole = Counter(self.oracle.deck) + Counter(self.oracle.relics_to_come)
        self.junk = random.Random(seed)
        start_game(self.game, self.box, players, np.uint64(seed))
        self.turn_up(iter(cards))

    def turn_up(self, cards):
        """The next cards: chosen among the kinds that are left, each as likely as any other, or drawn."""
        while self.game.phase == REVEAL:
            choice = next(cards, None)
            kinds = np.flatnonzero(self.game.deck)
            card = draw_card(self.game) if choice is None else kinds[choice % len(kinds)]
            name = self.names.cards[card]
            reveal(self.game, self.box, card)
            self.oracle.reveal(name)

    def play(self, leavers, cards=()):
        """One turn; who is in camp sends anything."""
        inside = [seat for seat, here in enumerate(self.game.inside) if here]
        for seat in range(8):
            self.game.decision[seat] = self.junk.randint(-128, 127)
        for seat in inside:
            self.game.decision[seat] = LEAVE if seat in leavers else 0
        resolve_decisions(self.game, self.box)
        self.oracle.decide(set(inside) & set(leavers))
        self.turn_up(iter(cards))

    def running(self):
        return not self.oracle.over

    @precondition(running)
    @rule(leavers=st.sampled_from([range(8), ()]), cards=CARDS)
    def all_or_none_leave(self, leavers, cards):
        self.play(leavers, cards)

    @precondition(running)
    @rule(first=st.integers(0, 7), cards=CARDS)
    def one_leaves(self, first, cards):
        inside = [seat for seat, player in enumerate(self.oracle.players) if player.inside]
        self.play({inside[first % len(inside)]}, cards)

    @precondition(running)
    @rule(stays=st.integers(0, 7), cards=CARDS)
    def all_but_one_leave(self, stays, cards):
        self.play(set(range(8)) - {stays}, cards)

    @precondition(running)
    @rule(leavers=SEATS, cards=CARDS)
    def some_leave(self, leavers, cards):
        self.play(leavers, cards)

    @precondition(running)
    @rule()
    def a_relic_comes_up(self):
        relics = [i for i, card in enumerate(np.flatnonzero(self.game.deck)) if "relic" in str(self.names.cards[card])]
        self.play((), relics[:1])

    @precondition(running)
    @rule()
    def a_bust(self):
        """Traps of one kind until the expedition ends, if there are two of any."""
        expedition = self.oracle.expedition
        kinds = np.flatnonzero(self.game.deck).tolist()
        traps = [i for i, card in enumerate(kinds) if self.names.cards[card] in self.edition.traps]
        fatal = [i for i in traps if self.game.deck[kinds[i]] + (self.names.cards[kinds[i]] in self.oracle.path) > 1]
        while fatal and not self.oracle.over and self.oracle.expedition == expedition:
            card = kinds[fatal[0]]
            self.play((), [np.flatnonzero(self.game.deck).tolist().index(card)])

    @precondition(lambda self: self.oracle.over)
    @rule(action=st.integers(-128, 127))
    def nothing_happens_after_the_end(self, action):
        before = self.batch.games.tobytes()
        _, rewards, done = self.batch.step(np.full((1, self.batch.seats), action, np.int8))
        assert self.batch.games.tobytes() == before
        assert done.all()
        assert not rewards.any()

    @invariant()
    def both_are_alike(self):
        assert engine_rows(self.batch.games) == [oracle_row(self.oracle)]
        assert self.names.deck(self.batch.games.deck[0].tolist()) == self.oracle.deck_counts

    @invariant()
    def gems_and_cards_are_conserved(self):
        oracle = self.oracle
        assert oracle.unaccounted_gems == oracle.unaccounted_cards == 0
        found = Counter(oracle.deck) + Counter(oracle.path) + Counter(oracle.out_of_game)
        found += Counter(oracle.relics_to_come) + Counter(oracle.relics_with_players)
        assert found - Counter(gap=99) == self.whole

    @invariant()
    def the_same_players_win(self):
        winners = self.oracle.winners
        for seat in range(len(self.oracle.players)):
            assert win_share(self.game, self.box, seat) == (seat in winners) / len(winners)

    def teardown(self):
        """Play on to the end of the game."""
        if not hasattr(self, "oracle"):
            return
        while not self.oracle.over:
            self.play({seat for seat in range(8) if self.junk.random() < 0.2})
            self.both_are_alike()
        self.the_same_players_win()


def play_examples(edition: Edition, examples: int) -> None:
    machine = type("TwoGames", (TwoGames,), {"edition": edition})
    run_state_machine_as_test(machine, settings=settings(max_examples=examples * SCALE, stateful_step_count=12))


@every(PUBLISHED)
def test_any_game_of_a_published_edition(edition):
    play_examples(edition, games(EXAMPLES))


@every(INVENTED)
def test_any_game_of_another_box(edition):
    play_examples(edition, games(60))
