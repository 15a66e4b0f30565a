"""Watch a game between agents as it goes: ``diamant watch ev bag:18 traps runs/mine --speed 2``."""

from __future__ import annotations

import argparse
import select
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env.commands.session import Session, Stopped, ask, session_parser
from diamant_env.commands.terminal import say

COMMAND = "diamant watch"
DEFAULT_AGENTS = ("ev", "bag:18", "traps", "oppose")
_PROMPT = "[Enter = go on, q = quit] > "
_FRAMES = 20  # a second, while a picture stands in the window


class Show(Session):
    """A game between agents, with the probability of LEAVE that each gave.

    Args:
        seats: Who plays, by seat.
        options: What the command's parser has read.

    Raises:
        ValueError: If an argument is out of range, or an agent refuses the table.
        ImportError: If the window needs pygame-ce and it isn't installed.
        OSError: If there is no display for the window.
    """

    def __init__(self, seats: Sequence[str], options: argparse.Namespace) -> None:
        super().__init__(seats, options)
        self._pause = min(1 / options.speed, 3600.0) if options.speed else 0.0  # seconds
        self._step = options.step
        self._window: Any = None
        if options.window:
            from diamant_env.drawing.window import Window

            self._window = Window("Diamant")

    def decide(self, decisions: NDArray[np.int8]) -> None:
        """See `Session.decide`."""
        say(*self.words.table(self.now, self.scene, self.sitting.leave))
        self._wait(self.sitting.leave)

    def run(self) -> int:
        """See `Session.run`; the window shows the end of the game too."""
        try:
            status = super().run()
            if self._window is not None and self.sitting.over:
                self._wait(self.sitting.leave)
            return status
        except Stopped:
            return 0
        finally:
            if self._window is not None:
                self._window.close()

    def _wait(self, leave: Sequence[float | None]) -> None:
        """Give the person time to look; meanwhile the window answers the system."""
        end = time.monotonic() + self._pause
        if self._step:
            print(_PROMPT, end="", flush=True)
        if self._window is not None:
            from diamant_env.drawing.picture import draw_table

            picture = draw_table(self.now, self.edition, self.scene, self.words.names, leave)
            self._window.show(picture)
            while not _has_typed() if self._step else time.monotonic() < end:
                self._window.show(picture, _FRAMES)
        if not self._step:
            time.sleep(max(0.0, end - time.monotonic()))
        elif ask("") in ("q", "quit", "exit"):
            raise Stopped


def _has_typed() -> bool:
    """Whether a line waits to be read; True where that can't be known, so that reading waits for it."""
    try:
        return bool(select.select([sys.stdin], [], [], 0)[0])
    except (OSError, ValueError):
        return True


def run(argv: Sequence[str]) -> int:
    """Run the subcommand and return the exit status."""
    about = "Watch a game between any agents: their decisions, the odds and how likely each was to leave."
    parser = session_parser(COMMAND, about)
    add = parser.add_argument
    add("agents", nargs="*", metavar="AGENT", help=f"who plays, by seat; by default {' '.join(DEFAULT_AGENTS)}")
    speed = "turns a second; 0 does not pause at all. By default 1 at a terminal, else 0"
    add("--speed", type=float, default=float(sys.stdout.isatty()), metavar="TURNS", help=speed)
    add("--step", action="store_true", help="wait for Enter before each turn instead")
    add("--window", action="store_true", help="show the table in a window too (needs pygame-ce)")
    options = parser.parse_args(argv)
    if not 0 <= options.speed < float("inf"):
        raise ValueError(f"--speed {options.speed}; turns a second, at least 0, are needed")
    seats = options.agents or DEFAULT_AGENTS
    show = Show(seats, options)
    say(f"{show.edition.name}, {len(seats)} players; --seed {options.seed} brings the same game again.")
    return show.run()
