"""What a player sees: one flat layout of float32 for every edition, table size and seat.

`FIELDS` is the only statement of the layout: names, shapes, scales, bounds and meanings follow from it. A field
holds its natural value (gems, cards, turns) divided by a power of two, so that decoding is exact.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from gymnasium.spaces import Box

from diamant_env.compiled import jit
from diamant_env.editions import (
    FIRST_RELIC,
    FIRST_TRAP,
    MAX_CARDS,
    MAX_EXPEDITIONS,
    MAX_GEMS,
    MAX_PLAYERS,
    MAX_RELIC_VALUE,
    MAX_RELICS,
    MAX_TRAPS,
    MAX_TREASURES,
)
from diamant_env.rules import DECIDE, GAME, OVER, forget_last_events

_RIVALS = MAX_PLAYERS - 1
_MAX_CHEST = MAX_GEMS * MAX_EXPEDITIONS + MAX_RELICS * MAX_RELIC_VALUE


class Field(NamedTuple):
    """One field of the observation: `size` numbers from `low` to `high` in natural units, divided by `scale`."""

    name: str
    size: int
    scale: float
    low: float
    high: float
    meaning: str


FIELDS = (
    # The observer.
    Field("must_decide", 1, 1, 0, 1, "1 if this seat is inside and must decide now"),
    Field("chest", 1, 32, 0, _MAX_CHEST, "own gems and relic value, safe"),
    Field("relics", 1, 2, 0, MAX_RELICS, "relics that this seat has taken"),
    Field("left_turn", 1, 8, 0, MAX_CARDS, "turn at which this seat left the expedition, 0 while inside"),
    Field("lead", 1, 16, -_MAX_CHEST, _MAX_CHEST, "own chest less the best rival's; 0 where chests are hidden"),
    # What all see.
    Field("num_players", 1, 4, 1, MAX_PLAYERS, "players at the table"),
    Field("num_inside", 1, 4, 0, MAX_PLAYERS, "players inside the cave"),
    Field("expedition", 1, 4, 1, MAX_EXPEDITIONS, "number of this expedition, 1 for the first"),
    Field("expeditions_left", 1, 4, 0, MAX_EXPEDITIONS - 1, "expeditions after this one"),
    Field("turn", 1, 8, 0, MAX_CARDS, "cards turned up in this expedition"),
    Field("bag", 1, 8, 0, MAX_GEMS, "gems at risk of each player inside: all hold the same"),
    Field("path_gems", 1, 8, 0, MAX_GEMS, "gems on the path"),
    Field("path_relics", 1, 1, 0, MAX_RELICS, "relics on the path"),
    Field("path_relic_value", 1, 8, 0, MAX_RELICS * MAX_RELIC_VALUE, "gems a lone leaver gets for them"),
    Field("relics_taken", 1, 2, 0, MAX_RELICS, "relics that all players have taken"),
    Field("hidden_chests", 1, 1, 0, 1, "1 if rivals' chests, relics and the lead are hidden, and 0 here"),
    Field("bust_chance", 1, 0.125, 0, 1, "probability that the next card ends the expedition"),
    Field("expected_share", 1, 1, 0, MAX_GEMS, "gems that the next card brings each player inside, on average"),
    Field("treasures_left", MAX_TREASURES, 1, 0, MAX_CARDS, "treasure cards in the deck, by slot of value"),
    Field("traps_left", MAX_TRAPS, 2, 0, MAX_CARDS, "trap cards in the deck, by kind"),
    Field("traps_on_path", MAX_TRAPS, 1, 0, 1, "1 for each kind of trap on the path"),
    Field("relics_left", MAX_RELICS, 2, 0, MAX_RELICS, "relic cards in the deck, by kind"),
    # The rivals, by seat after the observer's.
    Field("rival_present", _RIVALS, 1, 0, 1, "1 for each rival at the table"),
    Field("rival_inside", _RIVALS, 1, 0, 1, "1 for each rival inside the cave"),
    Field("rival_chest", _RIVALS, 32, 0, _MAX_CHEST, "the rivals' chests"),
    Field("rival_relics", _RIVALS, 2, 0, MAX_RELICS, "relics that each rival has taken"),
    Field("rival_left_turn", _RIVALS, 8, 0, MAX_CARDS, "turn at which each rival left, 0 while inside"),
)

OBSERVATION = np.dtype(
    (np.record, [(field.name, "f4") if field.size == 1 else (field.name, "f4", field.size) for field in FIELDS])
)
NUM_FEATURES = OBSERVATION.itemsize // 4
_BY_NAME = {field.name: field for field in FIELDS}
_STOPS = np.cumsum([field.size for field in FIELDS]).tolist()
SLICES = {
    field.name: slice(stop - field.size, stop) for field, stop in zip(FIELDS, _STOPS, strict=True)
}  # where each field lies in the flat vector

# Compiled functions read the factors as constants.
_Factors: Any = namedtuple("_Factors", [field.name for field in FIELDS])  # type: ignore[misc]
_PER = _Factors(*[1.0 / field.scale for field in FIELDS])


def observation_space() -> Box:
    """Return a new Box (NUM_FEATURES,) float32 with the true bounds of every feature."""
    sizes = [field.size for field in FIELDS]
    low = np.repeat([field.low / field.scale for field in FIELDS], sizes).astype(np.float32)
    high = np.repeat([field.high / field.scale for field in FIELDS], sizes).astype(np.float32)
    return Box(low, high, dtype=np.float32)


@jit
def observe(game, edition, seat, hide, view):
    """Write what a seat sees into `view`, a record of type `OBSERVATION`; `hide`: rivals' chests are hidden."""
    players = game.num_players
    view.must_decide = game.inside[seat]
    view.chest = game.chest[seat] * _PER.chest
    view.relics = game.relics[seat] * _PER.relics
    view.left_turn = game.left_turn[seat] * _PER.left_turn
    view.num_players = players * _PER.num_players
    view.num_inside = game.num_inside * _PER.num_inside
    view.expedition = game.expedition * _PER.expedition
    view.expeditions_left = (edition.num_expeditions - game.expedition) * _PER.expeditions_left
    view.turn = game.turn * _PER.turn
    view.bag = game.bag * _PER.bag
    view.path_gems = game.path_gems * _PER.path_gems
    view.path_relics = game.path_relics * _PER.path_relics
    view.path_relic_value = game.path_relic_value * _PER.path_relic_value
    view.relics_taken = game.relics_taken * _PER.relics_taken
    view.hidden_chests = 1.0 if hide else 0.0
    view.bust_chance = bust_chance(game) * _PER.bust_chance
    view.expected_share = expected_share(game, edition) * _PER.expected_share
    for slot in range(MAX_TREASURES):
        view.treasures_left[slot] = game.deck[slot] * _PER.treasures_left
    for trap in range(MAX_TRAPS):
        view.traps_left[trap] = game.deck[FIRST_TRAP + trap] * _PER.traps_left
        view.traps_on_path[trap] = game.on_path[trap]
    for relic in range(MAX_RELICS):
        view.relics_left[relic] = game.deck[FIRST_RELIC + relic] * _PER.relics_left
    best = -1
    for rival in range(_RIVALS):
        if rival + 1 < players:
            other = seat + 1 + rival
            if other >= players:
                other -= players
            view.rival_present[rival] = 1.0
            view.rival_inside[rival] = game.inside[other]
            view.rival_chest[rival] = 0.0 if hide else game.chest[other] * _PER.rival_chest
            view.rival_relics[rival] = 0.0 if hide else game.relics[other] * _PER.rival_relics
            view.rival_left_turn[rival] = game.left_turn[other] * _PER.rival_left_turn
            best = max(best, game.chest[other])
        else:
            view.rival_present[rival] = 0.0
            view.rival_inside[rival] = 0.0
            view.rival_chest[rival] = 0.0
            view.rival_relics[rival] = 0.0
            view.rival_left_turn[rival] = 0.0
    view.lead = 0.0 if hide or best < 0 else (game.chest[seat] - best) * _PER.lead


