"""Play at the terminal: ``python -m agents.play --opponents ev bag:18 --edition iello-2016``."""

from __future__ import annotations

import argparse
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.command import run_command
from agents.play_words import PERSON, Words, is_bust, over_or_next, wrapped
from agents.tally import Tally
from agents.terminal import Parser, check_new_file, check_seed, distinct, has_colours, say
from diamant_env.batch import Batch
from diamant_env.drawing.render import Scene
from diamant_env.editions import EDITIONS, MAX_PLAYERS, RULEBOOK_PLAYERS
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.opponents import EMPTY, Table
from diamant_env.opponents.registry import make
from diamant_env.records.log import GameLog
from diamant_env.rules import CONTINUE, LEAVE

COMMAND = "python -m agents.play"
DEFAULT_OPPONENTS = ("ev", "bag:18", "traps")
_ANSWERS = {"": "continue", "c": "continue", "l": "leave", "o": "odds", "t": "table", "h": "help", "?": "help"}
_ANSWERS |= {"q": "quit", "exit": "quit", **{word: word for word in set(_ANSWERS.values())}, "quit": "quit"}
_PROMPT = "Continue or leave? [Enter/c, l, o = odds, h = help, q = quit] > "


class Left(Exception):
    """The person has stopped playing."""


class Game:
    """A game between a person in seat 0 and agents, at the terminal.

    Args:
        opponents: Texts that `diamant_env.opponents.make` takes, for the seats after the person's.
        edition: A published name.
        seed: Of the cards and of the draw of the agents' decisions.
        hidden_chests: See `diamant_env.parallel_env`.
        colours: Whether the terminal has them.

    Raises:
        ValueError: If an argument is out of range, or an agent refuses the table.
    """

    def __init__(
        self, opponents: Sequence[str], edition: str, seed: int, hidden_chests: bool | None, colours: bool
    ) -> None:
        seats = 1 + len(opponents)
        if seats > MAX_PLAYERS:
            raise ValueError(f"{len(opponents)} opponents; at most {MAX_PLAYERS - 1} fit at the table")
        seeds = np.random.SeedSequence(seed).generate_state(seats).tolist()
        agents = [make(text, seeds[seat]) for seat, text in enumerate(opponents, start=1)]
        self.batch = Batch(1, seats, edition, hidden_chests=hidden_chests)
        self.edition, self.seed = self.batch.editions[0], seed
        self.seats = Table(self.batch, agents, [[EMPTY, *range(len(agents))]])
        self.words = Words(self.edition, ["you", *distinct(opponents)], colours)
        self.log = GameLog(self.edition, seats, seed, ["a person", *opponents])
        self.scene = Scene()
        self.tally = Tally(self.edition.expeditions, seats)
        self._actions = np.zeros((1, seats), np.int8)
        self._observations = self.batch.reset(seed)
        self._follow()
        self._others_decide()

    @property
    def now(self) -> np.record:
        """The game's record."""
        return self.batch.games[0]

    def play(self, record: Path | None = None) -> None:
        """Play to the end.

        Args:
            record: File for the game when it is over.

        Raises:
            Left: If the person stops.
            OSError: If the file can't be written; the result is told all the same.
        """
        self._welcome()
        self._announce(None)
        while not self.batch.over[0]:
            if self.now.inside[PERSON]:
                self._actions[0, PERSON] = self._ask()
            before = self.now.copy()
            self.batch.step(self._actions, self._observations)
            self._follow()
            self._announce(before)
            if not self.batch.over[0]:
                self._others_decide()
        found = self.log.record()
        try:
            if record is not None:
                found.write(record)
        finally:
            say("", self.words.heading("The game is over"))
            say(*self.words.summary(found, self.tally))

    def _others_decide(self) -> None:
        """The agents decide before the person does: nobody knows what the others chose."""
        self.seats.decide(self._observations, self._actions)

    def _follow(self) -> None:
        self.log.follow(self.now)
        self.scene.follow(self.now)

    def _welcome(self) -> None:
        words, edition = self.words, self.edition
        with_whom = f"with {_listed(words.names[1:])}" if len(words.names) > 1 else "alone"
        chests = "hidden: you see only your own" if edition.hidden_chests else "open"
        say(wrapped(f"You play {edition.name} {with_whom}. {edition.expeditions} expeditions; chests are {chests}."))
        if len(words.names) < RULEBOOK_PLAYERS[0]:
            say(f"(By the rulebooks it takes at least {RULEBOOK_PLAYERS[0]} players.)")
        say(f"The seed is {self.seed}: --seed {self.seed} brings the same cards again.", "", *words.help())

    def _announce(self, before: np.record | None) -> None:
        """Say what the turn brought: the decisions, a bust or an empty cave, and the next card."""
        game, words = self.now, self.words
        ended = before is None or over_or_next(game, before)
        if before is not None:
            say(words.decisions(game, before))
            self.tally.follow(game, before)
            if is_bust(game):
                say(words.bust(game, before))
            elif ended:
                say("Everyone is back in camp.")
            elif before.inside[PERSON] and not game.inside[PERSON]:
                say("(You wait in the camp until the others are back.)")
        if self.batch.over[0]:
            return
        if ended:
            say("", words.heading(f"Expedition {game.expedition} of {self.edition.expeditions}"))
        say(words.card_turned_up(game, None if ended else before))
        if game.inside[PERSON]:
            say("", *words.table(game, self.scene.path), "")

    def _ask(self) -> int:
        """Return the person's decision, answering questions first."""
        while True:
            given = ask(_PROMPT).strip().lower()
            answer = _ANSWERS.get(given)
            if answer == "continue":
                return CONTINUE
            if answer == "leave":
                return LEAVE
            self._answer(answer, given)

    def _answer(self, answer: str | None, given: str) -> None:
        if answer == "odds":
            say("", *self.words.odds(self.now, numbers_of(self.edition)), "")
        elif answer == "table":
            say("", *self.words.table(self.now, self.scene.path), "")
        elif answer == "help":
            say("", *self.words.help(), "")
        elif answer != "quit":
            shown = given if len(given) <= 20 else f"{given[:20]}..."
            say(f"{shown!r} is no answer: Enter or c continues, l leaves, o tells the odds, h helps, q stops.")
        elif ask("Stop playing? The game is lost then. [y/N] > ").strip().lower() in ("y", "yes"):
            raise Left

    def stopped(self) -> str:
        """Say where the game stands when the person stops."""
        game = self.now
        return (
            f"You stopped in expedition {game.expedition} of {self.edition.expeditions}, "
            f"with {game.chest[PERSON]} gems in your chest. Bye!"
        )


