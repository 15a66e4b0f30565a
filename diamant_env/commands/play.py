"""Command ``diamant play --opponents ev bag:18 --edition iello-2016``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from diamant_env.advice.hint import hint
from diamant_env.advice.odds import Odds
from diamant_env.advice.review import review
from diamant_env.commands.session import Stopped, TerminalGame, ask, session_parser
from diamant_env.commands.terminal import say
from diamant_env.drawing.narration import joined, wrap_text
from diamant_env.editions import RULEBOOK_PLAYERS, Edition
from diamant_env.page.edition_text import in_words
from diamant_env.state import CONTINUE, LEAVE

COMMAND = "diamant play"
DEFAULT_OPPONENTS = ("ev", "bag:18", "traps")
_WORDS = {
    "": "continue",
    "c": "continue",
    "l": "leave",
    "o": "odds",
    "a": "hint",
    "t": "table",
    "h": "help",
    "?": "help",
    "q": "quit",
}
_PROMPT = "Continue or leave? [Enter/c, l, o = odds, a = advice, h = help, q = quit] > "
_HELP = """\
  Each expedition, everyone enters the cave and cards are turned up one by one.
  A treasure is shared equally by all inside; what can't be shared stays on the
  path. After each card all inside decide at the same time. A leaver is safe:
  the bag goes into the chest, and the leavers share the gems on the path.{relics}
  The first trap of a kind is a warning; the second sends everyone inside home
  with an empty bag. After the last expedition the fullest chest wins.

  Enter or c   continue: go one card deeper into the cave
  l            leave: bring your bag, and your share of the path, to camp
  o            the odds: of a bust, of the next card, and what leaving brings
  a            advice: what the champion would do; how often each choice wins
  t            the table once more
  h            this help
  q            stop playing; so do Ctrl-D and Ctrl-C, at once"""
_RELICS = "\n  Relics on the path go to a player who leaves alone."


class PersonGame(TerminalGame):
    """A game between a person in seat 0 and agents."""

    def decide(self, decisions: NDArray[np.int8]) -> None:
        """See `TerminalGame.decide`; the agents' probabilities are hidden."""
        if not self.now.inside[0]:
            return
        say("", *self.words.state(self.now, self.scene), "")
        while True:
            typed = ask(_PROMPT)
            answer = _WORDS.get(typed, typed)
            if answer in ("continue", "leave"):
                decisions[0] = LEAVE if answer == "leave" else CONTINUE
                return
            if answer in ("quit", "exit"):
                if ask("Stop playing? The game can't be resumed. [y/N] > ") in ("y", "yes"):
                    raise Stopped
            elif answer == "odds":
                say("", *Odds(self.now, self.edition, 0).lines(), "")
            elif answer == "hint":
                say("", *hint(self.now, self.edition, 0).lines(), "")
            elif answer == "table":
                say("", *self.words.state(self.now, self.scene), "")
            elif answer == "help":
                say("", help_on(self.edition), "")
            else:
                shown = typed if len(typed) <= 20 else f"{typed[:20]}..."
                keys = "Enter or c continues, l leaves, o tells the odds, a advises, h helps, q stops"
                say(wrap_text(f"{shown!r} is no answer: {keys}."))


def help_on(edition: Edition) -> str:
    """Return the summary of the game, the keys and the rules of the edition."""
    rules = "\n".join(wrap_text(rule, "  ", "  ") for rule in in_words(edition)["rules"])
    return f"{_HELP.format(relics=_RELICS if edition.relics else '')}\n\n{rules}"


def run(argv: Sequence[str]) -> int:
    """Run the subcommand and return the exit status."""
    parser = session_parser(COMMAND, "Play Diamant at the terminal with any agents.")
    others = "the other players: 0 to 7"
    parser.add_argument("--opponents", nargs="*", default=list(DEFAULT_OPPONENTS), metavar="AGENT", help=others)
    parser.add_argument("--no-review", action="store_true", help="no review after the game")
    options = parser.parse_args(argv)
    game = PersonGame([None, *options.opponents], options)
    edition, names = game.edition, game.words.names
    chests = "hidden: you see only your own" if edition.hidden_chests else "open"
    say(wrap_text(f"You play {edition.name} {f'with {joined(names[1:])}' if names[1:] else 'alone'}."))
    say(f"{edition.expeditions} expeditions; chests are {chests}.")
    if len(names) < RULEBOOK_PLAYERS[0]:
        say(f"(By the rulebooks it takes at least {RULEBOOK_PLAYERS[0]} players.)")
    say(f"The seed is {options.seed}: --seed {options.seed} brings the same cards again.", "", help_on(edition))
    status = game.run()
    if game.session.over and not options.no_review:
        say("", *review(game.session.games, edition, 0).lines())
    return status
