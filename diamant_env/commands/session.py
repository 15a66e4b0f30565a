"""A game at the terminal, told turn by turn: what `diamant play` and `diamant watch` share."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from diamant_env.batch import Batch
from diamant_env.commands.terminal import Parser, add_edition, new_file, new_parser, say, seed
from diamant_env.commands.words import BUST, Words
from diamant_env.drawing.scene import Scene
from diamant_env.editions import MAX_PLAYERS, NO_CARD
from diamant_env.opponents import EMPTY, Table
from diamant_env.opponents.registry import make
from diamant_env.records import GameLog
from diamant_env.state import CONTINUE, Game

PERSON = "a person"  # instead of an agent's text, in seat 0 only


class Stopped(Exception):
    """The person at the terminal has stopped the game."""


def session_parser(command: str, description: str) -> Parser:
    """Return a parser with the options of every `Session`."""
    parser = new_parser(command, description)
    add_edition(parser)
    add = parser.add_argument
    chance = "of the cards and the agents' decisions; another one each time by default"
    add("--seed", type=seed, default=secrets.randbelow(1_000_000), help=chance)
    chests = "play with hidden or open chests; by default as the edition says"
    add("--hidden-chests", action=argparse.BooleanOptionalAction, default=None, help=chests)
    add("--record", type=new_file, metavar="FILE", help="write the game to this new file when it is over")
    return parser


class Session:
    """A game between agents and at most one person.

    Args:
        seats: Who plays, by seat: texts that `diamant_env.opponents.make` takes, or `PERSON` in seat 0.
        options: What a `session_parser` has read.

    Raises:
        ValueError: If an argument is out of range, or an agent refuses the table.
    """

    def __init__(self, seats: Sequence[str], options: argparse.Namespace) -> None:
        if not 1 <= len(seats) <= MAX_PLAYERS:
            raise ValueError(f"{len(seats)} players; 1 to {MAX_PLAYERS} fit at a table")
        person = 0 if seats[0] == PERSON else None
        seeds = np.random.SeedSequence(options.seed).generate_state(len(seats)).tolist()
        made = [make(text, seed) for text, seed in zip(seats, seeds, strict=True) if text != PERSON]
        self.batch = Batch(1, len(seats), options.edition, hidden_chests=options.hidden_chests)
        self.edition = self.batch.editions[0]
        seating = [*range(len(made))] if person is None else [EMPTY, *range(len(made))]
        self.table = Table(self.batch, made, [seating])
        self.words = Words(self.edition, _distinct(seats), person, _has_colours())
        self.log = GameLog(self.edition, len(seats), options.seed, seats)
        self.scene = Scene()
        self.record_to: Path | None = options.record
        self.actions = np.zeros((1, len(seats)), np.int8)
        self._brought = np.zeros((self.edition.expeditions, len(seats)), int)
        self._observations = self.batch.reset(options.seed)
        self._leave: list[float | None] = []
        self._follow()

    @property
    def now(self) -> Game:
        """The game's record."""
        return self.batch.games[0]

    def run(self) -> int:
        """Play to the end and return the exit status: 0, or 130 after Ctrl-C.

        Raises:
            OSError: If the record can't be written; the result is told all the same.
        """
        try:
            self._play()
        except (Stopped, KeyboardInterrupt) as stop:
            say("", f"Stopped in expedition {self.now.expedition} of {self.edition.expeditions}.")
            if self.record_to:
                say("Nothing was recorded: the game was not over.")
            return 130 if isinstance(stop, KeyboardInterrupt) else 0
        if self.record_to:
            say(f"The game is recorded in {self.record_to}.")
        return 0

    def decide(self, leave: Sequence[float | None]) -> None:
        """Show the table; a person's decision goes into `actions`, where those of the agents stand already.

        Args:
            leave: Probability of LEAVE by seat, None for who need not decide.

        Raises:
            Stopped: If the person stops the game.
        """
        raise NotImplementedError

    def _play(self) -> None:
        say(*self.words.turn(self.now, self.scene))
        while not self.batch.over[0]:
            self.decide(self._leave)
            self.batch.step(self.actions, self._observations)
            self._follow()
            say(*self.words.turn(self.now, self.scene))
        try:
            if self.record_to is not None:
                self.log.record().write(self.record_to)
        finally:
            say(*self.words.summary(self.now, self._brought))

    def _follow(self) -> None:
        """Take note of a turn, and let the agents decide the next one."""
        game, seats = self.now, self.actions.shape[1]
        self.log.follow(game)
        self.scene.follow(game)
        if self.scene.before is not None:
            row = self._brought[self.scene.before.expedition - 1]
            row += game.banked[:seats]
            if game.bust_card != NO_CARD:
                row[game.decision[:seats] == CONTINUE] = BUST
        if not self.batch.over[0]:
            chances = self.table.leave_probabilities(self._observations)
            self.batch.draw_decisions(chances, self.actions)
            inside = self.batch.must_decide[0]
            self._leave = [float(each) if decides else None for each, decides in zip(chances[0], inside, strict=True)]


def ask(prompt: str) -> str:
    """Return what the person types, in small letters.

    Raises:
        Stopped: At the end of the input.
    """
    try:
        answer = input(prompt)
    except UnicodeDecodeError:
        answer = "?!"
    except EOFError:
        say("")
        raise Stopped from None
    if not sys.stdin.isatty():
        say(answer)
    return answer.strip().lower()


def _distinct(seats: Sequence[str]) -> list[str]:
    """Return names: the agents' texts, numbered where several are the same, and ``"you"``."""
    names = [
        f"{text} #{seats[:seat].count(text) + 1}" if seats.count(text) > 1 else text for seat, text in enumerate(seats)
    ]
    return ["you" if text == PERSON else name for text, name in zip(seats, names, strict=True)]


def _has_colours() -> bool:
    """Whether the terminal shows colours and the user has not asked for none."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
