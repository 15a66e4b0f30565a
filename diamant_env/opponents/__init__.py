"""Agents: the interface, scripted families, networks run by NumPy, search and exact solutions."""

from diamant_env.agent import Agent
from diamant_env.opponents.registry import FAMILIES, SOLVED, make_agent
from diamant_env.opponents.seated_agents import EMPTY, SeatedAgents

__all__ = ["EMPTY", "FAMILIES", "SOLVED", "Agent", "SeatedAgents", "make_agent"]
