"""Observation layout: one flat float32 vector for every edition, table size and seat.

`FIELDS` is the single source of names, shapes, scales, bounds and meanings. A field holds its natural value (gems,
cards, turns) divided by a power of two, so decoding is exact. A row has three parts: the observer, the rivals in seat
order, and public features. `diamant_env.engine` writes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from gymnasium.spaces import Box, Space
from numpy.typing import NDArray

from diamant_env.editions import (
    MAX_CARDS,
    MAX_EXPEDITIONS,
    MAX_GEMS,
    MAX_PLAYERS,
    MAX_RELIC_VALUE,
    MAX_RELICS,
    MAX_TRAPS,
    MAX_TREASURES,
    Edition,
    find_edition,
)
from diamant_env.storage.files import nearest

Observation: TypeAlias = "Sequence[str] | str | None"
_RIVALS = MAX_PLAYERS - 1
_MAX_RELIC_SUM = MAX_RELICS * MAX_RELIC_VALUE
_MAX_CHEST = MAX_GEMS * MAX_EXPEDITIONS + _MAX_RELIC_SUM


class Field(NamedTuple):
    """A field of the observation: `size` features from `low` to `high` in natural units, divided by `scale`."""

    name: str
    size: int
    scale: float
    low: float
    high: float
    meaning: str

    @property
    def columns(self) -> range:
        """Column indices of the field in a row; those of the rivals' fields are interleaved."""
        where = SLICES[self.name]
        return range(where.start, where.stop, where.step or 1)


OWN = (
    Field("must_decide", 1, 1, 0, 1, "1 if this seat is inside and must decide now"),
    Field("chest", 1, 32, 0, _MAX_CHEST, "own gems and relic value, safe"),
    Field("relics", 1, 2, 0, MAX_RELICS, "relics that this seat has taken"),
    Field("left_turn", 1, 8, 0, MAX_CARDS, "turn at which this seat left the expedition, 0 while inside"),
    Field("lead", 1, 16, -_MAX_CHEST, _MAX_CHEST, "own chest less the best rival's; 0 where chests are hidden"),
)
# Rivals in seat order after the observer; the features of a rival are contiguous, in the order of `OWN`.
RIVALS = (
    Field("rival_inside", _RIVALS, 1, 0, 1, "1 for each rival inside the cave"),
    Field("rival_chest", _RIVALS, 32, 0, _MAX_CHEST, "the rivals' chests"),
    Field("rival_relics", _RIVALS, 2, 0, MAX_RELICS, "relics that each rival has taken"),
    Field("rival_left_turn", _RIVALS, 8, 0, MAX_CARDS, "turn at which each rival left, 0 while inside"),
    Field("rival_present", _RIVALS, 1, 0, 1, "1 for each rival at the table"),
)
# All bounds include 0: the rows of absent seats and padded rows are 0.
PUBLIC = (
    Field("num_players", 1, 4, 0, MAX_PLAYERS, "players at the table"),
    Field("num_inside", 1, 4, 0, MAX_PLAYERS, "players inside the cave"),
    Field("expedition", 1, 4, 0, MAX_EXPEDITIONS, "number of this expedition, 1 for the first"),
    Field("expeditions_left", 1, 4, 0, MAX_EXPEDITIONS - 1, "expeditions after this one"),
    Field("turn", 1, 8, 0, MAX_CARDS, "cards turned up in this expedition"),
    Field("bag", 1, 8, 0, MAX_GEMS, "gems that each player inside carries, the same for all"),
    Field("path_gems", 1, 8, 0, MAX_GEMS, "gems on the path"),
    Field("path_relics", 1, 1, 0, MAX_RELICS, "relics on the path"),
    Field("path_relic_value", 1, 8, 0, _MAX_RELIC_SUM, "total value of the relics on the path"),
    Field("relics_taken", 1, 2, 0, MAX_RELICS, "relics that all players have taken; lost ones too where they count"),
    Field("hidden_chests", 1, 1, 0, 1, "1 if chests are hidden: rivals' chests and the lead are then 0"),
    Field("bust_chance", 1, 0.125, 0, 1, "probability that the next card ends the expedition"),
    Field("expected_share", 1, 1, 0, MAX_GEMS, "gems that the next card brings each player inside, on average"),
    Field("treasures_left", MAX_TREASURES, 1, 0, MAX_CARDS, "treasure cards in the deck, by `Edition.treasure_slots`"),
    Field("traps_left", MAX_TRAPS, 2, 0, MAX_CARDS, "trap cards in the deck, by kind"),
    Field("relics_left", MAX_RELICS, 2, 0, MAX_RELICS, "relic cards in the deck, by kind"),
    Field("traps_on_path", MAX_TRAPS, 1, 0, 1, "1 for each kind of trap on the path"),
)
FIELDS = OWN + RIVALS + PUBLIC
"""The fields of an observation in order, each with name, size, scale, low, high and meaning."""
NUM_FEATURES = sum(field.size for field in FIELDS)
"""Number of features of an observation."""
if len(OWN) != len(RIVALS):
    raise AssertionError("OWN and RIVALS must have the same length: observations are slices of one circular buffer")
SEAT_FEATURES = len(OWN)  # per seat
TABLE_FEATURES = SEAT_FEATURES * MAX_PLAYERS  # of all seats, first in a row
NUM_PUBLIC = NUM_FEATURES - TABLE_FEATURES  # shared by all seats, last in a row


def _slices() -> dict[str, slice]:
    """Return the slice of each field in a row."""
    slices = {field.name: slice(index, index + 1) for index, field in enumerate(OWN)}
    for index, field in enumerate(RIVALS):
        slices[field.name] = slice(SEAT_FEATURES + index, TABLE_FEATURES, SEAT_FEATURES)
    first = TABLE_FEATURES
    for field in PUBLIC:
        slices[field.name] = slice(first, first + field.size)
        first += field.size
    return slices


