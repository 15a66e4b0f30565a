"""Scripted decks: cards in a given order, for tests, replays and games at a physical table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import Edition
from diamant_env.engine.turns import ANY_RELIC


def script_of(deck: Sequence[int | str], edition: Edition) -> NDArray[np.int8]:
    """Return the codes of scripted cards, int8 (cards,).

    Args:
        deck: Treasures by value, traps by name, relics as ``"relic"`` (the lowest in the deck) or ``"relic 8"``.
        edition: The edition of the cards.

    Raises:
        ValueError: If the edition has no such card; the message has the position.
    """
    if isinstance(deck, str) or not isinstance(deck, Sequence):
        raise ValueError(f"a deck is a list of cards such as [5, 'relic'], not {deck!r}")
    codes = []
    for position, name in enumerate(deck):
        try:
            fits = edition.cards_named(name)
        except ValueError as error:
            raise ValueError(f"card {position} of the deck: {error}") from None
        codes.append(fits[0] if len(fits) == 1 else ANY_RELIC)
    return np.array(codes, np.int8)


def check_script(script: Any, position: Any, games: int) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Return copies of scripts, int8 (games, cards), and positions, int64 (games,); raise ValueError if invalid."""
    cards, next_card = np.array(script), np.array(position)
    if cards.ndim != 2 or len(cards) != games or not np.isin(cards, np.arange(ANY_RELIC + 1)).all():
        raise ValueError(f"the scripted deck must be an array of card codes of shape ({games}, cards)")
    if next_card.shape != (games,) or not np.isin(next_card, np.arange(cards.shape[1] + 1)).all():
        raise ValueError(f"position of the deck: {position!r}; 0 to {cards.shape[1]} is allowed in each game")
    return cards.astype(np.int8), next_card.astype(np.int64)


def missing_card(script: NDArray[np.int8], position: int, edition: Edition, expedition: int, turn: int) -> ValueError:
    """Return the error for a scripted card that is not in the deck."""
    code = int(script[position])
    name = "relic" if code == ANY_RELIC else edition.card_name(code)
    return ValueError(
        f"card {position} of the deck, {int(name) if name.isdigit() else name!r}, is not in the deck in expedition "
        f"{expedition}, turn {turn}"
    )
