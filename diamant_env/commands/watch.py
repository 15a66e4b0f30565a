"""Command ``diamant watch ev bag:18 traps runs/mine --speed 2``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from diamant_env.commands.session import TerminalGame, session_parser
from diamant_env.commands.terminal import say

COMMAND = "diamant watch"
DEFAULT_AGENTS = ("ev", "bag:18", "traps", "oppose")


class Show(TerminalGame):
    """A game between agents with their probabilities of LEAVE."""

    def __init__(self, seats: Sequence[str], options: argparse.Namespace) -> None:
        super().__init__(seats, options)
        self._pause = 1 / options.speed if options.speed else 0.0  # seconds

    def decide(self, decisions: NDArray[np.int8]) -> None:
        """See `TerminalGame.decide`."""
        say(*self.words.state(self.now, self.scene, self.session.leave))
        time.sleep(self._pause)


def run(argv: Sequence[str]) -> int:
    """Run the subcommand and return the exit status."""
    about = "Watch a game between agents: decisions, probabilities of leaving, and the odds."
    parser = session_parser(COMMAND, about)
    add = parser.add_argument
    add("agents", nargs="*", metavar="AGENT", help=f"agents by seat; by default {' '.join(DEFAULT_AGENTS)}")
    speed = "turns per second, 0 without pauses; by default 1 at a terminal, else 0"
    add("--speed", type=float, default=float(sys.stdout.isatty()), metavar="TURNS", help=speed)
    options = parser.parse_args(argv)
    if options.speed and not 0.001 <= options.speed < float("inf"):
        raise ValueError(f"--speed {options.speed}; 0 or at least 0.001 turns per second are needed")
    seats = options.agents or DEFAULT_AGENTS
    show = Show(seats, options)
    say(f"{show.edition.name}, {len(seats)} players", f"--seed {options.seed} brings the same game again")
    return show.run()
