"""Diamant (Incan Gold) as a fast and exact multi-agent reinforcement-learning environment."""

from diamant_env import commands  # noqa: F401 - first, so that Ctrl-C during a command's imports prints no traceback
from diamant_env.batch import Batch
from diamant_env.editions import EDITIONS, Edition
from diamant_env.engine.records import from_observation
from diamant_env.game import Game
from diamant_env.observation import (
    FIELDS,
    HISTORY,
    NUM_FEATURES,
    NUM_HISTORY,
    OBSERVATION,
    Observations,
    columns,
    observation_space,
)
from diamant_env.rewards import REWARDS
from diamant_env.state import CONTINUE, GAME, LEAVE, PHASES
from diamant_env.tasks import list_tasks, register_tasks

__version__ = "0.1.0"

__all__ = [
    "CONTINUE",
    "EDITIONS",
    "FIELDS",
    "GAME",
    "HISTORY",
    "LEAVE",
    "NUM_FEATURES",
    "NUM_HISTORY",
    "OBSERVATION",
    "PHASES",
    "REWARDS",
    "Batch",
    "Edition",
    "Game",
    "Observations",
    "columns",
    "from_observation",
    "list_tasks",
    "observation_space",
]

register_tasks()
