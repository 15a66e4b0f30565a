"""The state of a game and the printed numbers of an edition: two records, field by field.

`GameState` and `EditionNumbers` describe the records for people and for the type checker; the dtypes `GAME` and
`EDITION` follow from them. A record holds all of a game, its random key too: copy it, save it, go on from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Self, get_type_hints

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import MAX_PLAYERS, MAX_RELICS, MAX_TRAPS, MAX_TREASURES, NUM_CARDS

CONTINUE = 0
"""The decision to stay inside; in camp the only legal one, which does nothing."""
LEAVE = 1
"""The decision to return to camp."""
NO_DECISION = -1

# What the game waits for.
REVEAL = 0  # the next card
DECIDE = 1  # the decisions of all players inside
OVER = 2  # nothing: the game is over
PHASES = ("reveal", "decide", "over")
"""The names of the phases by their codes."""

Key = Annotated[int | np.uint64, "u8"]
Int8 = Annotated[int, "i1"]
Int16 = Annotated[int, "i2"]
SeatsInt8 = Annotated[NDArray[np.int8], "i1", MAX_PLAYERS]
SeatsInt16 = Annotated[NDArray[np.int16], "i2", MAX_PLAYERS]


class Record:
    """What a record of NumPy can do beside its fields; at run time it is an `np.record`."""

    if TYPE_CHECKING:

        def __getitem__(self, field: str) -> Any: ...

        def __setitem__(self, field: str, value: Any) -> None: ...

        def copy(self) -> Self: ...  # noqa: D102

        def tobytes(self) -> bytes: ...  # noqa: D102


class GameState(Record):
    """The state of a game. Arrays over seats have `MAX_PLAYERS` places, of which the first `num_players` are used.

    There is no shuffled deck: `deck` counts the copies of each card, and the next card is drawn with the chance that
    the counts give, which is the same game.
    """

    key: Key  # of this game's random numbers
    edition: Int8  # row in the table of editions
    num_players: Int8
    phase: Int8  # REVEAL, DECIDE or OVER
    expedition: Int8  # 1 for the first
    turn: Int8  # cards turned up in this expedition
    num_inside: Int8
    deck_size: Int8
    relics_taken: Int8  # by all players
    path_relics: Int8
    path_relic_value: Int16  # what one player leaving alone would get for them
    path_gems: Int16
    bag: Int16  # of everyone inside: all entered together and every share is equal
    chest: SeatsInt16  # gems and the value of relics
    relics: SeatsInt8
    inside: SeatsInt8
    left_turn: SeatsInt8  # when a player left this expedition, 0 while inside
    deck: Annotated[NDArray[np.int8], "i1", NUM_CARDS]  # copies of each card
    on_path: Annotated[NDArray[np.int8], "i1", MAX_TRAPS]  # kinds of trap that lie on the path
    # Last-turn events, for rendering and records; the rules read `decision` alone.
    decision: SeatsInt8
    banked: SeatsInt16  # gems and relic value put into the chest by the last decision
    last_card: Int8
    bust_card: Int8  # the trap that ended an expedition since the last decision


LAST_EVENTS = ("decision", "banked", "last_card", "bust_card")


class EditionNumbers(Record):
    """An edition as the compiled rules read it."""

    cards: Annotated[NDArray[np.int8], "i1", NUM_CARDS]  # copies in a fresh deck; relics: those there from the start
    treasure_value: Annotated[NDArray[np.int16], "i2", MAX_TREASURES]
    share: Annotated[NDArray[np.int16], "i2", (MAX_PLAYERS + 1, MAX_TREASURES)]  # `rules.equal_share`, for the engine
    relic_value: Annotated[NDArray[np.int16], "i2", MAX_RELICS]
    num_relics: Int8
    one_relic_per_expedition: Int8
    relics_printed: Int8
    num_expeditions: Int8
    bust_removes: Int8
    relics_break_ties: Int8
    hidden_chests: Int8


def _record_dtype(description: type) -> np.dtype:
    """Return the dtype of records with the fields of a class; a record's fields are attributes too."""
    hints: dict[str, Any] = get_type_hints(description, include_extras=True)
    fields = [(name, *hint.__metadata__) for name, hint in hints.items()]
    return np.dtype((np.record, np.dtype(fields, align=True)))


GAME = _record_dtype(GameState)
"""The dtype of a game's record."""
EDITION = _record_dtype(EditionNumbers)
"""The dtype of an edition's record."""
