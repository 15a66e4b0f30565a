"""Games rebuilt from what a seat sees: where a search or a solver starts."""

from __future__ import annotations

import operator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.editions import Edition, find_edition
from diamant_env.engine.edition_numbers import edition_table
from diamant_env.engine.game_check import check_games
from diamant_env.engine.loops import observe_games, rebuild_games
from diamant_env.engine.workspace import new_workspace
from diamant_env.observation import FIELDS, NUM_FEATURES, SLICES, Observations, observation_space
from diamant_env.state import GAME

_LOW, _HIGH = observation_space().low, observation_space().high
_SCALE = np.ones(NUM_FEATURES)
for _field in FIELDS:
    _SCALE[SLICES[_field.name]] = _field.scale


def from_observation(
    observations: NDArray[np.float32], keys: ArrayLike, edition: str | Edition = "iello-2016"
) -> np.recarray:
    """Rebuild the games that produced observations with open chests; each observer becomes seat 0.

    Args:
        observations: float32 (rows, NUM_FEATURES).
        keys: uint64 (rows,), the random keys of the games to come: the true ones can't be seen.
        edition: The edition they play.

    Returns:
        Records of type `GAME` (rows,), which a `Batch` of that edition can go on with: ``batch.restore(records)``.

    Raises:
        ValueError: If the shapes don't fit, a key is no uint64, the chests are hidden, a row is of a seat that nobody
            has, or no game of the edition looks like it; the message names the row and the field.
    """
    rows = np.ascontiguousarray(observations, np.float32)
    if rows.ndim != 2 or rows.shape[1] != NUM_FEATURES:
        raise ValueError(f"observations of shape {rows.shape}; expected (rows, {NUM_FEATURES})")
    seen = Observations(rows)
    if seen["hidden_chests"].any():
        raise ValueError("a game can't be rebuilt from observations that hide the rivals' chests")
    if not seen["num_players"].all():
        raise ValueError(f"row {seen['num_players'].argmin()} is of a seat that its table does not have: all 0")
    own = _as_keys(keys)
    if own.shape != rows.shape[:1]:
        raise ValueError(f"keys of shape {own.shape}; expected {rows.shape[:1]}")
    played = find_edition(edition)
    _refuse(rows, ~((rows >= _LOW) & (rows <= _HIGH)), "is out of range")
    games = np.zeros(len(rows), GAME)
    rebuild_games(rows, own, games)
    editions = edition_table([played]).view(np.ndarray)
    try:
        check_games(games, editions, np.zeros(len(games), np.int64), games["num_players"])
    except ValueError as error:
        raise ValueError(f"no game of {played.name!r} looks like this: {error}") from None
    again = np.zeros((len(rows), 1, NUM_FEATURES), np.float32)
    observe_games(games, editions, again, new_workspace())
    _refuse(rows, again[:, 0] != rows, f"does not fit the others in {played.name!r}")
    return games.view(np.recarray)


def _refuse(rows: NDArray[np.float32], wrong: NDArray[np.bool_], why: str) -> None:
    """Raise a ValueError that names the first row and field that is wrong, if there is one."""
    if wrong.any():
        row, place = (int(number) for number in np.argwhere(wrong)[0])
        name = next(name for name, where in SLICES.items() if place in range(NUM_FEATURES)[where])
        raise ValueError(f"row {row}: {name} = {rows[row, place] * _SCALE[place]:g} {why}")


def _as_keys(keys: ArrayLike) -> NDArray[np.uint64]:
    try:
        if not isinstance(keys, np.ndarray):
            return np.array([operator.index(key) for key in keys], np.uint64)  # type: ignore[union-attr, arg-type]
        if keys.dtype.kind in "iu" and not (keys < 0).any():
            return keys.astype(np.uint64)
    except (OverflowError, TypeError, ValueError):
        pass
    raise ValueError(f"keys={keys!r}; whole numbers from 0 to {2**64 - 1} are allowed")
