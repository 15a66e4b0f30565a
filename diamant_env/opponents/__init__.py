"""Who sits at the table: the agent interface, the scripted baselines and trained networks run by NumPy."""

from diamant_env.opponents.agent import Agent
from diamant_env.opponents.scripted import BagAgent, RandomAgent
from diamant_env.opponents.table import EMPTY, Table

__all__ = ["EMPTY", "Agent", "BagAgent", "RandomAgent", "Table"]
