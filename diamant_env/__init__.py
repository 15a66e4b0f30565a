"""Diamant (Incan Gold) as a fast and exact multi-agent reinforcement-learning environment."""

from importlib import import_module
from typing import Any

from diamant_env.batch import Batch
from diamant_env.editions import EDITIONS, Edition, find_edition
from diamant_env.engine.records import from_observation
from diamant_env.game import Game
from diamant_env.observation import FIELDS, NUM_FEATURES, Observations, columns, observation_space
from diamant_env.rewards import REWARDS
from diamant_env.state import CONTINUE, GAME, LEAVE, PHASES
from diamant_env.tasks import list_tasks, register_tasks

__version__ = "0.1.0"

__all__ = [
    "CONTINUE",
    "EDITIONS",
    "FIELDS",
    "GAME",
    "LEAVE",
    "NUM_FEATURES",
    "PHASES",
    "REWARDS",
    "Batch",
    "Edition",
    "Game",
    "Observations",
    "columns",
    "find_edition",
    "from_observation",
    "list_tasks",
    "observation_space",
]

_SUBMODULES = ("benchmark", "diamant_v0", "exact", "gym_env", "gym_vector", "evaluation", "opponents", "records", "sb3")


def __getattr__(name: str) -> Any:
    """Import a submodule on first access: imports are slow, and sb3 needs stable-baselines3."""
    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_SUBMODULES})


register_tasks()
