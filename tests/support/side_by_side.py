"""Batch and oracle side by side."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from diamant_env import GAME, Batch, Edition
from diamant_env.editions import MAX_PLAYERS, MAX_TRAPS, NO_CARD, NUM_CARDS
from diamant_env.state import OVER
from tests.support.oracle import Oracle
from tests.support.play import card_of

# Random leavers: (rng, games, seats) -> bool (games, seats).
DECISIONS: dict[str, Callable] = {
    "all leave": lambda rng, games, seats: np.ones((games, seats), bool),
    "none leaves": lambda rng, games, seats: np.zeros((games, seats), bool),
    "a few leave": lambda rng, games, seats: rng.random((games, seats)) < 0.1,
    "half leave": lambda rng, games, seats: rng.random((games, seats)) < 0.5,
    "all or none": lambda rng, games, seats: np.repeat(rng.random((games, 1)) < 0.2, seats, axis=1),
    "one leaves": lambda rng, games, seats: rng.permuted(np.eye(games, seats, dtype=bool), axis=1),
}
_SHARED = (
    *("expedition", "num_inside", "deck_size", "relics_taken", "path_relics", "path_relic_value", "path_gems", "bag"),
    *("chest", "relics", "inside", "left_turn", "banked", "on_path"),
)
_FEW = 200  # up to this number of games, decks are compared after every turn, else per expedition


class Names:
    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.cards = [card_of(edition, card) for card in range(NUM_CARDS)]

    def deck(self, counts: list[int]) -> dict[int | str, int]:
        deck: dict[int | str, int] = {}
        for name, copies in zip(self.cards, counts, strict=True):
            if copies:  # relics of the same printed value have the same name
                deck[name] = deck.get(name, 0) + copies
        return deck


def as_dicts(games: np.ndarray) -> list[dict]:
    """Convert records of type `GAME` to plain Python values."""
    columns = [games[name].tolist() for name in GAME.names]
    return [dict(zip(GAME.names, row, strict=True)) for row in zip(*columns, strict=True)]


def engine_rows(games: np.ndarray) -> list[list[int]]:
    """Return the fields shared with the oracle, one row of numbers per game."""
    games = games.view(np.ndarray)  # faster field access
    over = games["phase"] == OVER
    return np.column_stack([over, games["turn"] * ~over, *(games[name] for name in _SHARED)]).tolist()


def oracle_row(oracle: Oracle) -> list[int]:
    """Return the oracle's state in the order of `engine_rows`; True is 1."""
    players, relics, path, over = oracle.players, oracle.path_relics, oracle.path, oracle.over
    absent = [0] * (MAX_PLAYERS - len(players))
    inside = [player.inside for player in players]
    (bag,) = {player.bag for player in players if player.inside} or {0}  # all inside hold the same
    row = [over, not over and oracle.turn, oracle.expedition, sum(inside), len(oracle.deck), oracle.relics_taken]
    row += [len(relics), oracle.path_relic_value if relics else 0, oracle.path_gems, bag]
    row += [player.chest for player in players] + absent
    row += [len(player.relic_values) for player in players] + absent + inside + absent
    row += [player.left_turn for player in players] + absent
    row += [player.banked for player in players] + absent
    row += [trap in path for trap in oracle.edition.traps]
    return row + [0] * (MAX_TRAPS - len(oracle.edition.traps))


class SideBySide:
    """A batch and one oracle per game, which reveals the cards that the batch drew."""

    def __init__(self, batch: Batch, seed: int) -> None:
        self.batch = batch
        names = [Names(edition) for edition in batch.editions]
        self._observations = batch.reset(seed)
        self.names = [names[edition] for edition in batch.games.edition.tolist()]
        players = batch.num_players.tolist()
        self.oracles = [Oracle(names.edition, seats) for names, seats in zip(self.names, players, strict=True)]
        for oracle, names, card in zip(self.oracles, self.names, batch.games.last_card.tolist(), strict=True):
            oracle.reveal(names.cards[card])
        self._compare(range(batch.num_games), range(batch.num_games))

    def step(self, leave: np.ndarray, junk: np.ndarray) -> None:
        """Play one turn in both; `leave` is bool (N, seats), `junk` the actions of idle seats, int8 (N, seats)."""
        inside, over = self.batch.must_decide, self.batch.over
        running, before = np.flatnonzero(~over).tolist(), self.batch.games[over]
        actions = np.where(inside, leave, junk).astype(np.int8)
        _, rewards, done = self.batch.step(actions, self._observations)
        games = self.batch.games
        leave, busts, cards = (leave & inside).tolist(), games.bust_card.tolist(), games.last_card.tolist()
        changed = []
        for i in running:
            oracle, expedition = self.oracles[i], self.oracles[i].expedition
            oracle.decide({seat for seat, leaves in enumerate(leave[i]) if leaves})
            if busts[i] != NO_CARD:
                oracle.reveal(self.names[i].cards[busts[i]])
            if not oracle.over:
                oracle.reveal(self.names[i].cards[cards[i]])
            if oracle.over or oracle.expedition != expedition:
                changed.append(i)
        self._compare(running, changed)
        expected = np.zeros_like(rewards)
        if self.batch.reward == "score":
            expected[running] = games.banked[running, : self.batch.max_players]  # compared with the oracle's before
        else:
            for i in changed:
                earned = [float(reward) for reward in self.oracles[i].rewards(self.batch.reward)]
                expected[i, : len(earned)] = earned
        assert np.array_equal(rewards, expected)
        assert done.tolist() == [oracle.over for oracle in self.oracles]
        assert all(np.array_equal(games[name][over], before[name]) for name in ("phase", "turn", *_SHARED))

    def _compare(self, numbers: Sequence[int], changed: Sequence[int]) -> None:
        games = self.batch.games
        for i, seen in zip(numbers, engine_rows(games[numbers]), strict=True):
            row = oracle_row(self.oracles[i])
            assert seen == row, f"game {i}: {seen} is not {row}"
        for i in numbers if len(self.oracles) < _FEW else changed:
            assert self.names[i].deck(games.deck[i].tolist()) == self.oracles[i].deck_counts
            assert self.oracles[i].unaccounted_gems == 0

    def turns(self, rng: np.random.Generator, kinds: Sequence[str] = tuple(DECISIONS)) -> Iterator[int]:
        """Play all games to the end, game i with decisions of kind i % len(kinds); yield the turns played so far."""
        shape, turn = (self.batch.num_games, self.batch.max_players), 0
        while not self.batch.over.all():
            yield turn
            choices = np.stack([DECISIONS[kind](rng, *shape) for kind in kinds])
            leave = choices[np.arange(shape[0]) % len(kinds), np.arange(shape[0])]
            self.step(leave, rng.integers(-128, 128, shape))
            turn += 1

    def play_to_the_end(self, rng: np.random.Generator) -> int:
        """Play all games to the end; return the turns played."""
        return sum(1 for _ in self.turns(rng))
