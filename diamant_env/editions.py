"""Editions of the game as data, and size limits of the layout."""

from __future__ import annotations

import dataclasses
import functools
import json
import re
import tomllib
from collections import ChainMap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from diamant_env.storage.files import nearest, write_atomic

MAX_PLAYERS = 8
MAX_TREASURES = 16  # distinct treasure values
MAX_TRAPS = 8  # kinds of trap
MAX_RELICS = 5  # relic cards
MAX_EXPEDITIONS = 15
MAX_CARDS = 100  # per deck
MAX_GEMS = 1000  # sum over the treasure cards of a deck
MAX_RELIC_VALUE = 100

# Card numbers: treasure values ("slots"), then kinds of trap, then relics.
FIRST_TRAP = MAX_TREASURES
FIRST_RELIC = FIRST_TRAP + MAX_TRAPS
NUM_CARDS = FIRST_RELIC + MAX_RELICS
NO_CARD = -1

# A treasure value has the same slot in all published editions, so that policies transfer.
PUBLISHED_TREASURES = (1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 14, 15, 17)

VARIATIONS = {
    "expeditions": tuple(map(str, range(1, MAX_EXPEDITIONS + 1))),
    "hidden_chests": ("0", "1"),
    "hidden_rivals": ("0", "1"),
}
"""The fields that the text of an edition can change, in their order, with their values."""


