"""Games at the terminal for `diamant play` and `diamant watch`."""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from diamant_env.commands.terminal import Parser, add_edition, add_hidden_chests, new_file, new_parser, say
from diamant_env.drawing.narration import distinct
from diamant_env.drawing.text import TextView
from diamant_env.editions import MAX_PLAYERS
from diamant_env.engine.arguments import MAX_SEED, checked_int
from diamant_env.records import GameSession
from diamant_env.state import GameState


class Stopped(Exception):
    """The person at the terminal has stopped the game."""


def session_parser(command: str, description: str) -> Parser:
    """Return a parser with the options of every `TerminalGame`."""
    parser = new_parser(command, description)
    add_edition(parser)
    add = parser.add_argument
    chance = "seed of the cards and the agents' decisions; random by default"
    add("--seed", type=int, default=secrets.randbelow(1_000_000), help=chance)
    add_hidden_chests(parser)
    add("--record", type=new_file, metavar="FILE", help="write the game to this new file when it ends or is stopped")
    return parser


class TerminalGame:
    """A game between agents and at most one person.

    Args:
        seats: Players by seat: texts that `diamant_env.opponents.make` takes, or None for the person in seat 0.
        options: Options of a `session_parser`.

    Raises:
        ValueError: If an argument is out of range, or an agent does not support the table.
    """

    def __init__(self, seats: Sequence[str | None], options: argparse.Namespace) -> None:
        checked_int("--seed", options.seed, 0, MAX_SEED)
        if not 1 <= len(seats) <= MAX_PLAYERS:
            raise ValueError(f"{len(seats)} players; 1 to {MAX_PLAYERS} fit at a table")
        person = 0 if seats[0] is None else None
        names = ["a person" if text is None else text.strip() for text in seats]
        self.session = GameSession(options.edition, seats, options.seed, names, options.hidden_chests)
        self.session.leave  # noqa: B018 - raises if an agent does not support the table
        self.edition, self.scene = self.session.edition, self.session.scene
        names = ["you" if seat == person else name for seat, name in enumerate(distinct(names))]
        self.words = TextView(self.edition, names, person, _has_colours(), shutil.get_terminal_size().columns)
        self.record_to: Path | None = options.record

    @property
    def now(self) -> GameState:
        """Current state of the game."""
        return self.session.now

    def run(self) -> int:
        """Play to the end and return the exit status: 0, or 130 after Ctrl-C.

        Raises:
            OSError: If the record can't be written, after the result is printed.
        """
        try:
            self._play()
        except (Stopped, KeyboardInterrupt) as stop:
            say("", f"Stopped in expedition {self.now.expedition} of {self.edition.expeditions}.")
            if self.record_to:
                self.session.log.record().write(self.record_to)
                say(f"The game so far is recorded in {self.record_to}.")
            return 130 if isinstance(stop, KeyboardInterrupt) else 0
        if self.record_to:
            say(f"The game is recorded in {self.record_to}.")
        return 0

    def decide(self, decisions: NDArray[np.int8]) -> None:
        """Show the game and write the person's decision.

        Args:
            decisions: int8 (seats,), with the agents' decisions.

        Raises:
            Stopped: If the person stops the game.
        """
        raise NotImplementedError

    def _play(self) -> None:
        say(*self.words.turn(self.now, self.scene))
        while not self.session.over:
            decisions = self.session.decisions()
            self.decide(decisions)
            self.session.play(decisions)
            say(*self.words.turn(self.now, self.scene))
        try:
            if self.record_to is not None:
                self.session.log.record().write(self.record_to)
        finally:
            say(*self.words.summary(self.now, self.scene))


def ask(prompt: str) -> str:
    """Return the person's input in lower case.

    Raises:
        Stopped: At the end of the input.
    """
    try:
        answer = input(prompt)
    except EOFError:
        say("")
        raise Stopped from None
    if not sys.stdin.isatty():
        say(answer)
    return answer.strip().lower()


def _has_colours() -> bool:
    """Return whether the terminal supports colours and NO_COLOR is not set."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
