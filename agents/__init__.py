"""For people who meet the agents: play, watch, film; the shipped policies' model cards."""

from agents import command

command.guard_imports()  # before what takes long to import
