"""The compiled game and the oracle next to each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from diamant_env import GAME, Batch, Edition
from diamant_env.editions import FIRST_TRAP, NO_CARD, NUM_CARDS
from diamant_env.rules import OVER
from tests.support.oracle import Oracle
from tests.support.play import card_of

# Each draws who leaves: (rng, games, seats) -> bool (games, seats).
DECISIONS: dict[str, Callable] = {
    "all leave": lambda rng, games, seats: np.ones((games, seats), bool),
    "none leaves": lambda rng, games, seats: np.zeros((games, seats), bool),
    "a few leave": lambda rng, games, seats: rng.random((games, seats)) < 0.1,
    "half leave": lambda rng, games, seats: rng.random((games, seats)) < 0.5,
    "all or none": lambda rng, games, seats: np.repeat(rng.random((games, 1)) < 0.2, seats, axis=1),
    "one leaves": lambda rng, games, seats: rng.permuted(np.eye(games, seats, dtype=bool), axis=1),
}


class Names:
    """How the oracle calls the cards of an edition."""

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
    """Records of type `GAME` as plain Python values."""
    columns = [games[name].tolist() for name in GAME.names]
    return [dict(zip(GAME.names, row, strict=True)) for row in zip(*columns, strict=True)]


def seen_in_record(game: dict, names: Names) -> dict:
    """Everything that both report, from the engine's record."""
    players = game["num_players"]
    inside = game["inside"][:players]
    over = game["phase"] == OVER
    return {
        "over": over,
        "expedition": game["expedition"],
        "turn": None if over else game["turn"],
        "inside": [bool(here) for here in inside],
        "num_inside": game["num_inside"],
        "bags": [game["bag"] if here else 0 for here in inside],
        "chests": list(game["chest"][:players]),
        "relics": list(game["relics"][:players]),
        "left": list(game["left_turn"][:players]),
        "banked": list(game["banked"][:players]),
        "path_gems": game["path_gems"],
        "path_relics": game["path_relics"],
        "path_relic_value": game["path_relic_value"],
        "relics_taken": game["relics_taken"],
        "traps_on_path": {names.cards[FIRST_TRAP + kind] for kind, lies in enumerate(game["on_path"]) if lies},
        "deck_size": game["deck_size"],
        "deck": names.deck(game["deck"]),
        "nobody_else": sum(game["inside"][players:]) + sum(game["chest"][players:]) + sum(game["relics"][players:]),
    }


def seen_by_oracle(oracle: Oracle) -> dict:
    """Everything that both report, from the oracle."""
    return {
        "over": oracle.over,
        "expedition": oracle.expedition,
        "turn": None if oracle.over else oracle.turn,
        "inside": [player.inside for player in oracle.players],
        "num_inside": len(oracle.inside),
        "bags": [player.bag for player in oracle.players],
        "chests": [player.chest for player in oracle.players],
        "relics": [len(player.relic_values) for player in oracle.players],
        "left": [player.left_turn for player in oracle.players],
        "banked": [player.banked for player in oracle.players],
        "path_gems": oracle.path_gems,
        "path_relics": len(oracle.path_relics),
        "path_relic_value": oracle.path_relic_value,
        "relics_taken": oracle.relics_taken,
        "traps_on_path": oracle.traps_on_path,
        "deck_size": len(oracle.deck),
        "deck": dict(oracle.deck_counts),
        "nobody_else": 0,
    }


class SideBySide:
    """A batch and one oracle for each of its games, which turns up the cards that the batch drew."""

    def __init__(self, batch: Batch, seed: int) -> None:
        self.batch = batch
        self.names = [Names(edition) for edition in batch.editions]
        batch.reset(seed)
        self.records = as_dicts(batch.games)
        self.oracles = []
        for game in self.records:
            oracle = Oracle(batch.editions[game["edition"]], game["num_players"])
            oracle.reveal(self._name(game, "last_card"))
            self.oracles.append(oracle)
        self.compare()

    def _name(self, game: dict, field: str) -> int | str:
        return self.names[game["edition"]].cards[game[field]]

    def step(self, leave: np.ndarray, junk: np.ndarray) -> None:
        """Play one turn in both: bool (N, seats) who leaves, and int8 (N, seats) what idle seats send."""
        inside = self.batch.must_decide
        running = [not oracle.over for oracle in self.oracles]
        actions = np.where(inside, leave, junk).astype(np.int8)
        _, rewards, done = self.batch.step(actions)
        self.records = as_dicts(self.batch.games)
        for i, (game, oracle) in enumerate(zip(self.records, self.oracles, strict=True)):
            if running[i]:
                self._follow(game, oracle, set(np.flatnonzero(leave[i] & inside[i]).tolist()))
                earned = [np.float32(float(reward)) for reward in oracle.rewards(self.batch.reward)]
            else:
                earned = [0.0] * len(oracle.players)
            assert rewards[i].tolist() == earned + [0.0] * (self.batch.seats - len(earned))
            assert done[i] == oracle.over
        self.compare()

    def _follow(self, game: dict, oracle: Oracle, leavers: set[int]) -> None:
        oracle.decide(leavers)
        if game["bust_card"] != NO_CARD:
            expedition = oracle.expedition
            oracle.reveal(self._name(game, "bust_card"))
            assert oracle.over or oracle.expedition == expedition + 1, "only the engine ended the expedition"
        if not oracle.over:
            oracle.reveal(self._name(game, "last_card"))

    def compare(self) -> None:
        for game, oracle in zip(self.records, self.oracles, strict=True):
            engine, expected = seen_in_record(game, self.names[game["edition"]]), seen_by_oracle(oracle)
            assert engine == expected
            accounted = sum(player.gems_in_chest + player.bag for player in oracle.players)
            assert oracle.gems_found == accounted + oracle.path_gems + oracle.gems_returned

    def play_to_the_end(self, rng: np.random.Generator, kinds: list[str]) -> int:
        """Play all games to the end, game i with the kind of decisions i % len(kinds); return the turns played."""
        shape = (self.batch.num_games, self.batch.seats)
        turns = 0
        while not self.batch.over.all():
            choices = np.stack([DECISIONS[kind](rng, *shape) for kind in kinds])
            leave = choices[np.arange(shape[0]) % len(kinds), np.arange(shape[0])]
            self.step(leave, rng.integers(-128, 128, shape))
            turns += 1
        return turns
