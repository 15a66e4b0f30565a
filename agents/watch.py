"""Watch a game between agents as it goes: ``python -m agents.watch ev bag:18 traps runs/mine --speed 2``."""

from __future__ import annotations

import argparse
import secrets
import select
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.command import run_command
from agents.strip import draw, load_pictures
from agents.tally import Tally
from agents.terminal import Parser, check_new_file, check_seed, distinct, has_colours, say
from agents.watch_words import WatchWords
from diamant_env.batch import Batch
from diamant_env.drawing.render import Scene
from diamant_env.editions import EDITIONS, MAX_PLAYERS
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.opponents import Table
from diamant_env.opponents.registry import make
from diamant_env.records.log import GameLog

COMMAND = "python -m agents.watch"
DEFAULT_AGENTS = ("ev", "bag:18", "traps", "oppose")
_PROMPT = "[Enter = go on, q = quit] > "
_FRAMES = 20  # a second, while a picture stands in the window


class Stopped(Exception):
    """The person who watches has stopped."""


class Show:
    """A game between agents, told turn by turn.

    Args:
        agents: Texts that `diamant_env.opponents.make` takes, one per seat.
        edition: A published name.
        seed: Of the cards and of the draw of the decisions.
        hidden_chests: See `diamant_env.parallel_env`. Who watches sees all chests, but for those in the window.
        colours: Whether the terminal has them.
        window: Whether to show the table in a window as well.

    Raises:
        ValueError: If an argument is out of range, or an agent refuses the table.
        ImportError: If the window needs pygame-ce and it isn't installed.
    """

    def __init__(
        self,
        agents: Sequence[str],
        edition: str,
        seed: int,
        hidden_chests: bool | None = None,
        colours: bool = False,
        window: bool = False,
    ) -> None:
        seeds = np.random.SeedSequence(seed).generate_state(len(agents)).tolist()
        made = [make(text, own) for text, own in zip(agents, seeds, strict=True)]
        self.batch = Batch(1, len(agents), edition, hidden_chests=hidden_chests)
        self.edition = self.batch.editions[0]
        self.table = Table(self.batch, made, [range(len(agents))])
        self.words = WatchWords(self.edition, distinct(agents), colours)
        self.log = GameLog(self.edition, len(agents), seed, agents)
        self.tally = Tally(self.edition.expeditions, len(agents))
        self.scene = Scene()
        self._window = load_pictures().Window("Diamant") if window else None
        self._observations = self.batch.reset(seed)
        self._follow()

    @property
    def now(self) -> np.record:
        """The game's record."""
        return self.batch.games[0]

    def _follow(self) -> None:
        self.log.follow(self.now)
        self.scene.follow(self.now)

    def play(self, pause: float, step: bool, record: Path | None = None) -> None:
        """Play to the end.

        Args:
            pause: Seconds between two turns.
            step: Wait for Enter instead.
            record: File for the game when it is over.

        Raises:
            Stopped: If the person stops.
            OSError: If the file can't be written; the result is told all the same.
        """
        actions = np.zeros((1, len(self.words.names)), np.int8)
        before = None
        while not self.batch.over[0]:
            chances = self.table.leave_probabilities(self._observations)
            leave = [float(chances[0, seat]) if inside else None for seat, inside in enumerate(self._inside())]
            say(*self.words.turn(self.now, before, over=False))
            say(*self.words.view(self.now, numbers_of(self.batch.editions[0]), self.scene, leave))
            self._wait(pause, step, leave)
            before = self.now.copy()
            self.batch.draw_decisions(chances, actions)
            self.batch.step(actions, self._observations)
            self._follow()
            self.tally.follow(self.now, before)
        found = self.log.record()
        try:
            if record is not None:
                found.write(record)
        finally:
            say(*self.words.turn(self.now, before, over=True))
            say("", self.words.heading("The game is over"))
            say(*self.words.summary(found, self.tally))
        if self._window is not None:
            self._wait(pause, step, [None] * len(self.words.names))

    def _inside(self) -> list[bool]:
        return self.batch.must_decide[0].tolist()

    def _wait(self, pause: float, step: bool, leave: Sequence[float | None]) -> None:
        """Give the person time to look; meanwhile the window answers the system."""
        end = time.monotonic() + pause
        picture = None
        if self._window is not None:
            picture = draw(self.now, self.edition, self.scene, self.words.names, leave)
            self._window.show(picture)
        if step:
            print(_PROMPT, end="", flush=True)
            while picture is not None and not _has_typed():
                self._window.show(picture, _FRAMES)
            if _typed().strip().lower() in ("q", "quit", "exit"):
                raise Stopped
            return
        while picture is not None and time.monotonic() < end:
            self._window.show(picture, _FRAMES)
        time.sleep(max(0.0, end - time.monotonic()))

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()


