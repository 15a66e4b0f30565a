"""Who else sits at the table: trained policies and the pools; the scripted agents come from `diamant_env.opponents`."""

from agents import command

command.guard_imports()  # before what takes long to import

from agents import pools  # noqa: E402
from agents.registry import make  # noqa: E402

__all__ = ["make", "pools"]
