"""Command `diamant` and its subcommands."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

from diamant_env.commands.terminal import new_parser, run_command
from diamant_env.storage.files import nearest

SUBCOMMANDS = {
    "page": "play in a browser, with hints and a review",
    "watch": "watch a game between agents",
    "evaluate": "evaluate an agent: win share and mean score, with intervals",
    "exact": "solve one expedition exactly; compute an agent's exploitability",
    "list": "list the names of agents and editions",
}
"""Descriptions of the subcommands; the module of the same name has ``run(argv)``."""


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    subcommand = [name for name in arguments[:1] if name in SUBCOMMANDS]
    return run_command(" ".join(["diamant", *subcommand]), lambda: _run(arguments))


def _run(arguments: Sequence[str]) -> object:
    width = max(map(len, SUBCOMMANDS)) + 2
    listed = "\n".join(f"  {name:<{width}}{description}" for name, description in SUBCOMMANDS.items())
    epilog = f"subcommands:\n{listed}\n\ndiamant SUBCOMMAND --help lists the options."
    parser = new_parser("diamant", "The board game Diamant (Incan Gold), for people and agents.", epilog)
    parser.usage = "diamant SUBCOMMAND …"
    version = importlib.import_module("diamant_env").__version__
    parser.add_argument("--version", action="version", version=f"diamant-env {version}")
    if not arguments or arguments[0].startswith("-"):
        parser.parse_args(arguments or ["--help"])
    name, *rest = arguments
    if name not in SUBCOMMANDS:
        allowed = f"subcommands: {', '.join(SUBCOMMANDS)}"
        raise ValueError(f"unknown subcommand {name!r}; {nearest(name, SUBCOMMANDS, allowed)}")
    sys.path.append(os.getcwd())  # for modules with custom agents
    return importlib.import_module(f"diamant_env.commands.{name}").run(rest)
