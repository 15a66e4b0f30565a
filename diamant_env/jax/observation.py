"""JAX observations of all seats, in the layout of `diamant_env.observation.FIELDS`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import jax.numpy as jnp
import numpy as np
from jax import Array

from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, MAX_PLAYERS
from diamant_env.jax.rules import EnvParams, State, equal_share
from diamant_env.observation import OWN, PUBLIC, RIVALS, Field


def observe(state: State, edition: EnvParams) -> Array:
    """Return the observations of all seats, float32 (seats, NUM_FEATURES)."""
    seats = len(state.chest)
    public = public_features(state, edition)
    everyone = jnp.broadcast_to(public, (seats, *public.shape))
    return jnp.concatenate([own_features(state, edition), _rival_features(state, edition), everyone], axis=1)


def own_features(state: State, edition: EnvParams) -> Array:
    """Return the features of each seat about itself, float32 (seats, fields of `OWN`)."""
    values = {
        "must_decide": state.inside,
        "chest": state.chest,
        "relics": state.relics,
        "left_turn": state.left_turn,
        "lead": jnp.where(edition.hidden_chests, 0, lead(state.chest)),
    }
    return _scaled(OWN, {name: value[:, None] for name, value in values.items()})


def lead(chest: Array) -> Array:
    """Return each chest less the best rival's, int32 (seats,); 0 without rivals."""
    seats = len(chest)
    if seats == 1:
        return jnp.zeros_like(chest)
    rivals = jnp.where(np.eye(seats, dtype=bool), -1, chest)
    return chest - rivals.max(axis=1)


def _rival_features(state: State, edition: EnvParams) -> Array:
    """Return the features of each seat's rivals, float32 (seats, (MAX_PLAYERS - 1) * fields of `RIVALS`)."""
    seats = len(state.chest)
    values = {
        "rival_inside": state.inside,
        "rival_chest": jnp.where(edition.hidden_chests, 0, state.chest),
        "rival_relics": state.relics,
        "rival_left_turn": state.left_turn,
        "rival_present": jnp.ones_like(state.chest),
    }
    features = _scaled(RIVALS, {name: value[:, None] for name, value in values.items()})
    circular = jnp.concatenate([features, features]).reshape(-1)  # rivals in seat order after the observer
    width = len(RIVALS)
    around = [circular[(seat + 1) * width : (seat + seats) * width] for seat in range(seats)]
    absent = jnp.zeros((seats, (MAX_PLAYERS - seats) * width), jnp.float32)
    return jnp.where(edition.hidden_rivals, 0, jnp.concatenate([jnp.stack(around), absent], axis=1))


def public_features(state: State, edition: EnvParams) -> Array:
    """Return the public features, float32 (NUM_PUBLIC,)."""
    deck, inside = state.deck, state.num_inside
    treasures, traps, relics = deck[:FIRST_TRAP], deck[FIRST_TRAP:FIRST_RELIC], deck[FIRST_RELIC:]
    shares = equal_share(jnp.asarray(edition.treasure_value), inside)
    size = jnp.maximum(state.deck_size, 1).astype(jnp.float32)
    values = {
        "num_players": jnp.int32(len(state.chest)),
        "num_inside": inside,
        "expedition": state.expedition,
        "expeditions_left": edition.num_expeditions - state.expedition,
        "turn": state.turn,
        "bag": state.bag,
        "path_gems": state.path_gems,
        "path_relics": state.path_relics,
        "path_relic_value": state.path_relic_value,
        "relics_taken": state.relics_taken,
        "hidden_chests": jnp.asarray(edition.hidden_chests),
        "bust_chance": jnp.where(state.on_path, traps, 0).sum().astype(jnp.float32) / size,
        "expected_share": jnp.where(inside > 0, (treasures * shares).sum(), 0).astype(jnp.float32) / size,
        "treasures_left": treasures,
        "traps_left": traps,
        "relics_left": relics,
        "traps_on_path": state.on_path,
    }
    return _scaled(PUBLIC, {name: jnp.atleast_1d(value) for name, value in values.items()})


def _scaled(fields: Sequence[Field], values: Mapping[str, Array]) -> Array:
    """Return the values of fields, each divided by its scale, concatenated along the last axis."""
    parts = [values[field.name].astype(jnp.float32) * np.float32(1 / field.scale) for field in fields]
    return jnp.concatenate(parts, axis=-1)
