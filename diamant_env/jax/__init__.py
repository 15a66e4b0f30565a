"""Diamant in JAX: environment, state, and an adapter to JaxMARL."""

try:
    from diamant_env.jax.env import Diamant, TimeStep
except ModuleNotFoundError as error:
    text = f'diamant_env.jax needs {error.name}: pip install "diamant-env[jax]"'
    raise ModuleNotFoundError(text, name=error.name) from error
from diamant_env.jax.rules import State

__all__ = ["Diamant", "State", "TimeStep"]
