"""What the seats of a table see, written from a game's record, and a record rebuilt from what a seat sees."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, MAX_PLAYERS, MAX_RELICS, MAX_TRAPS, MAX_TREASURES, NUM_CARDS
from diamant_env.native.compiled import jit
from diamant_env.native.row_writer import write_rows
from diamant_env.native.simd import convert, convert_each, copy, interleave, over_the_others, sum_of_products
from diamant_env.observation import FIELDS, PUBLIC, SEAT_FEATURES, SLICES, TABLE_FEATURES
from diamant_env.rules import forget_last_events
from diamant_env.state import DECIDE, OVER

# Compiled functions read these as constants: by what a field is divided, where it begins in a row.
_Constants: Any = namedtuple("_Constants", [field.name for field in FIELDS])  # type: ignore[misc]
_PER: Any = _Constants(*[np.float32(1.0 / field.scale) for field in FIELDS])
_AT: Any = _Constants(*[SLICES[field.name].start for field in FIELDS])
_PublicPlaces: Any = namedtuple("_PublicPlaces", [field.name for field in PUBLIC])  # type: ignore[misc]
_PUBLIC_AT: Any = _PublicPlaces(*[SLICES[field.name].start - TABLE_FEATURES for field in PUBLIC])  # in what all see


@jit
def observe_table(game, edition, hide, rows, i, scratch):
    """Write what every seat of a game sees into `rows[i]`, float32 (seats, NUM_FEATURES), as many as there is room for.

    `hide`: rivals' chests are hidden. `scratch`: a record of type `SCRATCH`. Rows of seats that the table does not
    have are left alone.
    """
    describe_cave(game, edition, hide, scratch)
    describe_seats(game, hide, scratch)
    seats = game.num_players if game.num_players < rows.shape[1] else rows.shape[1]
    write_rows(rows, i, seats, scratch.ring, scratch.present[game.num_players], scratch.own, scratch.public)


@jit
def describe_cave(game, edition, hide, scratch):
    """Write what all see into `scratch.public`."""
    public = scratch.public
    factors = scratch.public_factors
    left = edition.num_expeditions - game.expedition
    # In the order of the layout, as are the treasures, traps and relics of the deck.
    some = (game.num_players, game.num_inside, game.expedition, left, game.turn, game.bag, game.path_gems)
    others = (game.path_relics, game.path_relic_value, game.relics_taken, hide)
    convert_each(public, 0, factors, some + others)
    convert(public, _PUBLIC_AT.treasures_left, game.deck, factors[_PUBLIC_AT.treasures_left :], NUM_CARDS)
    convert(public, _PUBLIC_AT.traps_on_path, game.on_path, factors[_PUBLIC_AT.traps_on_path :], MAX_TRAPS)
    public[_PUBLIC_AT.bust_chance] = bust_chance(game) * _PER.bust_chance
    public[_PUBLIC_AT.expected_share] = expected_share(game, edition) * _PER.expected_share


@jit
def describe_seats(game, hide, scratch):
    """Write what rivals see of each seat into `scratch.ring`, twice around, and its own part into `scratch.own`."""
    shown = scratch.hidden_factors if hide else scratch.open_factors
    interleave(scratch.ring, 0, shown, (game.inside, game.chest, game.relics, game.left_turn, scratch.ones))
    copy(scratch.ring, game.num_players * SEAT_FEATURES, scratch.ring, 0, TABLE_FEATURES)
    if hide or game.num_players == 1:
        scratch.lead[:] = 0
    else:
        over_the_others(scratch.lead, game.chest)  # an absent seat's is empty and exceeds nobody's
    interleave(scratch.own, 0, scratch.own_factors, (game.chest, game.relics, game.left_turn, scratch.lead))


@jit
def bust_chance(game):
    """Return the probability that the next card is a trap whose kind lies on the path."""
    fatal = sum_of_products(game.deck[FIRST_TRAP:FIRST_RELIC], game.on_path, MAX_TRAPS)
    return fatal / (game.deck_size if game.deck_size else 1)  # before the first card there is no deck yet


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


__all__ = ["bust_chance", "describe_cave", "describe_seats", "expected_share", "observe_table", "unobserve"]
