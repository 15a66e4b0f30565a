"""Agents: the interface, scripted families, networks run by NumPy, search and exact solutions."""

from diamant_env.agent import Agent
from diamant_env.opponents.registry import FAMILIES, SOLVED, make
from diamant_env.opponents.table import EMPTY, Table

__all__ = ["EMPTY", "FAMILIES", "SOLVED", "Agent", "Table", "make"]
