"""Structured dtypes of a game's state and an edition's numbers.

`GameState` and `EditionParams` document and type the fields; the dtypes `GAME` and `EDITION` are derived from them. A
record is a game's complete state, random key included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Self, get_type_hints

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import MAX_PLAYERS, MAX_RELICS, MAX_TRAPS, MAX_TREASURES, NUM_CARDS

CONTINUE = 0
"""The decision to stay inside; the only legal action in camp, where it has no effect."""
LEAVE = 1
"""The decision to return to camp."""
NO_DECISION = -1

# Phases.
REVEAL = 0  # chance node: the next card
DECIDE = 1  # joint decision of all players inside
OVER = 2  # terminal
PHASES = ("reveal", "decide", "over")
"""The names of the phases by their codes."""

Key = Annotated[int | np.uint64, "u8"]
Int8 = Annotated[int, "i1"]
Int16 = Annotated[int, "i2"]
SeatsInt8 = Annotated[NDArray[np.int8], "i1", MAX_PLAYERS]
SeatsInt16 = Annotated[NDArray[np.int16], "i2", MAX_PLAYERS]


class Record:
    """Type stub of NumPy's record methods; at run time a record is an `np.record`."""

    if TYPE_CHECKING:

        def __getitem__(self, field: str) -> Any: ...

        def __setitem__(self, field: str, value: Any) -> None: ...

        def copy(self) -> Self: ...  # noqa: D102

        def tobytes(self) -> bytes: ...  # noqa: D102


class GameState(Record):
    """The state of a game. Arrays over seats have length `MAX_PLAYERS`, of which the first `num_players` are used.

    Cards are sampled without replacement from the counts in `deck`; equivalent to a shuffled deck.
    """

    key: Key  # random key
    edition: Int8  # row in the table of editions
    num_players: Int8
    phase: Int8  # REVEAL, DECIDE or OVER
    expedition: Int8  # 1 for the first
    turn: Int8  # cards revealed in this expedition
    num_inside: Int8
    deck_size: Int8
    relics_taken: Int8  # by all players; lost ones too in editions that count them
    path_relics: Int8
    path_relic_value: Int16  # gems that a lone leaver gets for them
    path_gems: Int16
    bag: Int16  # of each player inside, all equal
    chest: SeatsInt16  # gems and the value of relics
    relics: SeatsInt8
    inside: SeatsInt8
    left_turn: SeatsInt8  # turn at which a player left this expedition, 0 while inside
    deck: Annotated[NDArray[np.int8], "i1", NUM_CARDS]  # copies of each card
    on_path: Annotated[NDArray[np.int8], "i1", MAX_TRAPS]  # 1 for each kind of trap on the path
    # Last-turn events: the rules read `decision` alone, rewards `banked`, rendering and records all.
    decision: SeatsInt8
    banked: SeatsInt16  # gems and relic value banked by the last decision
    last_card: Int8
    bust_card: Int8  # the trap that ended an expedition since the last decision


class EditionParams(Record):
    """Edition parameters for compiled code."""

    cards: Annotated[NDArray[np.int8], "i1", NUM_CARDS]  # copies in the initial deck
    treasure_value: Annotated[NDArray[np.int16], "i2", MAX_TREASURES]
    share: Annotated[NDArray[np.int16], "i2", (MAX_PLAYERS + 1, MAX_TREASURES)]  # `rules.equal_share`, for the engine
    relic_value: Annotated[NDArray[np.int16], "i2", MAX_RELICS]
    num_relics: Int8
    one_relic_per_expedition: Int8
    relics_printed: Int8
    lost_relics_count: Int8
    num_expeditions: Int8
    bust_removes: Int8
    relics_break_ties: Int8
    hidden_chests: Int8
    hidden_rivals: Int8


def _record_dtype(description: type) -> np.dtype:
    """Return the structured dtype of a class's fields, with attribute access."""
    hints: dict[str, Any] = get_type_hints(description, include_extras=True)
    fields = [(name, *hint.__metadata__) for name, hint in hints.items()]
    return np.dtype((np.record, np.dtype(fields, align=True)))


GAME = _record_dtype(GameState)
"""The dtype of a game's record."""
EDITION = _record_dtype(EditionParams)
"""The dtype of an edition's record."""