@dataclass(frozen=True)
class Edition:
    """One edition of the game.

    Attributes:
        name: Name in messages, records and configurations; with the variations of `replace`, a text for `find_edition`.
        treasures: Gems on each treasure card, one entry per card.
        traps: The kinds of trap, by name.
        trap_copies: Cards of each kind of trap.
        relics: Value in gems of each relic card, in the order of `relic_values`.
        relics_enter: ``"start"``: all are in the deck from the start; ``"expedition"``: one is added before each.
        relic_values: ``"taken"``: ``relics[n]`` is the value of the relic that leaves the cave after n others;
            ``"taken or lost"``: the same, also counting relics lost in the cave;
            ``"printed"``: ``relics[n]`` is printed on the n-th relic card, counted from 0.
        expeditions: Expeditions per game.
        bust_removes: Number of the two equal trap cards that leave the game at a bust.
        tie_break: ``"shared"``: players with the same score share the victory; ``"relics"``: most relics first.
        hidden_chests: Whether observations hide the rivals' chests.
        hidden_rivals: Whether all features of rivals are 0, for exact best responses (see `diamant_env.exact`); implies
            `hidden_chests`.
        source: The rulebook.

    Raises:
        ValueError: If the values make no playable game; the message has the reason.
    """

    name: str
    treasures: tuple[int, ...]
    traps: tuple[str, ...]
    trap_copies: int = 3
    relics: tuple[int, ...] = ()
    relics_enter: Literal["start", "expedition"] = "start"
    relic_values: Literal["taken", "taken or lost", "printed"] = "taken"
    expeditions: int = 5
    bust_removes: int = 1
    tie_break: Literal["shared", "relics"] = "shared"
    hidden_chests: bool = False
    hidden_rivals: bool = False
    source: str = ""

    def __post_init__(self) -> None:
        for field in ("treasures", "traps", "relics"):
            value = getattr(self, field)
            if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
                raise ValueError(f"edition {self.name!r} can't be played: {field}={value!r} is no list or tuple")
            object.__setattr__(self, field, tuple(value))
        for field in ("trap_copies", "expeditions", "bust_removes", "treasures", "relics"):
            value = getattr(self, field)
            numbers = value if isinstance(value, tuple) else (value,)
            if not all(isinstance(number, int | np.integer) for number in numbers):
                raise ValueError(f"edition {self.name!r} can't be played: {field}={value!r}; whole numbers are needed")
            whole = tuple(map(int, numbers))  # NumPy's integers overflow and can't be saved
            object.__setattr__(self, field, whole if isinstance(value, tuple) else whole[0])
        for field in ("hidden_chests", "hidden_rivals"):
            hides = getattr(self, field)
            if not isinstance(hides, bool | np.bool_):
                wrong = f"{field}={hides!r}; True and False are allowed"
                raise ValueError(f"edition {self.name!r} can't be played: {wrong}")
            object.__setattr__(self, field, bool(hides))
        object.__setattr__(self, "hidden_chests", self.hidden_chests or self.hidden_rivals)
        for allowed, reason in self._requirements():
            if not allowed:
                raise ValueError(f"edition {self.name!r} can't be played: {reason}")

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Edition:
        """Return the edition with the fields in a JSON or TOML file.

        Raises:
            ValueError: If a field is missing, unknown, of the wrong type or not playable.
        """
        fields: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in values.items()}
        try:
            return cls(**fields)
        except TypeError as error:
            allowed = ", ".join(field.name for field in dataclasses.fields(cls))
            raise ValueError(f"the edition can't be read: {error}; fields: {allowed}") from None

    @classmethod
    def load(cls, path: str | Path) -> Edition:
        """Load an edition from a ``.toml`` file, see `from_dict`.

        Raises:
            FileNotFoundError: If there is no such file.
            ValueError: If the file is damaged or holds no edition; the message has the reason.
        """
        try:
            return cls.from_dict(tomllib.loads(Path(path).read_text("utf-8-sig")))
        except FileNotFoundError:
            raise FileNotFoundError(f"no edition file {path}") from None
        except ValueError as error:
            raise ValueError(f"edition {path}: {error}") from None

    def save(self, path: str | Path) -> None:
        """Save the edition to a ``.toml`` file for `load`."""
        if Path(path).suffix != ".toml":
            raise ValueError(f"{path} must end in .toml")
        fields = {key: value for key, value in dataclasses.asdict(self).items() if value is not None}
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False, default=int)}\n" for key, value in fields.items()]
        write_atomic(path, "".join(lines).replace("\x7f", "\\u007F"))

    def replace(
        self, *, expeditions: int | None = None, hidden_chests: bool | None = None, hidden_rivals: bool | None = None
    ) -> Edition:
        """Return the edition with other values of these fields, which its name then states; None changes nothing.

        Open chests imply that rivals are not hidden.

        Raises:
            ValueError: If it is not playable; the message has the reason.

        >>> find_edition("incan-gold").replace(expeditions=1, hidden_chests=False).name
        'incan-gold/expeditions:1/hidden_chests:0'
        """
        if hidden_chests is not None and not hidden_chests and hidden_rivals is None:
            hidden_rivals = False
        variations = {"expeditions": expeditions, "hidden_chests": hidden_chests, "hidden_rivals": hidden_rivals}
        changes: dict[str, Any] = {
            field: value for field, value in variations.items() if value is not None and value != getattr(self, field)
        }
        if not changes:
            return self
        name, *parts = self.name.split("/")
        varied, base = dataclasses.replace(self, name=name, **changes), _KNOWN.get(name, self)
        stated = [] if name in _KNOWN else [part.partition(":")[0] for part in parts]
        fields = [field for field in VARIATIONS if field in stated or getattr(varied, field) != getattr(base, field)]
        if varied.hidden_rivals and "hidden_chests" in fields:
            fields.remove("hidden_chests")  # implied
        return dataclasses.replace(varied, name="/".join([name, *map(varied._stated, fields)]))

    def _stated(self, field: str) -> str:
        return f"{field}:{getattr(self, field):d}"

    def _requirements(self) -> list[tuple[bool, str]]:
        """Return the conditions of a playable edition, each with the reason for the error."""
        names = [str(trap) for trap in self.traps]
        reserved = [name for name in names if name != name.strip() or not name or name[:5] == "relic" or name.isdigit()]
        reserved += [str(trap) for trap in self.traps if not isinstance(trap, str)]
        cards = len(self.treasures) + len(self.traps) * self.trap_copies + len(self.relics)
        values, expeditions = len(set(self.treasures)), self.expeditions
        return [
            (isinstance(self.name, str), "its name is no text"),
            (str(self.name).strip() == str(self.name), "its name has spaces at its ends"),
            (
                {*str(self.name).split("/")[1:]} <= {*map(self._stated, VARIATIONS)},
                "a / in its name can only precede variations that it has, such as expeditions:1",
            ),
            (len(self.treasures) > 0, "it has no treasure"),
            (min(self.treasures, default=1) >= 1, f"a treasure below 1: {min(self.treasures, default=1)}"),
            (values <= MAX_TREASURES, f"{values} different treasure values; at most {MAX_TREASURES} fit the layout"),
            (sum(self.treasures) <= MAX_GEMS, f"{sum(self.treasures)} gems; at most {MAX_GEMS} are allowed"),
            (1 <= len(names) <= MAX_TRAPS, f"{len(names)} kinds of trap; 1 to {MAX_TRAPS} are allowed"),
            (len(set(names)) == len(names), f"two kinds of trap have the same name: {', '.join(names)}"),
            (not reserved, f"a trap can't be called {', '.join(map(repr, reserved))}"),
            (len(self.relics) <= MAX_RELICS, f"{len(self.relics)} relics; at most {MAX_RELICS} are allowed"),
            (min(self.relics, default=0) >= 0, "a relic below 0"),
            (max(self.relics, default=0) <= MAX_RELIC_VALUE, f"a relic above {MAX_RELIC_VALUE}"),
            (self.relics_enter in ("start", "expedition"), f"relics_enter={self.relics_enter!r}"),
            (self.relic_values in ("taken", "taken or lost", "printed"), f"relic_values={self.relic_values!r}"),
            (self.tie_break in ("shared", "relics"), f"tie_break={self.tie_break!r}"),
            (1 <= expeditions <= MAX_EXPEDITIONS, f"{expeditions} expeditions; 1 to {MAX_EXPEDITIONS} are allowed"),
            (0 <= self.bust_removes <= 2, f"a bust that removes {self.bust_removes} cards; 0 to 2 are allowed"),
            (self.trap_copies >= 2, f"{self.trap_copies} cards of each trap; no expedition could end in a bust"),
            (cards <= MAX_CARDS, f"{cards} cards; at most {MAX_CARDS} are allowed"),
            (
                self.expeditions - 1 < self._busts_until_safe(),
                f"after {self._busts_until_safe()} busts no two traps of a kind are left, "
                f"so the deck could run out inside one of its {self.expeditions} expeditions",
            ),
        ]

    def _busts_until_safe(self) -> float:
        """Return the least number of busts after which no kind of trap has two cards left."""
        if self.trap_copies < 2:
            return 0
        if self.bust_removes == 0:
            return float("inf")
        return len(self.traps) * -(-(self.trap_copies - 1) // self.bust_removes)

    @functools.cached_property
    def treasure_slots(self) -> tuple[int, ...]:
        """The value of each of the 16 slots, 0 if unused; unpublished values take free slots, the last first."""
        slots = [value if value in self.treasures else 0 for value in PUBLISHED_TREASURES]
        slots += [0] * (MAX_TREASURES - len(slots))
        free = [slot for slot in reversed(range(MAX_TREASURES)) if slots[slot] == 0]
        others = sorted(set(self.treasures) - set(PUBLISHED_TREASURES))
        for slot, value in zip(free, others, strict=False):
            slots[slot] = value
        return tuple(slots)

    def card_name(self, card: int) -> str:
        """Return a card's name: ``"7"``, ``"snake"``, ``"relic"`` or, with printed values, ``"relic 8"``."""
        if card < FIRST_TRAP:
            return str(self.treasure_slots[card])
        if card < FIRST_RELIC:
            return self.traps[card - FIRST_TRAP]
        return f"relic {self.relics[card - FIRST_RELIC]}" if self.relic_values == "printed" else "relic"

    @property
    def card_names(self) -> dict[int, str]:
        """The names of this edition's cards by card number, as in `deck` and `last_card` of a game's record."""
        relics = len(self.relics) if self.relic_values == "printed" else min(1, len(self.relics))
        cards = [slot for slot, value in enumerate(self.treasure_slots) if value]
        cards += [*range(FIRST_TRAP, FIRST_TRAP + len(self.traps)), *range(FIRST_RELIC, FIRST_RELIC + relics)]
        return {card: self.card_name(card) for card in cards}

    def cards_named(self, name: int | str) -> list[int]:
        """Return the cards with a name: one, except ``"relic"`` or equal values where relics have printed values.

        Raises:
            ValueError: If the edition has no such card; the message lists its cards.
        """
        names = self.card_names
        text = str(name).strip()
        fits = [card for card, known in names.items() if text == known]
        if text == "relic":
            fits = [card for card in names if card >= FIRST_RELIC]
        if not fits:
            raise ValueError(f"{name!r} is no card of {self.name!r}; its cards are {', '.join(names.values())}")
        return fits


_TREASURES = (1, 2, 3, 4, 5, 5, 7, 7, 9, 11, 11, 13, 14, 15, 17)
_EVERDECK_TREASURES = (1, 2, 3, 4, 5, 5, 7, 7, 8, 11, 11, 13, 14, 15, 17)
_DIAMANT_TRAPS = ("spider", "snake", "lava pit", "boulder", "battering ram")
_INCAN_GOLD_TRAPS = ("fire", "mummy", "rockfall", "snake", "spider")
_RELICS_BY_ORDER = (5, 5, 5, 10, 10)
_PRINTED_RELICS = (5, 7, 8, 10, 12)

RULEBOOK_PLAYERS = (3, 8)  # minimum and maximum of every rulebook; 1 and 2 are for research
_PUBLISHED = [
    Edition(
        "iello-2016", _TREASURES, _DIAMANT_TRAPS, relics=_RELICS_BY_ORDER, source="the English rulebook, IELLO 2016"
    ),
    Edition("iello-2016-fr", _TREASURES, _DIAMANT_TRAPS, source="the French rulebook, IELLO 2016"),
    Edition(
        name="iello-2016-fr-relics",
        treasures=_TREASURES,
        traps=_DIAMANT_TRAPS,
        relics=_PRINTED_RELICS,
        relics_enter="expedition",
        relic_values="printed",
        source="the French rulebook, IELLO 2016, with its variant of relics",
    ),
    Edition(
        name="everdeck",
        treasures=_EVERDECK_TREASURES,
        traps=_DIAMANT_TRAPS,
        relics=_RELICS_BY_ORDER,
        source="the rules for playing with an Everdeck",
    ),
    Edition(
        name="everdeck-relics",
        treasures=_EVERDECK_TREASURES,
        traps=_DIAMANT_TRAPS,
        relics=_RELICS_BY_ORDER,
        relics_enter="expedition",
        source="the rules for playing with an Everdeck, with their variant of relics",
    ),
    Edition(
        name="schmidt-2005",
        treasures=_TREASURES,
        traps=("snake", "scorpion", "rockfall", "gas", "explosion"),
        source="a French translation of the rulebook of 2005",
    ),
    Edition(
        name="incan-gold",
        treasures=_TREASURES,
        traps=_INCAN_GOLD_TRAPS,
        relics=_RELICS_BY_ORDER,
        relics_enter="expedition",
        tie_break="relics",
        hidden_chests=True,
        source="the rulebook of Incan Gold, Sunriver Games 2006",
    ),
    Edition(
        name="incan-gold-2020",
        treasures=_TREASURES,
        traps=_INCAN_GOLD_TRAPS,
        relics=_PRINTED_RELICS,
        relics_enter="expedition",
        relic_values="printed",
        tie_break="relics",
        hidden_chests=True,
        source="the rulebook of Incan Gold, 2020",
    ),
    Edition(
        name="incan-gold-bga",
        treasures=_TREASURES[:-1],
        traps=_INCAN_GOLD_TRAPS,
        relics=_PRINTED_RELICS,
        relics_enter="expedition",
        relic_values="printed",
        tie_break="relics",
        hidden_chests=True,
        source="the game help of Board Game Arena, whose deck lacks the treasure of 17",
    ),
    Edition(
        name="incan-gold-bga-classic",
        treasures=_TREASURES[:-1],
        traps=_INCAN_GOLD_TRAPS,
        relics=_RELICS_BY_ORDER,
        relics_enter="expedition",
        relic_values="taken or lost",
        tie_break="relics",
        hidden_chests=True,
        source="the source of Board Game Arena's game, with its option Classic of artifact scoring",
    ),
]
EDITIONS = {edition.name: edition for edition in _PUBLISHED}
"""The published editions by name."""
_SMALL = [
    Edition("small-2", (2, 3, 5), ("snake", "boulder"), relics=(5,), expeditions=4),
    Edition("small-3", (5, 7), ("snake", "boulder"), expeditions=3),
    Edition("small-4", (5, 7), ("snake", "boulder"), expeditions=2),
]
RESEARCH = {edition.name: edition for edition in _SMALL}
"""Small editions by name, for 2, 3 and 4 players: their states fit in memory, see `diamant_env.exact.WholeGame`."""


_KNOWN = ChainMap(EDITIONS, RESEARCH)


def find_edition(edition: str | Edition) -> Edition:
    """Return an edition given as an object or a text.

    >>> find_edition("iello-2016/expeditions:1").expeditions
    1

    Args:
        edition: An `Edition`; a text ``NAME[/FIELD:VALUE]...`` of the name of one in `EDITIONS` or `RESEARCH`, or a
            path for `Edition.load`, and values of `VARIATIONS`; or a dictionary of an edition's fields, which a JSON
            round trip of Gymnasium's specs makes of an `Edition`.

    Raises:
        FileNotFoundError: If there is no file at the path.
        ValueError: If no published edition has that name, or a variation is unknown or not playable.
    """
    if isinstance(edition, Edition):
        return edition
    if isinstance(edition, dict):
        return Edition.from_dict(edition)
    path = re.fullmatch(r"(?s)(.*\.toml)((?:/.*)?)", str(edition))
    return _varied(Edition.load(path[1]), path[2].split("/")[1:]) if path else published_edition(str(edition))


def published_edition(text: str) -> Edition:
    """Return the edition of a text with a name, not a path, see `find_edition`."""
    name, *parts = text.split("/")
    if name not in _KNOWN:
        published = f"published editions: {', '.join(EDITIONS)}, or the path of a .toml file"
        raise ValueError(f"unknown edition {text!r}; {nearest(name, _KNOWN, published)}")
    return _varied(_KNOWN[name], parts)


def _varied(edition: Edition, parts: list[str]) -> Edition:
    """Return an edition with the variations in parts of a text; raise a ValueError if one is unknown."""
    changes: dict[str, Any] = {}
    for part in parts:
        field, _, value = part.partition(":")
        if value not in VARIATIONS.get(field, ()) or field in changes:
            allowed = ", ".join(f"{name}:{values[0]} to {values[-1]}" for name, values in VARIATIONS.items())
            raise ValueError(f"{part!r} varies no edition; allowed after {edition.name}/: {allowed}")
        changes[field] = int(value) if field == "expeditions" else value == "1"
    return edition.replace(**changes)


def is_published(edition: Edition) -> bool:
    """Return whether an edition's name suffices for `published_edition`."""
    return edition.name.partition("/")[0] in _KNOWN and published_edition(edition.name) == edition
