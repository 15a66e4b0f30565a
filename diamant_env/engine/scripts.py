"""Scripted decks: cards in a given order, for tests, replays and games at a physical table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import FIRST_RELIC, NO_CARD, Edition
from diamant_env.engine.turns import ANY_RELIC


def script_of(deck: Sequence[int | str], edition: Edition) -> NDArray[np.int8]:
    """Return the codes of scripted cards, int8 (cards,).

    Args:
        deck: Treasures by value, traps by name, relics as ``"relic"`` (the edition's first in the deck) or
            ``"relic 8"``.
        edition: The edition of the cards.

    Raises:
        ValueError: If the edition has no such card; the message has the position.
    """
    if isinstance(deck, str) or not isinstance(deck, Sequence):
        raise ValueError(f"a deck is a list of cards such as [5, 'relic'], not {deck!r}")
    codes, left = [], list(range(FIRST_RELIC, FIRST_RELIC + len(edition.relics)))
    for position, name in enumerate(deck):
        try:
            fits = edition.cards_named(name)
        except ValueError as error:
            raise ValueError(f"card {position} of the deck: {error}") from None
        card = next((card for card in fits if card in left), fits[0])  # relics of equal value leave the deck in order
        codes.append(ANY_RELIC if len(fits) > 1 and str(name).strip() == "relic" else card)
        left = [other for other in left if other != card]
    return np.array(codes, np.int8)


def check_script(script: Any, games: int) -> NDArray[np.int8]:
    """Return a copy of scripts as int8 (games, cards); raise ValueError if the shape or a card is invalid."""
    cards = np.array(script)
    if cards.ndim != 2 or len(cards) != games or not np.isin(cards, np.arange(NO_CARD, ANY_RELIC + 1)).all():
        raise ValueError(f"the scripted deck must be an array of card codes of shape ({games}, cards)")
    return cards.astype(np.int8)


def missing_card(script: NDArray[np.int8], editions: Sequence[Edition], game: NDArray) -> ValueError:
    """Return the error for the next card of a script, int8 (cards,), which is not in the deck of a `GAME` record."""
    position = int((script != NO_CARD).argmax())
    code = int(script[position])
    name = "relic" if code == ANY_RELIC else editions[int(game["edition"])].card_name(code)
    return ValueError(
        f"card {position} of the deck, {int(name) if name.isdigit() else name!r}, is not in the deck in expedition "
        f"{game['expedition']}, turn {game['turn'] + 1}"
    )
