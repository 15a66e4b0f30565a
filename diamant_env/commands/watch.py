"""Watch a game between agents: ``diamant watch ev bag:18 traps runs/mine --speed 2``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from diamant_env.commands.session import Session, session_parser
from diamant_env.commands.terminal import say

COMMAND = "diamant watch"
DEFAULT_AGENTS = ("ev", "bag:18", "traps", "oppose")


class Show(Session):
    """A game between agents, with the probability of LEAVE that each gave."""

    def __init__(self, seats: Sequence[str], options: argparse.Namespace) -> None:
        super().__init__(seats, options)
        self._pause = min(1 / options.speed, 3600.0) if options.speed else 0.0  # seconds

    def decide(self, decisions: NDArray[np.int8]) -> None:
        """See `Session.decide`."""
        say(*self.words.table(self.now, self.scene, self.sitting.leave))
        time.sleep(self._pause)


def run(argv: Sequence[str]) -> int:
    """Run the subcommand and return the exit status."""
    about = "Watch a game between any agents: their decisions, the odds and how likely each was to leave."
    parser = session_parser(COMMAND, about)
    add = parser.add_argument
    add("agents", nargs="*", metavar="AGENT", help=f"who plays, by seat; by default {' '.join(DEFAULT_AGENTS)}")
    speed = "turns a second; 0 does not pause at all. By default 1 at a terminal, else 0"
    add("--speed", type=float, default=float(sys.stdout.isatty()), metavar="TURNS", help=speed)
    options = parser.parse_args(argv)
    if not 0 <= options.speed < float("inf"):
        raise ValueError(f"--speed {options.speed}; turns a second, at least 0, are needed")
    seats = options.agents or DEFAULT_AGENTS
    show = Show(seats, options)
    say(f"{show.edition.name}, {len(seats)} players; --seed {options.seed} brings the same game again.")
    return show.run()
