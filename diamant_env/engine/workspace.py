"""The arrays that compiled code works in: the parts of a table's rows, and what one loop leaves for the next."""

from __future__ import annotations

import numpy as np

from diamant_env.editions import MAX_PLAYERS
from diamant_env.native.aligned import aligned
from diamant_env.observation import NUM_OWN, NUM_PUBLIC, OWN, PUBLIC, RIVALS, SEAT_FEATURES, TABLE_FEATURES

BLOCK = 256
"""So many games are played, loop by loop, before their observations are written."""
_WORKSPACE = np.dtype(
    [
        ("public", "f4", NUM_PUBLIC),
        ("ring", "f4", 2 * TABLE_FEATURES),  # what rivals see of each seat, twice around the table
        ("own", "f4", MAX_PLAYERS * NUM_OWN),
        ("lead", "i2", MAX_PLAYERS),
        ("ones", "i1", MAX_PLAYERS),
        # Scale of each feature, as a reciprocal.
        ("public_factors", "f4", NUM_PUBLIC),
        ("open_factors", "f4", TABLE_FEATURES),
        ("hidden_factors", "f4", TABLE_FEATURES),
        ("own_factors", "f4", MAX_PLAYERS * NUM_OWN),
        ("present", "f4", (MAX_PLAYERS + 1, TABLE_FEATURES)),  # 1 for features of seats that n players have, else 0
        # Of each game of a block: whether it was not over, and which card comes next.
        ("played", "i1", BLOCK),
        ("card", "i1", BLOCK),
    ],
    align=True,
)
WORKSPACE = np.dtype((np.record, _WORKSPACE))


def new_workspace(blank_rivals: bool = False) -> np.ndarray:
    """Return an array (1,) of type `WORKSPACE`, for one thread.

    Args:
        blank_rivals: Whether rows written with it hold 0 for all about the rivals.
    """
    workspace = aligned(1, WORKSPACE)
    room = workspace[0]
    room.ones[:] = 1
    room.public_factors[:] = np.repeat([1 / field.scale for field in PUBLIC], [field.size for field in PUBLIC])
    room.open_factors[:] = np.tile([1 / field.scale for field in RIVALS], MAX_PLAYERS)
    shown = [field.name != "rival_chest" for field in RIVALS]
    room.hidden_factors[:] = room.open_factors * np.tile(shown, MAX_PLAYERS)
    room.own_factors[:] = np.tile([1 / field.scale for field in OWN[-NUM_OWN:]], MAX_PLAYERS)
    seats = np.minimum(np.arange(MAX_PLAYERS + 1), 1 if blank_rivals else MAX_PLAYERS)
    room.present[:] = np.arange(TABLE_FEATURES) // SEAT_FEATURES < seats[:, None]
    return workspace