SLICES = _slices()
_BY_NAME = {field.name: field for field in FIELDS}
_READ = {
    name: (where.start if field.size == 1 else where, np.float32(field.scale))
    for name, field, where in ((name, _BY_NAME[name], where) for name, where in SLICES.items())
}
"""Column or columns and scale of each field."""


def columns(*names: str) -> NDArray[np.intp]:
    """Return the column indices of fields, int (k,), one field after the other.

    >>> columns("bag", "rival_inside").tolist()
    [45, 5, 10, 15, 20, 25, 30, 35]

    Raises:
        ValueError: If a name is unknown.
    """
    unknown = [name for name in names if not isinstance(name, str) or name not in SLICES]
    if unknown:
        near = nearest(unknown[0], SLICES, f"fields: {', '.join(SLICES)}")
        raise ValueError(f"no field {', '.join(map(repr, unknown))}; {near}")
    return np.array([column for name in names for column in _BY_NAME[name].columns], np.intp)


def observation_space(chosen: NDArray[np.intp] | None = None) -> Box:
    """Return a new Box float32 with the bounds of all features, or of the chosen columns."""
    low, high = np.empty((2, NUM_FEATURES), np.float32)
    for field in FIELDS:
        low[SLICES[field.name]] = field.low / field.scale
        high[SLICES[field.name]] = field.high / field.scale
    selected = slice(None) if chosen is None else chosen
    return Box(low[selected], high[selected], dtype=np.float32)


class FieldsBox(Box):
    """Box of a subset of fields, unequal to boxes of other fields, so that saved models record what they observe."""

    def __init__(self, fields: Sequence[str]) -> None:
        space = observation_space(columns(*fields))
        super().__init__(space.low, space.high, dtype=np.float32)
        self.fields = tuple(fields)

    def __eq__(self, other: object) -> bool:
        """Return whether the other space has the same fields in the same order."""
        return isinstance(other, FieldsBox) and self.fields == other.fields and super().__eq__(other)

    def __repr__(self) -> str:
        """Return the fields with shape and dtype."""
        return f"FieldsBox({', '.join(self.fields)}, {self.shape}, {self.dtype})"


def shown_fields(observation: Observation) -> tuple[Box, NDArray[np.intp] | slice]:
    """Return the space of the named fields, by default all, and their columns in a row; raise ValueError if unknown."""
    if observation is None:
        return observation_space(), slice(None)
    if isinstance(observation, str) or not isinstance(observation, Sequence | np.ndarray) or not len(observation):
        raise ValueError(f"observation={observation!r}; None or names of fields are allowed")
    return FieldsBox(observation), columns(*observation)


def shown_columns(space: Space) -> NDArray[np.intp] | None:
    """Return the columns of an observation space, int (k,), or None for an unknown space."""
    if isinstance(space, FieldsBox):
        return columns(*space.fields)
    # The bounds of NormalizeObservation's space differ.
    return np.arange(NUM_FEATURES) if space == observation_space() else None


class UnknownField(KeyError):
    """Raised for a field that an observation does not have."""


class Observations(Mapping[str, np.ndarray]):
    """Flat observations by field name, in natural units: ``Observations(flat)["bag"]`` is float32 (rows,).

    Args:
        flat: float32 (rows, NUM_FEATURES) or (NUM_FEATURES,).
        edition: The edition of all rows, or a sequence with one per row, for agents that read it, such as search; a
            `SeatedAgents` passes it.

    A field of several features, such as ``"rival_chest"``, is (rows, size). The attribute `flat` holds scaled values.

    Raises:
        ValueError: If the last axis of `flat` has another length.
    """

    def __init__(
        self, flat: np.ndarray, edition: str | Edition | Sequence[str | Edition] | NDArray[np.object_] | None = None
    ) -> None:
        if not flat.shape or flat.shape[-1] != NUM_FEATURES:
            every = f"the last axis must have all {NUM_FEATURES} features, not a selection"
            raise ValueError(f"observations of shape {flat.shape}; {every}")
        self.flat, self.edition = flat, edition

    def by_edition(self) -> Iterator[tuple[Edition, NDArray[np.intp]]]:
        """Yield each edition with the indices of the rows that must decide in it, int (k,).

        Raises:
            ValueError: If a row must decide and the observations have no edition.
        """
        rows = np.flatnonzero(self.flat[:, 0])
        if self.edition is None and len(rows):
            raise ValueError("these observations have no edition; give it: Observations(flat, edition)")
        editions: dict[str | Edition, int] = {}
        row_editions = np.broadcast_to(np.array(self.edition, object), len(self.flat))[rows]
        numbers = np.array([editions.setdefault(edition_of_row, len(editions)) for edition_of_row in row_editions])
        for edition, number in editions.items():
            yield find_edition(edition), rows[numbers == number]

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in _READ:
            near = nearest(name, _READ, f"fields: {', '.join(_READ)}")
            raise UnknownField(f"no field {name!r}; {near}")
        where, scale = _READ[name]
        return self.flat[..., where] * scale

    def __iter__(self) -> Iterator[str]:
        return iter(_READ)

    def __len__(self) -> int:
        return len(_READ)

    def __repr__(self) -> str:
        """Return a table of the fields: the values of one observation, or minima and maxima of several."""
        lines = [f"Observations, flat {self.flat.shape}"]
        for name, values in self.items():
            single = self.flat.ndim == 1
            ends = values if single or not values.size else [values.min(), values.max()]
            text = " ".join(f"{value:g}" for value in np.ravel(ends))
            lines.append(f"  {name:<18}{text if single else text.replace(' ', ' … ')}")
        return "\n".join(lines)
