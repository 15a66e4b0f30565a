"""What the command `diamant` does; other programs use `diamant_env` itself."""

from diamant_env.commands import command

command.guard_imports()  # before what takes long to import
