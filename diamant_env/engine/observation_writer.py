"""Observations: every seat's row from the state of a game, and a game rebuilt from a row.

The order of features follows from `diamant_env.observation.FIELDS`: values are named here, never counted.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable
from typing import Any

import numpy as np

from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, MAX_PLAYERS, MAX_RELICS, MAX_TRAPS, MAX_TREASURES, NUM_CARDS
from diamant_env.native.compiled import jit
from diamant_env.native.row_writer import write_rows
from diamant_env.native.simd import convert, convert_each, copy, dot, interleave, lead_over_others
from diamant_env.observation import FIELDS, NUM_OWN, OWN, PUBLIC, RIVALS, SEAT_FEATURES, SLICES, TABLE_FEATURES
from diamant_env.rules import count_deck, forget_last_events
from diamant_env.state import DECIDE, OVER


def _tuple(title: str, names: Iterable[str]) -> Any:
    """Return a class of named tuples, which compiled functions can make and read."""
    return namedtuple(title, names)


def _named(title: str, values: dict[str, Any]) -> Any:
    """Return constants by name."""
    return _tuple(title, values)(**values)


_PER: Any = _named("_Per", {field.name: np.float32(1.0 / field.scale) for field in FIELDS})  # reciprocal scale
_AT: Any = _named("_At", {name: where.start for name, where in SLICES.items()})  # in a row
_PUBLIC_AT: Any = _named("_PublicAt", {field.name: SLICES[field.name].start - TABLE_FEATURES for field in PUBLIC})
_IN_SEAT: Any = _named("_InSeat", {field.name.removeprefix("rival_"): at for at, field in enumerate(RIVALS)})

# Values in the order of their fields.
_first_numbers = PUBLIC[: [field.name for field in PUBLIC].index("bust_chance")]
_PublicNumbers = _tuple("_PublicNumbers", [field.name for field in _first_numbers])
_RivalColumns = _tuple("_RivalColumns", _IN_SEAT._fields)
_OwnColumns = _tuple("_OwnColumns", [field.name for field in OWN[-NUM_OWN:]])

_CARDS_LEFT = ("treasures_left", "traps_left", "relics_left")  # the deck is copied at once
if [field.name for field in PUBLIC if field.name.endswith("_left")][-3:] != list(_CARDS_LEFT):
    raise AssertionError(f"the fields {', '.join(_CARDS_LEFT)} must follow each other, as the cards of a deck do")
if [field.name for field in OWN[1:4]] != list(_IN_SEAT._fields[1:4]):
    raise AssertionError("a rival's fields must be in the order of the observer's own")


@jit
def observe_table(game, edition, hide, rows, i, workspace):
    """Write what every seat of a game sees into `rows[i]`, float32 (seats, NUM_FEATURES), as many as there is room for.

    Rows of seats that the table does not have are left alone.

    Args:
        game: A record of type `GAME`.
        edition: A record of type `EDITION`.
        hide: Whether the rivals' chests are hidden.
        rows: float32 (N, seats, NUM_FEATURES).
        i: Which of the N tables.
        workspace: A record of type `WORKSPACE`.
    """
    describe_cave(game, edition, hide, workspace)
    describe_seats(game, hide, workspace)
    seats = game.num_players if game.num_players < rows.shape[1] else rows.shape[1]
    write_rows(rows, i, seats, workspace.ring, workspace.present[game.num_players], workspace.own, workspace.public)


@jit
def describe_cave(game, edition, hide, workspace):
    """Write the public features into `workspace.public`."""
    public = workspace.public
    factors = workspace.public_factors
    numbers = _PublicNumbers(
        num_players=game.num_players,
        num_inside=game.num_inside,
        expedition=game.expedition,
        expeditions_left=edition.num_expeditions - game.expedition,
        turn=game.turn,
        bag=game.bag,
        path_gems=game.path_gems,
        path_relics=game.path_relics,
        path_relic_value=game.path_relic_value,
        relics_taken=game.relics_taken,
        hidden_chests=hide,
    )
    convert_each(public, 0, factors, numbers)
    convert(public, _PUBLIC_AT.treasures_left, game.deck, factors[_PUBLIC_AT.treasures_left :], NUM_CARDS)
    convert(public, _PUBLIC_AT.traps_on_path, game.on_path, factors[_PUBLIC_AT.traps_on_path :], MAX_TRAPS)
    public[_PUBLIC_AT.bust_chance] = bust_chance(game) * _PER.bust_chance
    public[_PUBLIC_AT.expected_share] = expected_share(game, edition) * _PER.expected_share


@jit
def describe_seats(game, hide, workspace):
    """Write what rivals see of each seat into `workspace.ring`, twice around, and its own features into its `own`."""
    factors = workspace.hidden_factors if hide else workspace.open_factors
    columns = _RivalColumns(
        inside=game.inside, chest=game.chest, relics=game.relics, left_turn=game.left_turn, present=workspace.ones
    )
    interleave(workspace.ring, 0, factors, columns)
    copy(workspace.ring, game.num_players * SEAT_FEATURES, workspace.ring, 0, TABLE_FEATURES)
    if hide or game.num_players == 1:
        workspace.lead[:] = 0
    else:
        lead_over_others(workspace.lead, game.chest)  # an absent seat's is empty and exceeds nobody's
    own = _OwnColumns(chest=game.chest, relics=game.relics, left_turn=game.left_turn, lead=workspace.lead)
    interleave(workspace.own, 0, workspace.own_factors, own)


@jit
def bust_chance(game):
    """Return the probability that the next card is a trap whose kind lies on the path."""
    fatal = dot(game.deck[FIRST_TRAP:FIRST_RELIC], game.on_path, MAX_TRAPS)
    return fatal / (game.deck_size if game.deck_size else 1)  # before the first card there is no deck yet


@jit
def expected_share(game, edition):
    """Return the mean gems that the next card brings to each player inside, nobody leaving; 0 if nobody is."""
    if game.num_inside == 0:
        return 0.0
    return dot(game.deck, edition.share[game.num_inside], MAX_TREASURES) / game.deck_size


@jit
def rebuild(row, key, game):
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
    for slot in range(MAX_TREASURES):
        game.deck[slot] = round(row[_AT.treasures_left + slot] / _PER.treasures_left)
    for trap in range(MAX_TRAPS):
        game.deck[FIRST_TRAP + trap] = round(row[_AT.traps_left + trap] / _PER.traps_left)
        game.on_path[trap] = round(row[_AT.traps_on_path + trap] / _PER.traps_on_path)
    for relic in range(MAX_RELICS):
        game.deck[FIRST_RELIC + relic] = round(row[_AT.relics_left + relic] / _PER.relics_left)
    count_deck(game)
    for seat in range(MAX_PLAYERS):
        at = seat * SEAT_FEATURES
        game.inside[seat] = round(row[at + _IN_SEAT.inside] / _PER.must_decide)
        game.chest[seat] = round(row[at + _IN_SEAT.chest] / _PER.chest)
        game.relics[seat] = round(row[at + _IN_SEAT.relics] / _PER.relics)
        game.left_turn[seat] = round(row[at + _IN_SEAT.left_turn] / _PER.left_turn)
    forget_last_events(game)
