"""A game as the page holds it: a JSON value, checked and played again. A server that starts anew goes on from it."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import MAX_PLAYERS, find_edition
from diamant_env.page.menu import YOU, Menu
from diamant_env.records.session import GameSession
from diamant_env.state import CONTINUE, LEAVE

MOST_GAMES = 64  # that are kept, so that they need not be played again at each turn
MAX_SEED = 2**53 - 1  # the largest whole number that JavaScript keeps exactly
_FIELDS = ("edition", "hidden_chests", "agents", "seed", "decisions")
_SIGNS = {"0": CONTINUE, "1": LEAVE, "-": CONTINUE}


class PlayedGame:
    """A game value that has been checked, and the game that it stands for.

    Attributes:
        value: As the page holds it.
        sitting: The game, played to its last decision.
        names: Of the players, by seat.
        you: The seat of the person, or None where agents play among themselves.
        reviewed: The answer to the question for a review, once it was asked.
    """

    def __init__(self, value: dict[str, Any], sitting: GameSession, names: list[str]) -> None:
        self.value, self.sitting, self.names = value, sitting, names
        self.you = names.index(YOU) if YOU in names else None
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
        self.follow(signs, decisions)

    def follow(self, signs: str, decisions: Sequence[int] | NDArray[np.int8]) -> None:
        """Play a turn with these decisions by seat, which the signs say."""
        self.sitting.play(decisions)
        self.value = self.value | {"decisions": [*self.value["decisions"], signs]}


def new_value(menu: Menu, edition: Any, hidden_chests: Any, agents: Any, seed: Any) -> dict[str, Any]:
    """Return the value of a game that begins, between agents and by an edition of the menu.

    Raises:
        ValueError: If an argument is not allowed; the message says what is.
    """
    if not isinstance(edition, str) or edition not in menu.editions:
        raise ValueError(f"unknown edition {_shown(edition)}; editions: {', '.join(menu.editions)}")
    if hidden_chests is not None and not isinstance(hidden_chests, bool):
        raise ValueError(f"hidden_chests={_shown(hidden_chests)}; true, false or null is allowed")
    if not isinstance(agents, list) or not 1 <= len(agents) <= MAX_PLAYERS:
        raise ValueError(f"agents={_shown(agents)}; a list of 1 to {MAX_PLAYERS} is allowed")
    unknown = [agent for agent in agents if not isinstance(agent, str) or agent not in (YOU, *menu.agents)]
    if unknown:
        raise ValueError(f"unknown agent {_shown(unknown[0])}; agents: {', '.join((YOU, *menu.agents))}")
    if agents.count(YOU) > 1:
        raise ValueError(f"{agents.count(YOU)} times {YOU!r} among the agents; at most one is allowed")
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed={_shown(seed)}; a whole number from 0 to {MAX_SEED} is allowed")
    hidden = find_edition(menu.editions[edition], hidden_chests).hidden_chests
    return {"edition": edition, "hidden_chests": hidden, "agents": agents, "seed": seed, "decisions": []}


def replayed(menu: Menu, given: Any) -> PlayedGame:
    """Check a game value and play it again; its decisions are taken as given, only agents with a memory are asked.

    Raises:
        ValueError: If it is no game; the message says what is allowed.
    """
    if not isinstance(given, dict) or sorted(given) != sorted(_FIELDS):
        raise ValueError(f"game={_shown(given)}; an object with {', '.join(_FIELDS)} is needed")
    value = new_value(menu, *(given[field] for field in _FIELDS[:4]))
    turns = given["decisions"]
    if not isinstance(turns, list):
        raise ValueError(f"decisions={_shown(turns)}; a list is needed")
    seats = value["agents"]
    names = [YOU if text == YOU else menu.agents[text].name for text in seats]
    agents = [None if text == YOU else menu.make(text) for text in seats]
    sitting = GameSession(menu.editions[value["edition"]], agents, value["seed"], names, value["hidden_chests"])
    played = PlayedGame(value, sitting, names)
    remembers = any(agent is not None and not getattr(agent, "memoryless", False) for agent in agents)
    for number, signs in enumerate(turns):
        decisions = _decisions(signs, sitting, f"decisions[{number}]={_shown(signs)}")
        if remembers:
            played.ask()
        played.follow(signs, decisions)
    return played


def _decisions(signs: Any, sitting: GameSession, shown: str) -> list[int]:
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

    def __init__(self, menu: Menu) -> None:
        self._menu = menu
        self._kept: OrderedDict[str, PlayedGame] = OrderedDict()
        self._lock = Lock()

    @contextmanager
    def borrow(self, given: Any) -> Iterator[PlayedGame]:
        """Hand out the game that a value stands for, see `replayed`, and keep it as it is afterwards."""
        with self._lock:
            played = self._kept.pop(_key(given), None)
        if played is None:
            played = replayed(self._menu, given)
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
