"""Encoding of states as observations, and decoding of observations to states."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from diamant_env.compilation import jit
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, MAX_PLAYERS, MAX_RELICS, MAX_TRAPS, MAX_TREASURES, NUM_CARDS
from diamant_env.observation import FIELDS, NUM_PUBLIC, OWN, PUBLIC, RIVALS, SEAT_FEATURES, SLICES, TABLE_FEATURES
from diamant_env.rules import clear_last_events, count_deck
from diamant_env.state import DECIDE, OVER


def _named(title: str, values: dict[str, Any]) -> Any:
    """Return a namedtuple of constants for compiled functions."""
    return namedtuple(title, values)(**values)


FACTOR: Any = _named("Factor", {field.name: np.float32(1.0 / field.scale) for field in FIELDS})  # reciprocal scale
SEAT_AT: Any = _named("SeatAt", {field.name.removeprefix("rival_"): at for at, field in enumerate(RIVALS)})
OWN_AT: Any = _named("OwnAt", {field.name: at for at, field in enumerate(OWN)})
PUBLIC_AT: Any = _named("PublicAt", {field.name: SLICES[field.name].start - TABLE_FEATURES for field in PUBLIC})

_CARDS_LEFT = ("treasures_left", "traps_left", "relics_left")  # written in one loop over the deck
if [name for name in PUBLIC_AT._fields if name in _CARDS_LEFT] != list(_CARDS_LEFT) or (
    PUBLIC_AT.relics_left - PUBLIC_AT.treasures_left != MAX_TREASURES + MAX_TRAPS
):
    raise AssertionError(f"the fields {', '.join(_CARDS_LEFT)} must be contiguous, in the order of the deck")
if any(
    f"rival_{own.name}" in FACTOR._fields and (f"rival_{own.name}", own.scale) != (rival.name, rival.scale)
    for own, rival in zip(OWN, RIVALS, strict=True)
):
    raise AssertionError("a rival's fields must have the places and scales of the observer's own")


_PRESENT: Any = np.float32(1) * (np.arange(TABLE_FEATURES) // SEAT_FEATURES < np.arange(MAX_PLAYERS + 1)[:, None])
_DECK_SCALES: Any = np.repeat(
    np.array([FACTOR.treasures_left, FACTOR.traps_left, FACTOR.relics_left]), [MAX_TREASURES, MAX_TRAPS, MAX_RELICS]
)


@jit(inline=True)
def write_observations(game, edition, observations, i, public, ring):
    """Write the observations of a game's seats, as many as fit, into `observations[i]`, unchanged for absent seats.

    Work arrays: `public`, float32 (NUM_PUBLIC,), and `ring`, float32 (2 * TABLE_FEATURES,).
    """
    hide = edition.hidden_chests
    # Always 0, which the compiler cannot know: it vectorises loops of run-time length and unrolls constant ones.
    zero = observations.shape[2] - TABLE_FEATURES - NUM_PUBLIC
    write_seats(game, hide, ring)
    write_public(game, edition, hide, public, zero)
    best, second = two_best(game)
    shown = 1 if edition.hidden_rivals else game.num_players
    seats = min(game.num_players, observations.shape[1])
    for seat in range(seats):  # every seat as it is to rivals, from the observer's on, then the public features
        first = seat * SEAT_FEATURES
        for place in range(TABLE_FEATURES + zero):
            observations[i, seat, place] = ring[first + place] * _PRESENT[shown, place]
        for place in range(NUM_PUBLIC + zero):
            observations[i, seat, TABLE_FEATURES + place] = public[place]
    # The observer's own: its chest even if hidden, and `lead` in place of `present`.
    if hide or game.num_players == 1:
        for seat in range(seats):
            observations[i, seat, OWN_AT.chest] = np.float32(game.chest[seat]) * FACTOR.chest
            observations[i, seat, OWN_AT.lead] = 0
    else:
        for seat in range(seats):
            chest = np.int64(game.chest[seat])
            lead = chest - (second if chest == best else best)
            observations[i, seat, OWN_AT.lead] = np.float32(lead) * FACTOR.lead


@jit(inline=True)
def write_public(game, edition, hide, public, zero):
    """Write the public features into `public`; `zero` is 0 at run time, see `write_observations`."""
    public[PUBLIC_AT.num_players] = np.float32(game.num_players) * FACTOR.num_players
    public[PUBLIC_AT.num_inside] = np.float32(game.num_inside) * FACTOR.num_inside
    public[PUBLIC_AT.expedition] = np.float32(game.expedition) * FACTOR.expedition
    public[PUBLIC_AT.expeditions_left] = np.float32(edition.num_expeditions - game.expedition) * FACTOR.expeditions_left
    public[PUBLIC_AT.turn] = np.float32(game.turn) * FACTOR.turn
    public[PUBLIC_AT.bag] = np.float32(game.bag) * FACTOR.bag
    public[PUBLIC_AT.path_gems] = np.float32(game.path_gems) * FACTOR.path_gems
    public[PUBLIC_AT.path_relics] = np.float32(game.path_relics) * FACTOR.path_relics
    public[PUBLIC_AT.path_relic_value] = np.float32(game.path_relic_value) * FACTOR.path_relic_value
    public[PUBLIC_AT.relics_taken] = np.float32(game.relics_taken) * FACTOR.relics_taken
    public[PUBLIC_AT.hidden_chests] = hide
    public[PUBLIC_AT.bust_chance] = bust_chance(game) * FACTOR.bust_chance
    public[PUBLIC_AT.expected_share] = expected_share(game, edition, MAX_TREASURES + zero) * FACTOR.expected_share
    for card in range(NUM_CARDS + zero):
        public[PUBLIC_AT.treasures_left + card] = np.float32(game.deck[card]) * _DECK_SCALES[card]
    for trap in range(MAX_TRAPS + zero):
        public[PUBLIC_AT.traps_on_path + trap] = np.float32(game.on_path[trap]) * FACTOR.traps_on_path


@jit(inline=True)
def write_seats(game, hide, ring):
    """Write each seat's features into `ring`, a circular buffer: a slice from a seat on has its observation order."""
    per_chest = np.float32(0) if hide else FACTOR.chest
    players = np.int64(game.num_players)
    for seat in range(players):
        inside = np.float32(game.inside[seat])
        chest = np.float32(game.chest[seat]) * per_chest
        relics = np.float32(game.relics[seat]) * FACTOR.relics
        left_turn = np.float32(game.left_turn[seat]) * FACTOR.left_turn
        for at in (seat * SEAT_FEATURES, (players + seat) * SEAT_FEATURES):
            ring[at + SEAT_AT.inside] = inside
            ring[at + SEAT_AT.chest] = chest
            ring[at + SEAT_AT.relics] = relics
            ring[at + SEAT_AT.left_turn] = left_turn
            ring[at + SEAT_AT.present] = 1


