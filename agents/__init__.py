"""Who else sits at the table: trained policies and the pools; the scripted agents come from `diamant_env.opponents`."""

from agents import pools
from agents.registry import make

__all__ = ["make", "pools"]
