"""A game as the page holds it: a JSON value, checked and played again. A server that starts anew goes on from it."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np

from diamant_env.editions import EDITIONS, MAX_PLAYERS, find_edition
from diamant_env.records.sitting import Sitting, make_all
from diamant_env.state import CONTINUE, LEAVE

YOU = "you"
MOST_GAMES = 64  # that are kept, so that they need not be played again at each turn
MAX_SEED = 2**53 - 1  # the largest whole number that JavaScript keeps exactly
AGENTS = {
    "champion": ("The champion", "a network, trained by playing against itself"),
    "search:64:champion": ("The thinking champion", "plays each choice 64 times in its head before it decides"),
    "ev:0.75": ("The calculator", "leaves when one more card brings no more than it may cost, on average"),
    "catch-up": ("The chaser", "dares more when it is behind"),
    "bag:18": ("The patient", "leaves once it carries 18 gems"),
    "bag:8": ("The timid", "leaves once it carries 8 gems"),
    "traps": ("The trap counter", "leaves once three kinds of trap lie on the path"),
    "solo-grab": ("The grabber", "leaves as soon as much lies on the path, hoping to be alone"),
    "follow": ("The follower", "leaves once two others have left"),
    "oppose": ("The contrarian", "leaves early while all stay, and stays longer the more have left"),
    "random": ("The dice", "leaves one time in five, whatever lies there"),
}
"""Who may sit at the table: texts that `diamant_env.opponents.make` takes, each with a label and a description."""
NAMES = {text: label.removeprefix("The ").capitalize() for text, (label, _) in AGENTS.items()}
_FIELDS = ("edition", "hidden_chests", "agents", "seed", "decisions")
_SIGNS = {"0": CONTINUE, "1": LEAVE, "-": CONTINUE}


class PlayedGame:
    """A game value that has been checked, and the game that it stands for.

    Attributes:
        value: As the page holds it.
        sitting: The game, played to its last decision.
        you: The seat of the person, or None where agents play among themselves.
        reviewed: The answer to the question for a review, once it was asked.
    """

    def __init__(self, value: dict[str, Any], sitting: Sitting, you: int | None) -> None:
        self.value, self.sitting, self.you = value, sitting, you
        self.reviewed: dict[str, Any] | None = None

    @property
    def must_decide(self) -> bool:
        """Whether the person must decide now."""
        return self.you is not None and bool(self.sitting.now.inside[self.you])

    def deciding(self) -> int:
        """Return the seat of the person, who must decide now; ValueError if nobody asks them."""
        if self.you is None or not self.must_decide:
            raise ValueError("you need not decide now, so there is nothing to advise")
        return self.you

    def require_end(self) -> None:
        """Raise a ValueError while the game goes on."""
        if not self.sitting.over:
            raise ValueError("the game is not over yet")

    def ask(self) -> list[float | None]:
        """Return the agents' probabilities of LEAVE by seat, None for who need not decide.

        They depend on the game value alone, so that they are the same after the server has started anew.

        Raises:
            ValueError: If an agent refuses this table.
        """
        turn = len(self.value["decisions"])
        for seat, agent in enumerate(self.sitting.table.agents):
            if not self.sitting.asked and hasattr(agent, "seed"):
                agent.seed(int(np.random.SeedSequence([self.value["seed"], turn, seat]).generate_state(1)[0]))
        return self.sitting.leave

    def play(self, decision: int | None) -> None:
        """Play a turn: the person decides, or nobody asks them.

        Raises:
            ValueError: If the game is over, or a decision is missing or not asked for; then nothing was played.
        """
        if self.sitting.over:
            raise ValueError("the game is over: there is no turn to play")
        if self.must_decide != (decision is not None):
            asked = "you must decide: 0 continues, 1 leaves" if self.must_decide else "you need not decide: null"
            raise ValueError(f"decision={json.dumps(decision)}, but {asked}")
        self.ask()
        decisions = self.sitting.decisions()
        if decision is not None:
            decisions[self.you] = decision
        inside = self.sitting.now.inside
        signs = "".join(str(each) if inside[seat] else "-" for seat, each in enumerate(decisions))
        self.sitting.play(decisions)
        self.value = self.value | {"decisions": [*self.value["decisions"], signs]}


def new_value(edition: Any, hidden_chests: Any, agents: Any, seed: Any) -> dict[str, Any]:
    """Return the value of a game that begins.

    Raises:
        ValueError: If an argument is not allowed; the message says what is.
    """
    if not isinstance(edition, str) or edition not in EDITIONS:
        raise ValueError(f"unknown edition {_shown(edition)}; editions: {', '.join(EDITIONS)}")
    if hidden_chests is not None and not isinstance(hidden_chests, bool):
        raise ValueError(f"hidden_chests={_shown(hidden_chests)}; true, false or null is allowed")
    if not isinstance(agents, list) or not 1 <= len(agents) <= MAX_PLAYERS:
        raise ValueError(f"agents={_shown(agents)}; a list of 1 to {MAX_PLAYERS} is allowed")
    unknown = [agent for agent in agents if not isinstance(agent, str) or agent not in (YOU, *AGENTS)]
    if unknown:
        raise ValueError(f"unknown agent {_shown(unknown[0])}; agents: {', '.join((YOU, *AGENTS))}")
    if agents.count(YOU) > 1:
        raise ValueError(f"{agents.count(YOU)} times {YOU!r} among the agents; at most one is allowed")
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed={_shown(seed)}; a whole number from 0 to {MAX_SEED} is allowed")
    hidden = find_edition(edition, hidden_chests).hidden_chests
    return {"edition": edition, "hidden_chests": hidden, "agents": agents, "seed": seed, "decisions": []}


def replayed(given: Any) -> PlayedGame:
    """Check a game value and play it again; its decisions are taken as given, no agent is asked.

    Raises:
        ValueError: If it is no game; the message says what is allowed.
    """
    if not isinstance(given, dict) or sorted(given) != sorted(_FIELDS):
        raise ValueError(f"game={_shown(given)}; an object with {', '.join(_FIELDS)} is needed")
    value = new_value(*(given[field] for field in _FIELDS[:4]))
    turns = given["decisions"]
    if not isinstance(turns, list):
        raise ValueError(f"decisions={_shown(turns)}; a list is needed")
    seats, seed = value["agents"], value["seed"]
    agents = make_all([None if text == YOU else text for text in seats], seed)
    sitting = Sitting(value["edition"], agents, seed, seats, value["hidden_chests"])
    you = seats.index(YOU) if YOU in seats else None
    for number, signs in enumerate(turns):
        sitting.play(_decisions(signs, sitting, f"decisions[{number}]={_shown(signs)}"))
    return PlayedGame(value | {"decisions": turns}, sitting, you)


def _decisions(signs: Any, sitting: Sitting, shown: str) -> list[int]:
    """Return the decisions of a turn by seat; ValueError if the game can't go on like that."""
    if sitting.over:
        raise ValueError(f"{shown}, but the game is over by then")
    seats = sitting.batch.seats
    inside = sitting.now.inside[:seats].tolist()
    if not isinstance(signs, str) or len(signs) != seats or set(signs) - set(_SIGNS):
        raise ValueError(f"{shown}; a text with 0, 1 or - for each of {seats} seats is needed")
    wrong = [seat for seat in range(seats) if (signs[seat] != "-") != bool(inside[seat])]
    if wrong:
        what = "must decide: 0 or 1" if inside[wrong[0]] else "is in camp: -"
        raise ValueError(f"{shown}, but seat {wrong[0]} {what}")
    return [_SIGNS[sign] for sign in signs]


class Games:
    """The games that were played last, with what their agents remember.

    Who borrows a game has it alone: a second request with the same value plays it again for itself.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, PlayedGame] = OrderedDict()
        self._lock = Lock()

    @contextmanager
    def borrow(self, given: Any) -> Iterator[PlayedGame]:
        """Hand out the game that a value stands for, see `replayed`, and keep it as it is afterwards."""
        with self._lock:
            played = self._kept.pop(_key(given), None)
        if played is None:
            played = replayed(given)
        try:
            yield played
        finally:
            with self._lock:
                self._kept[_key(played.value)] = played
                while len(self._kept) > MOST_GAMES:
                    self._kept.popitem(last=False)


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
