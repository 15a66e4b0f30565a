"""Editions as short strings for OpenSpiel's game parameters: a published name, or the fields of a custom edition."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

from diamant_env.editions import EDITIONS, Edition, find_edition

_LISTS = ("treasures", "traps", "relics")
_INTEGERS = ("treasures", "relics", "trap_copies", "expeditions", "bust_removes")
_FIELDS = (*_LISTS, "trap_copies", "relics_enter", "relic_values", "expeditions", "bust_removes", "tie_break")


def edition_text(edition: Edition) -> str:
    """Return an edition as text without commas or brackets: a published name, or the fields that are not defaults.

    `hidden_chests` is omitted. Names of traps are percent-encoded but for spaces.

    >>> edition_text(Edition("small", treasures=(3, 5), traps=("mud",), trap_copies=2, expeditions=1))
    'treasures:3+5/traps:mud/trap_copies:2/expeditions:1'
    """
    published = EDITIONS.get(edition.name)
    if published and published == dataclasses.replace(edition, hidden_chests=published.hidden_chests):
        return edition.name
    defaults = {field.name: field.default for field in dataclasses.fields(edition)}
    values = {name: getattr(edition, name) for name in _FIELDS}
    texts = {
        name: "+".join(quote(str(one), safe=" ") for one in each) if name in _LISTS else each
        for name, each in values.items()
    }
    return "/".join(f"{name}:{text}" for name, text in texts.items() if values[name] != defaults[name])


def read_edition(text: str) -> Edition:
    """Return the edition of a text from `edition_text`.

    Raises:
        ValueError: If the text is invalid or the edition not playable; the message lists what is allowed.
    """
    if ":" not in text:
        return find_edition(text)
    values: dict[str, Any] = {"name": text}
    for part in text.split("/"):
        name, _, given = part.partition(":")
        if name not in _FIELDS:
            raise ValueError(f"{part!r} in the edition {text!r}; expected FIELD:VALUE, fields: {', '.join(_FIELDS)}")
        if name in values:
            raise ValueError(f"the edition {text!r} has {name} twice")
        read: Callable[[str], Any] = int if name in _INTEGERS else unquote
        try:
            values[name] = tuple(map(read, given.split("+"))) if name in _LISTS else read(given)
        except ValueError:
            expected = "integers separated by +" if name in _LISTS else "an integer"
            raise ValueError(f"{part!r} in the edition {text!r}; expected {expected}") from None
    if missing := [name for name in ("treasures", "traps") if name not in values]:
        raise ValueError(f"the edition {text!r} has no {missing[0]}")
    return Edition(**values)
