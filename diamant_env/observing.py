"""What the seats of a table see, written from a game's record, and a record rebuilt from what a seat sees."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from diamant_env.compiled import jit, jit_apart
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, MAX_PLAYERS, MAX_RELICS, MAX_TRAPS, MAX_TREASURES, NUM_CARDS
from diamant_env.observation import FIELDS, NUM_FEATURES, SEAT_FEATURES, SLICES, TABLE_FEATURES
from diamant_env.rules import DECIDE, OVER, forget_last_events

# Compiled functions read these as constants: by what a field is divided, where it begins in a row.
_Constants: Any = namedtuple("_Constants", [field.name for field in FIELDS])  # type: ignore[misc]
_PER: Any = _Constants(*[np.float32(1.0 / field.scale) for field in FIELDS])
_AT: Any = _Constants(*[SLICES[field.name].start for field in FIELDS])
_ZERO, _ONE = np.float32(0), np.float32(1)

# The end of a row that is the same for all seats: what all see, and before it so many numbers of room that its
# length is a multiple of 8. That is copied fastest; the room's copy is then overwritten.
_SHARED_AT = TABLE_FEATURES - (TABLE_FEATURES - NUM_FEATURES) % 8
_SHARED = NUM_FEATURES - _SHARED_AT

# Where a table's rows are prepared. Lengths are data, since the compiler vectorizes only loops of unknown length.
_SCRATCH = np.dtype(
    [
        ("shared", "f4", _SHARED),
        ("ring", "f4", 2 * TABLE_FEATURES),  # the seats, twice around the table
        ("present", "f4", (MAX_PLAYERS + 1, TABLE_FEATURES)),  # 1 for numbers about one of the first n seats
        ("card_factors", "f4", NUM_CARDS),
        ("shared_length", "i8"),
        ("table_length", "i8"),
        ("cards_length", "i8"),
    ],
    align=True,
)
SCRATCH = np.dtype((np.record, _SCRATCH))


def new_scratch() -> np.ndarray:
    """Return an array (1,) of type `SCRATCH`, for one thread."""
    scratch = np.zeros(1, SCRATCH)
    room = scratch[0]
    room.shared_length, room.table_length, room.cards_length = _SHARED, TABLE_FEATURES, NUM_CARDS
    room.present[:] = np.arange(TABLE_FEATURES) // SEAT_FEATURES < np.arange(MAX_PLAYERS + 1)[:, None]
    room.card_factors[:FIRST_TRAP] = _PER.treasures_left
    room.card_factors[FIRST_TRAP:FIRST_RELIC] = _PER.traps_left
    room.card_factors[FIRST_RELIC:] = _PER.relics_left
    return scratch


@jit_apart
def observe_table(game, edition, hide, rows, i, scratch):
    """Write what every seat of a game sees into `rows[i]`, float32 (seats, NUM_FEATURES), as many as there is room for.

    `hide`: rivals' chests are hidden. `scratch`: a record of type `SCRATCH`. Rows of seats that the table does not
    have are left alone.
    """
    players = game.num_players
    describe_cave(game, edition, hide, scratch)
    describe_seats(game, hide, scratch)
    best, runner_up = two_fullest_chests(game)
    seats = players if players < rows.shape[1] else rows.shape[1]
    for seat in range(seats):
        for k in range(scratch.shared_length):
            rows[i, seat, _SHARED_AT + k] = scratch.shared[k]
        for k in range(scratch.table_length):
            rows[i, seat, k] = scratch.ring[seat * SEAT_FEATURES + k] * scratch.present[players, k]
        chest = game.chest[seat]
        rivals_best = runner_up if chest == best else best
        rows[i, seat, _AT.lead] = _ZERO if hide or players == 1 else np.float32(chest - rivals_best) * _PER.lead
        if hide:  # from the rivals only
            rows[i, seat, _AT.chest] = np.float32(chest) * _PER.chest
            rows[i, seat, _AT.relics] = np.float32(game.relics[seat]) * _PER.relics


@jit
def describe_cave(game, edition, hide, scratch):
    """Write what all see into `scratch.shared`."""
    shared = scratch.shared
    shared[_AT.num_players - _SHARED_AT] = np.float32(game.num_players) * _PER.num_players
    shared[_AT.num_inside - _SHARED_AT] = np.float32(game.num_inside) * _PER.num_inside
    shared[_AT.expedition - _SHARED_AT] = np.float32(game.expedition) * _PER.expedition
    left = edition.num_expeditions - game.expedition
    shared[_AT.expeditions_left - _SHARED_AT] = np.float32(left) * _PER.expeditions_left
    shared[_AT.turn - _SHARED_AT] = np.float32(game.turn) * _PER.turn
    shared[_AT.bag - _SHARED_AT] = np.float32(game.bag) * _PER.bag
    shared[_AT.path_gems - _SHARED_AT] = np.float32(game.path_gems) * _PER.path_gems
    shared[_AT.path_relics - _SHARED_AT] = np.float32(game.path_relics) * _PER.path_relics
    shared[_AT.path_relic_value - _SHARED_AT] = np.float32(game.path_relic_value) * _PER.path_relic_value
    shared[_AT.relics_taken - _SHARED_AT] = np.float32(game.relics_taken) * _PER.relics_taken
    shared[_AT.hidden_chests - _SHARED_AT] = _ONE if hide else _ZERO
    shared[_AT.bust_chance - _SHARED_AT] = bust_chance(game) * _PER.bust_chance
    shared[_AT.expected_share - _SHARED_AT] = expected_share(game, edition) * _PER.expected_share
    for card in range(scratch.cards_length):  # treasures, traps and relics lie there in the order of the deck
        shared[_AT.treasures_left - _SHARED_AT + card] = np.float32(game.deck[card]) * scratch.card_factors[card]
    for trap in range(MAX_TRAPS):
        shared[_AT.traps_on_path - _SHARED_AT + trap] = np.float32(game.on_path[trap]) * _PER.traps_on_path


@jit
def describe_seats(game, hide, scratch):
    """Write what is known of each seat into `scratch.ring`, twice around the table."""
    for seat in range(game.num_players):
        at = seat * SEAT_FEATURES
        again = at + game.num_players * SEAT_FEATURES
        inside = np.float32(game.inside[seat]) * _PER.rival_inside
        chest = _ZERO if hide else np.float32(game.chest[seat]) * _PER.rival_chest
        relics = _ZERO if hide else np.float32(game.relics[seat]) * _PER.rival_relics
        left_turn = np.float32(game.left_turn[seat]) * _PER.rival_left_turn
        scratch.ring[at] = scratch.ring[again] = inside
        scratch.ring[at + 1] = scratch.ring[again + 1] = chest
        scratch.ring[at + 2] = scratch.ring[again + 2] = relics
        scratch.ring[at + 3] = scratch.ring[again + 3] = left_turn
        scratch.ring[at + 4] = scratch.ring[again + 4] = _ONE  # present


@jit
def two_fullest_chests(game):
    """Return the gems in the fullest chest and in the second fullest, -1 where there is none."""
    best = runner_up = np.int64(-1)
    for seat in range(game.num_players):
        chest = np.int64(game.chest[seat])
        if chest > best:
            runner_up = best
            best = chest
        elif chest > runner_up:
            runner_up = chest
    return best, runner_up


@jit
def bust_chance(game):
    """Return the probability that the next card is a trap whose kind lies on the path."""
    fatal = np.int64(0)
    for trap in range(MAX_TRAPS):
        fatal += game.deck[FIRST_TRAP + trap] * game.on_path[trap]
    if fatal == 0:
        return 0.0  # also before the first card, when there is no deck yet
    return fatal / game.deck_size


@jit
def expected_share(game, edition):
    """Return the mean gems that the next card brings to each player inside, nobody leaving; 0 if nobody is."""
    if game.num_inside == 0:
        return 0.0
    gems = np.int64(0)
    for slot in range(MAX_TREASURES):
        gems += game.deck[slot] * edition.share[game.num_inside, slot]
    return gems / game.deck_size


@jit
def unobserve(row, key, game):
    """Rebuild a game in `game` from what a seat sees with open chests (`row`); the observer becomes seat 0."""
    game.key = key
    game.num_players = round(row[_AT.num_players] / _PER.num_players)
    game.num_inside = round(row[_AT.num_inside] / _PER.num_inside)
    game.expedition = round(row[_AT.expedition] / _PER.expedition)
    game.turn = round(row[_AT.turn] / _PER.turn)
    game.relics_taken = round(row[_AT.relics_taken] / _PER.relics_taken)
    game.path_relics = round(row[_AT.path_relics] / _PER.path_relics)
    game.path_relic_value = round(row[_AT.path_relic_value] / _PER.path_relic_value)
    game.path_gems = round(row[_AT.path_gems] / _PER.path_gems)
    game.bag = round(row[_AT.bag] / _PER.bag)
    game.phase = DECIDE if game.num_inside > 0 else OVER
    game.deck_size = 0
    for slot in range(MAX_TREASURES):
        game.deck[slot] = round(row[_AT.treasures_left + slot] / _PER.treasures_left)
    for trap in range(MAX_TRAPS):
        game.deck[FIRST_TRAP + trap] = round(row[_AT.traps_left + trap] / _PER.traps_left)
        game.on_path[trap] = round(row[_AT.traps_on_path + trap] / _PER.traps_on_path)
    for relic in range(MAX_RELICS):
        game.deck[FIRST_RELIC + relic] = round(row[_AT.relics_left + relic] / _PER.relics_left)
    for card in range(NUM_CARDS):
        game.deck_size += game.deck[card]
    for seat in range(MAX_PLAYERS):  # the observer and the rivals have their numbers in the same order
        at = seat * SEAT_FEATURES
        game.inside[seat] = round(row[at] / _PER.must_decide)
        game.chest[seat] = round(row[at + 1] / _PER.chest)
        game.relics[seat] = round(row[at + 2] / _PER.relics)
        game.left_turn[seat] = round(row[at + 3] / _PER.left_turn)
    forget_last_events(game)


__all__ = [
    "SCRATCH",
    "bust_chance",
    "describe_cave",
    "describe_seats",
    "expected_share",
    "new_scratch",
    "observe_table",
    "two_fullest_chests",
    "unobserve",
]