@jit(inline=True)
def two_best(game):
    """Return the two largest chests."""
    best, second = np.int64(-1), np.int64(-1)
    for seat in range(game.num_players):
        chest = np.int64(game.chest[seat])
        second = max(second, min(best, chest))
        best = max(best, chest)
    return best, second


@jit(inline=True, cached=True)
def bust_chance(game):
    """Return the probability that the next card is a trap of a kind on the path."""
    fatal = 0
    for trap in range(MAX_TRAPS):
        fatal += game.deck[FIRST_TRAP + trap] * game.on_path[trap]
    return fatal / (game.deck_size if game.deck_size else 1)


@jit(inline=True, cached=True)
def expected_share(game, edition, treasures=MAX_TREASURES):
    """Return the expected gems from the next card per player inside, 0 without players inside."""
    if game.num_inside == 0:
        return 0.0
    gems = 0
    for slot in range(treasures):
        gems += game.deck[slot] * edition.share[game.num_inside, slot]
    return gems / game.deck_size


@jit
def rebuild(observation, key, game):
    """Decode an observation with open chests into `game`; the observer becomes seat 0."""
    public = observation[TABLE_FEATURES:]
    game.key = key
    game.num_players = round(public[PUBLIC_AT.num_players] / FACTOR.num_players)
    game.num_inside = round(public[PUBLIC_AT.num_inside] / FACTOR.num_inside)
    game.expedition = round(public[PUBLIC_AT.expedition] / FACTOR.expedition)
    game.turn = round(public[PUBLIC_AT.turn] / FACTOR.turn)
    game.relics_taken = round(public[PUBLIC_AT.relics_taken] / FACTOR.relics_taken)
    game.path_relics = round(public[PUBLIC_AT.path_relics] / FACTOR.path_relics)
    game.path_relic_value = round(public[PUBLIC_AT.path_relic_value] / FACTOR.path_relic_value)
    game.path_gems = round(public[PUBLIC_AT.path_gems] / FACTOR.path_gems)
    game.bag = round(public[PUBLIC_AT.bag] / FACTOR.bag)
    game.phase = DECIDE if game.num_inside > 0 else OVER
    for slot in range(MAX_TREASURES):
        game.deck[slot] = round(public[PUBLIC_AT.treasures_left + slot] / FACTOR.treasures_left)
    for trap in range(MAX_TRAPS):
        game.deck[FIRST_TRAP + trap] = round(public[PUBLIC_AT.traps_left + trap] / FACTOR.traps_left)
        game.on_path[trap] = round(public[PUBLIC_AT.traps_on_path + trap] / FACTOR.traps_on_path)
    for relic in range(MAX_RELICS):
        game.deck[FIRST_RELIC + relic] = round(public[PUBLIC_AT.relics_left + relic] / FACTOR.relics_left)
    count_deck(game)
    for seat in range(MAX_PLAYERS):
        at = seat * SEAT_FEATURES
        game.inside[seat] = round(observation[at + SEAT_AT.inside] / FACTOR.must_decide)
        game.chest[seat] = round(observation[at + SEAT_AT.chest] / FACTOR.chest)
        game.relics[seat] = round(observation[at + SEAT_AT.relics] / FACTOR.relics)
        game.left_turn[seat] = round(observation[at + SEAT_AT.left_turn] / FACTOR.left_turn)
    clear_last_events(game)
