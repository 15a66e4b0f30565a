"""Diamant in JAX: the environment, its state, and its names in JaxMARL's API."""

from diamant_env.jax.env import Diamant, Turn
from diamant_env.jax.rules import State

__all__ = ["Diamant", "State", "Turn"]
