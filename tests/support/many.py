"""Many games of the engine as plain numbers, and the oracle playing them after it, fast."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from diamant_env import Batch, Edition
from diamant_env.editions import MAX_PLAYERS, NO_CARD
from tests.support.oracle import Oracle
from tests.support.side_by_side import DECISIONS, Names

SHARED = ("expedition", "num_inside", "deck_size", "relics_taken", "path_relics", "path_relic_value", "path_gems")
BY_SEAT = ("chest", "relics", "inside", "left_turn", "banked")


class ManyGames:
    """The games of a batch, played to the end by the engine alone.

    Attributes:
        turns: Per turn, what the engine's records hold: one row of numbers per game, in the order of `oracle_row`.
        cards: Per turn and game, the trap that ended an expedition or `NO_CARD`, and the card that lies there now.
        leave: Per turn, game and seat, who left.
        rewards: Per turn, game and seat.
        decks: Per turn, int8 (N, cards), how many of each card are left.
    """

    def __init__(self, batch: Batch, seed: int) -> None:
        self.batch = batch
        rng = np.random.default_rng(seed)
        shape = (batch.num_games, batch.seats)
        kinds = list(DECISIONS.values())
        which = np.arange(batch.num_games) % len(kinds)
        observations = batch.reset(seed)
        rewards, done = np.zeros(shape, np.float32), np.zeros(batch.num_games, bool)
        self.turns, self.cards, self.decks = [self._rows()], [self._cards()], [batch.games.deck.copy()]
        self.leave, self.rewards = [np.zeros(shape, bool).tolist()], [rewards.tolist()]
        while not done.all():
            inside = batch.must_decide
            leave = np.stack([kind(rng, *shape) for kind in kinds])[which, np.arange(batch.num_games)]
            actions = np.where(inside, leave, rng.integers(-128, 128, shape)).astype(np.int8)
            batch.step(actions, observations, rewards, done)
            self.leave.append((leave & inside).tolist())
            self.rewards.append(rewards.tolist())
            self.turns.append(self._rows())
            self.cards.append(self._cards())
            self.decks.append(batch.games.deck.copy())

    def _rows(self) -> list[list[int]]:
        games = self.batch.games
        bags = games.bag * (games.num_inside > 0)
        shared = [games[name] for name in SHARED]
        return np.column_stack([*shared, bags, *(games[name] for name in BY_SEAT)]).tolist()

    def _cards(self) -> list[list[int]]:
        return np.column_stack([self.batch.games.bust_card, self.batch.games.last_card]).tolist()


def oracle_row(oracle: Oracle) -> list[int]:
    """What the oracle holds, in the order of the engine's rows."""
    players, relics = oracle.players, oracle.path_relics
    nobody = [0] * (MAX_PLAYERS - len(players))
    inside = [int(player.inside) for player in players]
    bags = {player.bag for player in players if player.inside} or {0}
    (bag,) = bags  # all inside hold the same
    value = oracle.path_relic_value if relics else 0
    row = [oracle.expedition, sum(inside), len(oracle.deck), oracle.relics_taken, len(relics), value, oracle.path_gems]
    row += [bag, *(player.chest for player in players), *nobody]
    row += [len(player.relic_values) for player in players] + nobody + inside + nobody
    row += [player.left_turn for player in players] + nobody
    return row + [player.banked for player in players] + nobody


def compare(played: ManyGames, names: Names, edition: Edition) -> int:
    """Let the oracle play every game after the engine and compare each turn; return the number of turns."""
    turns, by_score = 0, played.batch.reward == "score"
    for i, players in enumerate(played.batch.num_players.tolist()):
        expedition, nothing = 0, [0.0] * players
        for oracle, turn in follow(Oracle(edition, players), played, i, names):
            row, expected = oracle_row(oracle), played.turns[turn][i]
            assert row == expected, f"game {i}, turn {turn}: {row} is not {expected}"
            assert oracle.unaccounted_gems == 0
            assert oracle.unaccounted_cards == 0
            if oracle.over or oracle.expedition != expedition:
                assert names.deck(played.decks[turn][i].tolist()) == oracle.deck_counts
                expedition = oracle.expedition
            earned = nothing
            if by_score:
                earned = [float(player.banked) for player in oracle.players]
            elif oracle.over:
                earned = [float(np.float32(float(reward))) for reward in oracle.rewards(played.batch.reward)]
            assert played.rewards[turn][i][:players] == earned
            turns += 1
    return turns


def follow(oracle: Oracle, played: ManyGames, game: int, names: Names) -> Iterator[tuple[Oracle, int]]:
    """Play one game of the engine in the oracle; yield at each of its decisions and at the end."""
    oracle.reveal(names.cards[played.cards[0][game][1]])
    yield oracle, 0
    turn = 0
    while not oracle.over:
        turn += 1
        oracle.decide({seat for seat, leaves in enumerate(played.leave[turn][game]) if leaves})
        bust, last = played.cards[turn][game]
        if bust != NO_CARD:
            oracle.reveal(names.cards[bust])
        if not oracle.over:
            oracle.reveal(names.cards[last])
        yield oracle, turn