def ask(prompt: str) -> str:
    """Return what the person types.

    Raises:
        Left: At the end of the input.
    """
    try:
        answer = input(prompt)
    except UnicodeDecodeError:
        answer = "?!"
    except EOFError:
        say("")
        raise Left from None
    if not sys.stdin.isatty():
        say(answer)
    return answer


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=COMMAND,
        description="Play Diamant at the terminal with any agents.",
        epilog="Agents: texts such as bag:18 or catch-up, files of trained policies (.safetensors) or folders of runs.",
    )
    add: Any = parser.add_argument
    add("--opponents", nargs="*", default=list(DEFAULT_OPPONENTS), metavar="AGENT", help="who else plays: 0 to 7")
    add("--edition", default="iello-2016", metavar="NAME", help=f"one of {', '.join(EDITIONS)}")
    add("--seed", type=int, help="of the cards and the agents' dice; another one each time by default")
    chests = "play with hidden or open chests; by default as the edition says"
    add("--hidden-chests", action=argparse.BooleanOptionalAction, default=None, help=chests)
    add("--record", type=Path, metavar="FILE", help="write the game to this new file when it is over")
    return parser


def run(argv: Sequence[str] | None = None) -> int:
    """Play a game and return the exit status: 0, or 130 after Ctrl-C.

    Raises:
        ValueError: If an argument is wrong; the message says what is allowed.
    """
    arguments = _parser().parse_args(argv)
    check_new_file("--record", arguments.record)
    seed = secrets.randbelow(1_000_000) if arguments.seed is None else arguments.seed
    check_seed(seed)
    game = Game(arguments.opponents, arguments.edition, seed, arguments.hidden_chests, has_colours())
    try:
        game.play(arguments.record)
    except (Left, KeyboardInterrupt) as stop:
        say("", game.stopped(), *(["Nothing was recorded: the game was not over."] if arguments.record else []))
        return 130 if isinstance(stop, KeyboardInterrupt) else 0
    if arguments.record:
        say(f"The game is recorded in {arguments.record}.")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status: an error in what was given is one line and status 2."""
    return run_command(COMMAND, lambda: run(argv))


if __name__ == "__main__":
    sys.exit(main())
