"""Who sits at the table: the agent interface, the scripted baselines and trained networks run by NumPy."""

from diamant_env.opponents.agent import Agent
from diamant_env.opponents.registry import FAMILIES, make
from diamant_env.opponents.table import EMPTY, Table
from diamant_env.opponents.thresholds import BagAgent, RandomAgent

__all__ = ["EMPTY", "FAMILIES", "Agent", "BagAgent", "RandomAgent", "Table", "make"]
