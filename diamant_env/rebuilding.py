"""Games rebuilt from what a seat sees: where a search or a solver starts."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.editions import Edition, find_edition
from diamant_env.loops import rebuild_games
from diamant_env.observation import NUM_FEATURES, Observations
from diamant_env.rules import GAME


def from_observation(
    observations: NDArray[np.float32], keys: ArrayLike, edition: str | Edition = "iello-2016"
) -> np.recarray:
    """Rebuild the games that produced observations with open chests; each observer becomes seat 0.

    Args:
        observations: float32 (rows, NUM_FEATURES).
        keys: uint64 (rows,), the random keys of the games to come: the true ones can't be seen.
        edition: The edition they play.

    Returns:
        Records of type `GAME` (rows,), which a `Batch` of that edition can go on with: ``batch.games[:] = records``.

    Raises:
        ValueError: If the shapes don't fit, a key is no uint64, the chests are hidden or a row is of a seat that
            nobody has.
    """
    observations = np.ascontiguousarray(observations, np.float32)
    if observations.ndim != 2 or observations.shape[1] != NUM_FEATURES:
        raise ValueError(f"observations of shape {observations.shape}; expected (rows, {NUM_FEATURES})")
    rows = Observations(observations)
    if rows["hidden_chests"].any():
        raise ValueError("a game can't be rebuilt from observations that hide the rivals' chests")
    if not rows["num_players"].all():
        raise ValueError(f"row {rows['num_players'].argmin()} is of a seat that its table does not have: all 0")
    own = _as_keys(keys)
    if own.shape != observations.shape[:1]:
        raise ValueError(f"keys of shape {own.shape}; expected {observations.shape[:1]}")
    find_edition(edition)
    games = np.zeros(len(observations), GAME)
    rebuild_games(observations, own, games)
    return games.view(np.recarray)


def _as_keys(keys: ArrayLike) -> NDArray[np.uint64]:
    try:
        if not np.less(keys, 0).any():
            return np.asarray(keys, np.uint64)
    except (OverflowError, TypeError, ValueError):
        pass
    raise ValueError(f"keys={keys!r}; whole numbers from 0 to {2**64 - 1} are allowed")