@jit
def bust_chance(game):
    """Return the probability that the next card is a trap whose kind lies on the path."""
    fatal = np.int64(0)
    for trap in range(MAX_TRAPS):
        if game.on_path[trap]:
            fatal += game.deck[FIRST_TRAP + trap]
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
        if game.deck[slot]:
            gems += game.deck[slot] * (edition.treasure_value[slot] // game.num_inside)
    return gems / game.deck_size


@jit
def unobserve(view, edition, key, game):
    """Rebuild a game in `game` from what a seat sees with open chests (`view`); the observer becomes seat 0."""
    players = round(view.num_players / _PER.num_players)
    game.key = key
    game.num_players = players
    game.num_inside = round(view.num_inside / _PER.num_inside)
    game.expedition = round(view.expedition / _PER.expedition)
    game.turn = round(view.turn / _PER.turn)
    game.relics_taken = round(view.relics_taken / _PER.relics_taken)
    game.path_relics = round(view.path_relics / _PER.path_relics)
    game.path_relic_value = round(view.path_relic_value / _PER.path_relic_value)
    game.path_gems = round(view.path_gems / _PER.path_gems)
    game.bag = round(view.bag / _PER.bag)
    game.phase = DECIDE if game.num_inside > 0 else OVER
    game.deck_size = 0
    for slot in range(MAX_TREASURES):
        game.deck[slot] = round(view.treasures_left[slot] / _PER.treasures_left)
        game.deck_size += game.deck[slot]
    for trap in range(MAX_TRAPS):
        game.deck[FIRST_TRAP + trap] = round(view.traps_left[trap] / _PER.traps_left)
        game.deck_size += game.deck[FIRST_TRAP + trap]
        game.on_path[trap] = round(view.traps_on_path[trap])
    for relic in range(MAX_RELICS):
        game.deck[FIRST_RELIC + relic] = round(view.relics_left[relic] / _PER.relics_left)
        game.deck_size += game.deck[FIRST_RELIC + relic]
    game.inside[0] = round(view.must_decide)
    game.chest[0] = round(view.chest / _PER.chest)
    game.relics[0] = round(view.relics / _PER.relics)
    game.left_turn[0] = round(view.left_turn / _PER.left_turn)
    for rival in range(_RIVALS):
        game.inside[1 + rival] = round(view.rival_inside[rival])
        game.chest[1 + rival] = round(view.rival_chest[rival] / _PER.rival_chest)
        game.relics[1 + rival] = round(view.rival_relics[rival] / _PER.rival_relics)
        game.left_turn[1 + rival] = round(view.rival_left_turn[rival] / _PER.rival_left_turn)
    forget_last_events(game)


class Observations(Mapping[str, np.ndarray]):
    """Flat observations by field name, in natural units: ``Observations(flat)["bag"]`` is float32 (rows,).

    Args:
        flat: float32 (rows, NUM_FEATURES) or one observation (NUM_FEATURES,).

    A field of several numbers, such as ``"rival_chest"``, is (rows, size). `flat` keeps the scaled numbers.
    """

    def __init__(self, flat: np.ndarray) -> None:
        if flat.shape[-1:] != (NUM_FEATURES,):
            raise ValueError(f"observations of shape {flat.shape}; the last axis must have {NUM_FEATURES} features")
        self.flat = flat

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in SLICES:
            raise KeyError(f"no field {name!r}; fields: {', '.join(SLICES)}")
        field, where = _BY_NAME[name], SLICES[name]
        values = self.flat[..., where.start] if field.size == 1 else self.flat[..., where]
        return values * np.float32(field.scale)

    def __iter__(self) -> Iterator[str]:
        return iter(SLICES)

    def __len__(self) -> int:
        return len(SLICES)


def field_table() -> str:
    """Return the layout as a Markdown table: position, field, scale, range and meaning."""
    lines = ["| index | field | divided by | range | meaning |", "|---|---|---|---|---|"]
    for field in FIELDS:
        where = SLICES[field.name]
        index = str(where.start) if field.size == 1 else f"{where.start}–{where.stop - 1}"
        lines.append(f"| {index} | `{field.name}` | {field.scale} | {field.low} … {field.high} | {field.meaning} |")
    return "\n".join(lines)


__all__ = [
    "FIELDS",
    "GAME",
    "NUM_FEATURES",
    "OBSERVATION",
    "SLICES",
    "Field",
    "Observations",
    "bust_chance",
    "expected_share",
    "field_table",
    "observation_space",
    "observe",
    "unobserve",
]
