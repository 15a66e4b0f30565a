"""Engine against oracle in random games and in games with a bust in every expedition."""

from __future__ import annotations

import numpy as np
import pytest

from diamant_env import Batch, Game
from diamant_env.rewards import REWARDS
from tests.support.oracle import Oracle
from tests.support.play import INVENTED, PUBLISHED, SCALE, every, games
from tests.support.side_by_side import Names, SideBySide, engine_rows, oracle_row


@every([*PUBLISHED, *INVENTED])
def test_bust_in_every_expedition(edition):
    """In every other expedition a lone leaver takes what lies on the path."""
    game, oracle, names = Game(3, edition), Oracle(edition, 3), Names(edition)
    while not oracle.over:
        expedition, relics = oracle.expedition, [card for card in oracle.deck if oracle.is_relic(card)]
        treasure = max(card for card in oracle.deck if isinstance(card, int))
        trap = next(trap for trap in edition.traps if oracle.deck.count(trap) > 1)
        for turn, card in enumerate([*relics[:1], treasure, trap, trap]):
            if turn:
                leavers = {expedition % 3} if oracle.path[-1] == treasure and expedition % 2 else set()
                game.decide([int(seat in leavers) for seat in range(3)])
                oracle.decide(leavers)
            game.reveal(next(number for number, _ in game.chance_outcomes() if names.cards[number] == card))
            oracle.reveal(card)
            assert engine_rows(np.array([game.state])) == [oracle_row(oracle)]
            assert names.deck(game.state.deck.tolist()) == oracle.deck_counts
            assert oracle.unaccounted_gems == 0
        assert oracle.expedition == expedition + (not oracle.over)


# Seven thousand random games; DIAMANT_TEST_SCALE multiplies them.
BATCH = 144


@every([*PUBLISHED, *INVENTED])
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