def _has_typed() -> bool:
    """Whether a line waits to be read; True where that can't be known, so that reading waits for it."""
    try:
        return bool(select.select([sys.stdin], [], [], 0)[0])
    except (OSError, ValueError):
        return True


def _typed() -> str:
    try:
        line = sys.stdin.readline()
    except UnicodeDecodeError:
        line = "?!"
    if not sys.stdin.isatty():
        say("")
    if not line:
        raise Stopped
    return line


def seated(agents: Sequence[str], players: int | None) -> list[str]:
    """Return the agent of each seat: those named, again and again if the table is larger.

    Raises:
        ValueError: If the table is too small for them or no table.
    """
    number = len(agents) if players is None else players
    if not 1 <= number <= MAX_PLAYERS:
        raise ValueError(f"{number} players; 1 to {MAX_PLAYERS} fit at a table")
    if len(agents) > number:
        raise ValueError(f"{len(agents)} agents for {number} players; name at most one per seat")
    return [agents[seat % len(agents)] for seat in range(number)]


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=COMMAND,
        description="Watch a game between any agents: their decisions, the odds and how likely each was to leave.",
        epilog="Agents: texts such as bag:18 or catch-up, files of trained policies (.safetensors) or folders of runs.",
    )
    add: Any = parser.add_argument
    add("agents", nargs="*", metavar="AGENT", help=f"who plays, by seat; by default {' '.join(DEFAULT_AGENTS)}")
    add("--num-players", type=int, metavar="N", help="1 to 8; the agents named take the seats again and again")
    add("--edition", default="iello-2016", metavar="NAME", help=f"one of {', '.join(EDITIONS)}")
    add("--seed", type=int, help="of the cards and the agents' dice; another one each time by default")
    chests = "play with hidden or open chests; by default as the edition says"
    add("--hidden-chests", action=argparse.BooleanOptionalAction, default=None, help=chests)
    speed = "turns a second; 0 does not pause at all. By default 1 at a terminal, else 0"
    add("--speed", type=float, metavar="TURNS", help=speed)
    add("--step", action="store_true", help="wait for Enter before each turn instead")
    add("--window", action="store_true", help="show the table in a window too (needs pygame-ce)")
    add("--record", type=Path, metavar="FILE", help="write the game to this new file when it is over")
    return parser


def _pause(speed: float | None) -> float:
    """Return the seconds between two turns.

    Raises:
        ValueError: If the speed is no number of at least 0.
    """
    if speed is None:
        return 1.0 if sys.stdout.isatty() else 0.0
    if not 0 <= speed < float("inf"):
        raise ValueError(f"--speed {speed}; turns a second, at least 0, are needed")
    return 1 / speed if speed else 0.0


def run(argv: Sequence[str] | None = None) -> int:
    """Show a game and return the exit status: 0, or 130 after Ctrl-C.

    Raises:
        ValueError: If an argument is wrong; the message says what is allowed.
        ImportError: If the window needs pygame-ce and it isn't installed.
    """
    arguments = _parser().parse_args(argv)
    check_new_file("--record", arguments.record)
    pause = min(_pause(arguments.speed), 3600.0)
    agents = seated(arguments.agents or DEFAULT_AGENTS, arguments.num_players)
    seed = secrets.randbelow(1_000_000) if arguments.seed is None else arguments.seed
    check_seed(seed)
    show = Show(agents, arguments.edition, seed, arguments.hidden_chests, has_colours(), arguments.window)
    say(f"{show.edition.name}, {len(agents)} players; --seed {seed} brings the same game again.")
    try:
        show.play(pause, arguments.step, arguments.record)
    except (Stopped, KeyboardInterrupt) as stop:
        say("", f"Stopped in expedition {show.now.expedition} of {show.edition.expeditions}.")
        return 130 if isinstance(stop, KeyboardInterrupt) else 0
    finally:
        show.close()
    if arguments.record:
        say(f"The game is recorded in {arguments.record}.")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status: an error in what was given is one line and status 2."""
    return run_command(COMMAND, lambda: run(argv))


if __name__ == "__main__":
    sys.exit(main())
