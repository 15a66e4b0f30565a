"""What the seats of a table see, written from a game's record, and a record rebuilt from what a seat sees."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from diamant_env.compiled import jit, jit_apart
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, MAX_PLAYERS, MAX_RELICS, MAX_TRAPS, MAX_TREASURES, NUM_CARDS
from diamant_env.observation import FIELDS, NUM_FEATURES, PUBLIC, RIVALS, SEAT_FEATURES, SLICES, TABLE_FEATURES
from diamant_env.rules import DECIDE, OVER, forget_last_events
from diamant_env.vectors import convert, copy, copy_times, interleave, over_the_others, sum_of_products

# Compiled functions read these as constants: by what a field is divided, where it begins in a row.
_Constants: Any = namedtuple("_Constants", [field.name for field in FIELDS])  # type: ignore[misc]
_PER: Any = _Constants(*[np.float32(1.0 / field.scale) for field in FIELDS])
_AT: Any = _Constants(*[SLICES[field.name].start for field in FIELDS])
_PublicPlaces: Any = namedtuple("_PublicPlaces", [field.name for field in PUBLIC])  # type: ignore[misc]
_PUBLIC_AT: Any = _PublicPlaces(*[SLICES[field.name].start - TABLE_FEATURES for field in PUBLIC])  # in what all see
_ZERO, _ONE = np.float32(0), np.float32(1)

_NUM_PUBLIC = NUM_FEATURES - TABLE_FEATURES
_OWN = SEAT_FEATURES - 1  # all about the observer but whether it is inside, which the ring has

# Where a table's rows are prepared.
_SCRATCH = np.dtype(
    [
        ("public", "f4", _NUM_PUBLIC),
        ("seats", "f4", TABLE_FEATURES),  # what all may know of the seats
        ("ring", "f4", 2 * TABLE_FEATURES),  # the same, twice around the table
        ("own", "f4", MAX_PLAYERS * _OWN),
        ("lead", "i2", MAX_PLAYERS),
        ("ones", "i1", MAX_PLAYERS),
        ("open_factors", "f4", TABLE_FEATURES),
        ("hidden_factors", "f4", TABLE_FEATURES),
        ("own_factors", "f4", MAX_PLAYERS * _OWN),
        ("present", "f4", (MAX_PLAYERS + 1, TABLE_FEATURES)),  # 1 for numbers about one of the first n seats
        ("card_factors", "f4", NUM_CARDS),
        ("path_factors", "f4", MAX_TRAPS),
        ("public_length", "i8"),  # data, since the compiler vectorizes only loops of unknown length
    ],
    align=True,
)
SCRATCH = np.dtype((np.record, _SCRATCH))


def new_scratch() -> np.ndarray:
    """Return an array (1,) of type `SCRATCH`, for one thread."""
    scratch = np.zeros(1, SCRATCH)
    room = scratch[0]
    room.ones[:] = 1
    # A rival's numbers have the scales of one's own.
    room.own_factors.reshape(MAX_PLAYERS, _OWN)[:] = _PER.chest, _PER.relics, _PER.left_turn, _PER.lead
    room.open_factors.reshape(MAX_PLAYERS, SEAT_FEATURES)[:] = [getattr(_PER, field.name) for field in RIVALS]
    room.hidden_factors[:] = room.open_factors
    for field in ("rival_chest", "rival_relics"):
        room.hidden_factors[[field.name for field in RIVALS].index(field) :: SEAT_FEATURES] = 0
    room.present[:] = np.arange(TABLE_FEATURES) // SEAT_FEATURES < np.arange(MAX_PLAYERS + 1)[:, None]
    room.card_factors[:FIRST_TRAP] = _PER.treasures_left
    room.card_factors[FIRST_TRAP:FIRST_RELIC] = _PER.traps_left
    room.card_factors[FIRST_RELIC:] = _PER.relics_left
    room.path_factors[:] = _PER.traps_on_path
    room.public_length = _NUM_PUBLIC
    return scratch


@jit_apart
def observe_table(game, edition, hide, rows, i, scratch):
    """Write what every seat of a game sees into `rows[i]`, float32 (seats, NUM_FEATURES), as many as there is room for.

    `hide`: rivals' chests are hidden. `scratch`: a record of type `SCRATCH`. Rows of seats that the table does not
    have are left alone.
    """
    describe_cave(game, edition, hide, scratch)
    describe_seats(game, hide, scratch)
    present = scratch.present[game.num_players]
    seats = game.num_players if game.num_players < rows.shape[1] else rows.shape[1]
    for seat in range(seats):
        row = rows[i, seat]
        copy_times(row, 0, scratch.ring, seat * SEAT_FEATURES, present, TABLE_FEATURES)
        copy(row, _AT.chest, scratch.own, seat * _OWN, _OWN)
        for k in range(scratch.public_length):  # not `copy`: see docs/performance.md
            rows[i, seat, TABLE_FEATURES + k] = scratch.public[k]


@jit
def describe_cave(game, edition, hide, scratch):
    """Write what all see into `scratch.public`."""
    public = scratch.public
    public[_PUBLIC_AT.num_players] = np.float32(game.num_players) * _PER.num_players
    public[_PUBLIC_AT.num_inside] = np.float32(game.num_inside) * _PER.num_inside
    public[_PUBLIC_AT.expedition] = np.float32(game.expedition) * _PER.expedition
    left = edition.num_expeditions - game.expedition
    public[_PUBLIC_AT.expeditions_left] = np.float32(left) * _PER.expeditions_left
    public[_PUBLIC_AT.turn] = np.float32(game.turn) * _PER.turn
    public[_PUBLIC_AT.bag] = np.float32(game.bag) * _PER.bag
    public[_PUBLIC_AT.path_gems] = np.float32(game.path_gems) * _PER.path_gems
    public[_PUBLIC_AT.path_relics] = np.float32(game.path_relics) * _PER.path_relics
    public[_PUBLIC_AT.path_relic_value] = np.float32(game.path_relic_value) * _PER.path_relic_value
    public[_PUBLIC_AT.relics_taken] = np.float32(game.relics_taken) * _PER.relics_taken
    public[_PUBLIC_AT.hidden_chests] = _ONE if hide else _ZERO
    public[_PUBLIC_AT.bust_chance] = bust_chance(game) * _PER.bust_chance
    public[_PUBLIC_AT.expected_share] = expected_share(game, edition) * _PER.expected_share
    # Treasures, traps and relics lie there in the order of the deck.
    convert(public, _PUBLIC_AT.treasures_left, game.deck, scratch.card_factors, NUM_CARDS)
    convert(public, _PUBLIC_AT.traps_on_path, game.on_path, scratch.path_factors, MAX_TRAPS)


@jit
def describe_seats(game, hide, scratch):
    """Write what rivals see of each seat into `scratch.ring`, twice around, and its own part into `scratch.own`."""
    shown = scratch.hidden_factors if hide else scratch.open_factors
    interleave(scratch.seats, 0, shown, (game.inside, game.chest, game.relics, game.left_turn, scratch.ones))
    copy(scratch.ring, 0, scratch.seats, 0, TABLE_FEATURES)
    copy(scratch.ring, game.num_players * SEAT_FEATURES, scratch.seats, 0, TABLE_FEATURES)
    if hide or game.num_players == 1:
        scratch.lead[:] = 0
    else:
        over_the_others(scratch.lead, game.chest)  # an absent seat's is empty and exceeds nobody's
    interleave(scratch.own, 0, scratch.own_factors, (game.chest, game.relics, game.left_turn, scratch.lead))


@jit
def bust_chance(game):
    """Return the probability that the next card is a trap whose kind lies on the path."""
    fatal = sum_of_products(game.deck[FIRST_TRAP:FIRST_RELIC], game.on_path, MAX_TRAPS)
    if fatal == 0:
        return 0.0  # also before the first card, when there is no deck yet
    return fatal / game.deck_size


@jit
def expected_share(game, edition):
    """Return the mean gems that the next card brings to each player inside, nobody leaving; 0 if nobody is."""
    if game.num_inside == 0:
        return 0.0
    gems = sum_of_products(game.deck, edition.share[game.num_inside], MAX_TREASURES)
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
    "unobserve",
]
