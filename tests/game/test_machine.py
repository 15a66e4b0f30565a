"""Engine against oracle in games chosen by hypothesis, and in random games."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diamant_env import Batch
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.engine.turns import draw_card
from diamant_env.rewards import REWARDS
from diamant_env.rules import resolve_decisions, reveal, start_game, win_share
from diamant_env.state import LEAVE, REVEAL
from tests.support.oracle import Oracle
from tests.support.play import INVENTED, PUBLISHED, SCALE, every, games
from tests.support.side_by_side import Names, SideBySide, engine_rows, oracle_row

CARDS = st.lists(st.integers(0, 99), max_size=3)
KINDS = ["all leave", "none leaves", "one leaves", "one stays", "some leave", "a relic comes up", "a bust"]
TURNS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 255), CARDS), min_size=6, max_size=14)


class RulesAndOracle:
    """One game, played by the compiled rules and by the oracle."""

    def __init__(self, edition, players, seed, cards):
        self.batch = Batch(1, players, edition)
        self.batch.reset(0)
        self.game, self.edition = self.batch._games.view(np.recarray)[0], numbers_of(edition)
        self.names, self.oracle = Names(edition), Oracle(edition, players)
        self.whole = Counter(self.oracle.deck) + Counter(self.oracle.relics_to_come)
        self.junk = random.Random(seed)
        start_game(self.game, self.edition, players, np.uint64(seed))
        self.reveal_cards(cards)

    def reveal_cards(self, cards):
        """Reveal the next cards: chosen uniformly among the kinds left, or drawn."""
        cards = iter(cards)
        while self.game.phase == REVEAL:
            choice, kinds = next(cards, None), self.kinds()
            card = draw_card(self.game) if choice is None else kinds[choice % len(kinds)]
            reveal(self.game, self.edition, card)
            self.oracle.reveal(self.names.cards[card])
        self.compare()

    def kinds(self):
        return np.flatnonzero(self.game.deck).tolist()

    def play(self, leavers, cards=()):
        """Play one turn; seats in camp send random actions."""
        for seat, inside in enumerate(self.game.inside):
            self.game.decision[seat] = LEAVE * (seat in leavers) if inside else self.junk.randint(-128, 127)
        resolve_decisions(self.game, self.edition)
        self.oracle.decide({seat for seat in leavers if self.oracle.players[seat].inside})
        self.reveal_cards(cards)

    def turn(self, kind, number, cards):
        """Play one turn of this kind; for a bust, turns until it happens."""
        inside = [seat for seat, player in enumerate(self.oracle.players) if player.inside]
        one = inside[number % len(inside)]
        if kind == "a bust":
            self.bust()
        elif kind == "a relic comes up":
            self.play((), [i for i, card in enumerate(self.kinds()) if "relic" in str(self.names.cards[card])][:1])
        else:
            some = [seat for seat in inside if number >> seat & 1]
            leavers = {"all leave": inside, "one leaves": [one], "one stays": {*inside} - {one}, "some leave": some}
            self.play(leavers.get(kind, ()), cards)

    def bust(self):
        """Reveal traps of one kind until the expedition ends, if two of any are left."""
        expedition, names = self.oracle.expedition, self.names.cards
        traps = [card for card in self.kinds() if names[card] in self.oracle.edition.traps]
        fatal = [card for card in traps if self.game.deck[card] + (names[card] in self.oracle.path) > 1]
        while fatal and not self.oracle.over and self.oracle.expedition == expedition:
            self.play((), [self.kinds().index(fatal[0])])

    def compare(self):
        """Assert equal states and winners, and conserved gems and cards."""
        oracle = self.oracle
        assert engine_rows(self.batch.games) == [oracle_row(oracle)]
        assert self.names.deck(self.game.deck.tolist()) == oracle.deck_counts
        assert oracle.unaccounted_gems == 0
        cards = [*oracle.deck, *oracle.path, *oracle.out_of_game, *oracle.relics_to_come]
        cards += [relic for player in oracle.players for relic in player.relic_cards]
        assert Counter(cards) - Counter(gap=99) == self.whole
        winners = oracle.winners
        for seat in range(len(oracle.players)):
            assert win_share(self.game, self.edition, seat) == (seat in winners) / len(winners)


@every([*PUBLISHED, *INVENTED])
def test_any_game_of_any_edition(edition):
    @settings(max_examples=games(40 if edition in PUBLISHED else 24) * SCALE)
    @given(st.integers(1, 8), st.integers(0, 2**63), CARDS, TURNS)
    def any_game(players, seed, cards, turns):
        both = RulesAndOracle(edition, players, seed, cards)
        for turn in turns:
            if not both.oracle.over:
                both.turn(*turn)
        while not both.oracle.over:
            both.play({seat for seat in range(players) if both.junk.random() < 0.2})
        before = both.batch.games.tobytes()
        _, rewards, done = both.batch.step(np.full((1, players), both.junk.randint(-128, 127), np.int8))
        assert both.batch.games.tobytes() == before
        assert done.all()
        assert not rewards.any()

    any_game()


# Six thousand random games; DIAMANT_TEST_SCALE multiplies them.
BATCH = 240


@every(PUBLISHED)
@pytest.mark.parametrize("reward", REWARDS)
def test_engine_and_oracle_agree(edition, reward):
    fewest = 2 if reward == "margin" else 1  # a margin needs a rival
    size = games(BATCH)
    players = np.arange(size) // 6 % (9 - fewest) + fewest  # every table size with every kind of decisions
    chests, rng = set(), np.random.default_rng(list(REWARDS).index(reward))
    for chunk in range(SCALE):
        both = SideBySide(Batch(size, players, edition, reward), seed=1_000_000_000 + int(rng.integers(2**40)) + chunk)
        assert both.play_to_the_end(rng) >= edition.expeditions
        chests.update(map(tuple, both.batch.games.chest.tolist()))
    assert len(chests) > size / 3  # distinct games
