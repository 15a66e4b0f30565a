"""JAX version of the policy network inputs "canonical-1" of `diamant_env.opponents.inputs`."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from diamant_env.editions import MAX_PLAYERS
from diamant_env.observation import FIELDS, RIVALS, SEAT_FEATURES, SLICES
from diamant_env.opponents.inputs import PUBLIC_COLUMNS

_SCALE = {field.name: field.scale for field in FIELDS}
_AT = {name: where.start for name, where in SLICES.items()}
_RIVAL = {field.name.removeprefix("rival_"): place for place, field in enumerate(RIVALS)}
_SHOWN = [_RIVAL[name] for name in ("inside", "chest", "relics", "left_turn")]
_FAR, _NEAR = 12.0, 3.0  # bounds in gems of clipped leads


def canonical(row: Array, num_players: int = MAX_PLAYERS) -> Array:
    """Return the inputs "canonical-1" of one observation, float32 (118,).

    Args:
        row: float32 (NUM_FEATURES,), the observation of a deciding seat.
        num_players: Size of the largest table; features of further rivals are ignored.
    """
    rivals = num_players - 1
    seats = row[SEAT_FEATURES : SEAT_FEATURES * num_players].reshape(rivals, SEAT_FEATURES)
    seats = _sorted(seats)
    rest = jnp.zeros(MAX_PLAYERS - 1 - rivals, jnp.float32)
    absent = jnp.zeros((MAX_PLAYERS - 1 - rivals) * len(_SHOWN), jnp.float32)
    own = row[jnp.array([_AT[name] for name in ("chest", "relics", "lead")])]
    inside = _gems(row, "num_inside")
    path = _gems(row, "path_gems")
    share = path // jnp.maximum(inside, 1)
    shares = jnp.stack([path // 2, share]) / _SCALE["path_gems"]
    differences, leads, ranks = _compare_chests(row, seats, share)
    last = (row[_AT["expeditions_left"]] == 0).astype(jnp.float32)
    far = jnp.clip(leads, -_FAR, _FAR) / 8
    near = jnp.clip(leads[:4], -_NEAR, _NEAR) / 2
    compared = [differences, rest, far, last * far, last * near, ranks]
    is_open = row[_AT["hidden_chests"]] == 0
    return jnp.concatenate(
        [own, seats[:, jnp.array(_SHOWN)].reshape(-1), absent, row[PUBLIC_COLUMNS]]
        + [jnp.where(is_open, part, 0) for part in compared]
        + [shares]
    )


def _gems(row: Array, name: str) -> Array:
    """Return a scalar field in its natural unit."""
    return row[_AT[name]] * _SCALE[name]


def _sorted(seats: Array) -> Array:
    """Return the rivals' features, (rivals, fields), sorted by presence, being inside, chest, left turn and relics."""
    present, inside = seats[:, _RIVAL["present"]], seats[:, _RIVAL["inside"]]
    keys = [
        2 * present + inside,
        *(seats[:, _RIVAL[name]] * _SCALE[f"rival_{name}"] for name in ("chest", "left_turn")),
    ]
    order = keys[0].astype(jnp.int32)
    for key, bits in zip([*keys[1:], seats[:, _RIVAL["relics"]] * _SCALE["rival_relics"]], (14, 7, 3), strict=True):
        order = (order << bits) + key.astype(jnp.int32)
    earlier = jnp.tri(len(seats), k=-1, dtype=bool)
    ahead = (order > order[:, None]) | ((order == order[:, None]) & earlier)
    place = ahead.sum(axis=1)
    # Rank by comparison: XLA's sort and gather are slow on short rows.
    return jnp.where((place == jnp.arange(len(seats))[:, None])[:, :, None], seats, 0).sum(axis=1)


def _compare_chests(row: Array, seats: Array, share: Array) -> tuple[Array, Array, Array]:
    """Return leads over rivals' chests, leads in gems for ten outcomes of leaving, and ranks (4,)."""
    own, bag = _gems(row, "chest"), _gems(row, "bag")
    alone = own + bag + _gems(row, "path_gems") + _gems(row, "path_relic_value")
    together = own + bag + share
    present, inside = seats[:, _RIVAL["present"]] > 0, seats[:, _RIVAL["inside"]] > 0
    chest = seats[:, _RIVAL["chest"]] * _SCALE["rival_chest"]
    differences = jnp.where(present, own - chest, 0) / _SCALE["rival_chest"]
    best_inside = jnp.where(inside, chest, -jnp.inf).max(initial=-jnp.inf)
    best_outside = jnp.where(present & ~inside, chest, -jnp.inf).max(initial=-jnp.inf)
    best = jnp.maximum(best_inside, best_outside)
    later = jnp.where(inside, chest + bag + share, chest)
    leads = [
        alone - best_outside, together - best_outside, own - best_inside, 2 * own - best_inside - alone,
        alone - best, together - best, alone - best_inside, together - best_inside, own - best_outside,
        together - (best_inside + bag),
    ]  # fmt: skip
    ranks = [chest > alone, chest == alone, later > together, later == together]
    return (
        differences,
        jnp.stack(leads),
        jnp.stack([0.25 * (rank & present).sum(dtype=jnp.float32) for rank in ranks]),
    )
