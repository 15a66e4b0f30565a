"""What a player sees: one flat layout of float32 for every edition, table size and seat.

`FIELDS` is the only statement of the layout: names, shapes, scales, bounds and meanings follow from it. A field
holds its natural value (gems, cards, turns) divided by a power of two, so that decoding is exact. A row has three
parts: the observer, the rivals one after the other, and what all see. `diamant_env.engine` writes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from gymnasium.spaces import Box

from diamant_env.editions import (
    MAX_CARDS,
    MAX_EXPEDITIONS,
    MAX_GEMS,
    MAX_PLAYERS,
    MAX_RELIC_VALUE,
    MAX_RELICS,
    MAX_TRAPS,
    MAX_TREASURES,
)

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


OWN = (
    Field("must_decide", 1, 1, 0, 1, "1 if this seat is inside and must decide now"),
    Field("chest", 1, 32, 0, _MAX_CHEST, "own gems and relic value, safe"),
    Field("relics", 1, 2, 0, MAX_RELICS, "relics that this seat has taken"),
    Field("left_turn", 1, 8, 0, MAX_CARDS, "turn at which this seat left the expedition, 0 while inside"),
    Field("lead", 1, 16, -_MAX_CHEST, _MAX_CHEST, "own chest less the best rival's; 0 where chests are hidden"),
)
# The rivals by seat after the observer's; all of one rival lies together, in the order of the observer's own.
RIVALS = (
    Field("rival_inside", _RIVALS, 1, 0, 1, "1 for each rival inside the cave"),
    Field("rival_chest", _RIVALS, 32, 0, _MAX_CHEST, "the rivals' chests"),
    Field("rival_relics", _RIVALS, 2, 0, MAX_RELICS, "relics that each rival has taken"),
    Field("rival_left_turn", _RIVALS, 8, 0, MAX_CARDS, "turn at which each rival left, 0 while inside"),
    Field("rival_present", _RIVALS, 1, 0, 1, "1 for each rival at the table"),
)
# What all see.
PUBLIC = (
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
    Field("relics_left", MAX_RELICS, 2, 0, MAX_RELICS, "relic cards in the deck, by kind"),
    Field("traps_on_path", MAX_TRAPS, 1, 0, 1, "1 for each kind of trap on the path"),
)
FIELDS = OWN + RIVALS + PUBLIC
"""The fields of an observation in order, each with name, size, scale, low, high and meaning."""
NUM_FEATURES = sum(field.size for field in FIELDS)
"""How many numbers an observation has."""
SEAT_FEATURES = len(OWN)  # numbers about one seat
TABLE_FEATURES = SEAT_FEATURES * MAX_PLAYERS  # numbers about all seats, which come first
NUM_PUBLIC = NUM_FEATURES - TABLE_FEATURES  # numbers that all seats share, which come last
NUM_OWN = SEAT_FEATURES - 1  # numbers about the observer alone: all but whether it is inside, which rivals see too


def _slices() -> dict[str, slice]:
    """Return where each field lies in a row."""
    slices = {field.name: slice(index, index + 1) for index, field in enumerate(OWN)}
    for index, field in enumerate(RIVALS):
        slices[field.name] = slice(SEAT_FEATURES + index, TABLE_FEATURES, SEAT_FEATURES)
    first = TABLE_FEATURES
    for field in PUBLIC:
        slices[field.name] = slice(first, first + field.size)
        first += field.size
    return slices


SLICES = _slices()
OWN_AT = SLICES["chest"].start  # where the numbers about the observer alone begin
_BY_NAME = {field.name: field for field in FIELDS}


def _as_dtype(fields: tuple[Field, ...]) -> list[tuple]:
    return [(field.name, "f4") if field.size == 1 else (field.name, "f4", field.size) for field in fields]


OBSERVATION = np.dtype(
    (
        np.record,
        [
            *_as_dtype(OWN),
            ("rivals", [(field.name.removeprefix("rival_"), "f4") for field in RIVALS], _RIVALS),
            *_as_dtype(PUBLIC),
        ],
    )
)
"""The dtype of an observation as a record; `rivals` is an array of records."""


def observation_space() -> Box:
    """Return a new Box (NUM_FEATURES,) float32 with the true bounds of every feature."""
    low, high = np.empty((2, NUM_FEATURES), np.float32)
    for field in FIELDS:
        low[SLICES[field.name]] = field.low / field.scale
        high[SLICES[field.name]] = field.high / field.scale
    return Box(low, high, dtype=np.float32)


class Observations(Mapping[str, np.ndarray]):
    """Flat observations by field name, in natural units: ``Observations(flat)["bag"]`` is float32 (rows,).

    Args:
        flat: float32 (rows, NUM_FEATURES) or one observation (NUM_FEATURES,).

    A field of several numbers, such as ``"rival_chest"``, is (rows, size). `flat` keeps the scaled numbers.

    Raises:
        ValueError: If `flat` is no array or has another last axis.
    """

    def __init__(self, flat: np.ndarray) -> None:
        if not hasattr(flat, "shape"):
            raise ValueError(f"observations: {type(flat)}; expected an array of {NUM_FEATURES} features")
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
        if where.step:
            index = f"{where.start}, {where.start + where.step}, … {where.start + where.step * (field.size - 1)}"
        lines.append(f"| {index} | `{field.name}` | {field.scale} | {field.low} … {field.high} | {field.meaning} |")
    return "\n".join(lines)
