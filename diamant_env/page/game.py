"""Games as JSON values, validated and replayed, so that the page survives a restart of the server."""

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

MOST_GAMES = 64  # cached games, which are not replayed at each turn
MAX_SEED = 2**53 - 1  # JavaScript's Number.MAX_SAFE_INTEGER
_FIELDS = ("edition", "hidden_chests", "agents", "seed", "decisions")
_SIGNS = {"0": CONTINUE, "1": LEAVE, "-": CONTINUE}


class PlayedGame:
    """A game from a request: its validated JSON value, and the state replayed from it.

    Attributes:
        value: The JSON value.
        session: The game, replayed to its last decision.
        names: Names of the players, by seat.
        you: Seat of the person, or None in a game among agents.
        reviewed: Cached answer to a request for a review, or None.
    """

    def __init__(self, value: dict[str, Any], session: GameSession, names: list[str]) -> None:
        self.value, self.session, self.names = value, session, names
        self.you = names.index(YOU) if YOU in names else None
        self.reviewed: dict[str, Any] | None = None

    @property
    def must_decide(self) -> bool:
        """Return whether the person must decide now."""
        return self.you is not None and bool(self.session.now.inside[self.you])

    def deciding(self) -> int:
        """Return the seat of the person; raise a ValueError if they need not decide."""
        if self.you is None or not self.must_decide:
            raise ValueError("you need not decide now, so there is nothing to advise")
        return self.you

    def require_end(self) -> None:
        """Raise a ValueError if the game is not over."""
        if not self.session.over:
            raise ValueError("the game is not over yet")

    def ask(self) -> list[float | None]:
        """Return the agents' probabilities of LEAVE by seat, None for seats that do not decide.

        They depend on the game value alone, so that a restart of the server does not change them.

        Raises:
            ValueError: If an agent does not support the table.
        """
        turn = len(self.value["decisions"])
        for seat, agent in enumerate(self.session.table.agents):
            if not self.session.asked and hasattr(agent, "seed"):
                agent.seed(int(np.random.SeedSequence([self.value["seed"], turn, seat]).generate_state(1)[0]))
        return self.session.leave

    def play(self, decision: int | None) -> None:
        """Play a turn with the person's decision, None if they need not decide.

        Raises:
            ValueError: If the game is over, or a decision is missing or superfluous; the game is unchanged.
        """
        if self.session.over:
            raise ValueError("the game is over: there is no turn to play")
        if self.must_decide != (decision is not None):
            asked = "you must decide: 0 continues, 1 leaves" if self.must_decide else "you need not decide: null"
            raise ValueError(f"decision={json.dumps(decision)}, but {asked}")
        self.ask()
        decisions = self.session.decisions()
        if decision is not None:
            decisions[self.you] = decision
        inside = self.session.now.inside
        signs = "".join(str(each) if inside[seat] else "-" for seat, each in enumerate(decisions))
        self.apply(signs, decisions)

    def apply(self, signs: str, decisions: Sequence[int] | NDArray[np.int8]) -> None:
        """Play a turn with these decisions by seat and append their signs to the value."""
        self.session.play(decisions)
        self.value = self.value | {"decisions": [*self.value["decisions"], signs]}


def new_value(menu: Menu, edition: Any, hidden_chests: Any, agents: Any, seed: Any) -> dict[str, Any]:
    """Return the value of a new game with agents and an edition of the menu.

    Raises:
        ValueError: If an argument is not allowed.
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
    """Validate and replay a game value with its recorded decisions; only stateful agents are called.

    Raises:
        ValueError: If it is not a valid game.
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
    session = GameSession(menu.editions[value["edition"]], agents, value["seed"], names, value["hidden_chests"])
    played = PlayedGame(value, session, names)
    stateful = any(agent is not None and not getattr(agent, "memoryless", False) for agent in agents)
    for number, signs in enumerate(turns):
        decisions = _decisions(signs, session, f"decisions[{number}]={_shown(signs)}")
        if stateful:
            played.ask()
        played.apply(signs, decisions)
    return played


def _decisions(signs: Any, session: GameSession, shown: str) -> list[int]:
    """Return the decisions of a turn by seat; raise a ValueError if they are illegal."""
    if session.over:
        raise ValueError(f"{shown}, but the game is over by then")
    seats = session.batch.seats
    inside = session.now.inside[:seats].tolist()
    if not isinstance(signs, str) or len(signs) != seats or set(signs) - set(_SIGNS):
        raise ValueError(f"{shown}; a text with 0, 1 or - for each of {seats} seats is needed")
    wrong = [seat for seat in range(seats) if (signs[seat] != "-") != bool(inside[seat])]
    if wrong:
        what = "must decide: 0 or 1" if inside[wrong[0]] else "is in camp: -"
        raise ValueError(f"{shown}, but seat {wrong[0]} {what}")
    return [_SIGNS[sign] for sign in signs]


class Games:
    """Cache of recent games and the states of their agents.

    A borrowed game is exclusive: a concurrent request with the same value replays it.
    """

    def __init__(self, menu: Menu) -> None:
        self._menu = menu
        self._cached: OrderedDict[str, PlayedGame] = OrderedDict()
        self._lock = Lock()

    @contextmanager
    def borrow(self, given: Any) -> Iterator[PlayedGame]:
        """Yield the game of a value, see `replayed`, and cache its final state."""
        with self._lock:
            played = self._cached.pop(_key(given), None)
        if played is None:
            played = replayed(self._menu, given)
        try:
            yield played
        finally:
            with self._lock:
                self._cached[_key(played.value)] = played
                while len(self._cached) > MOST_GAMES:
                    self._cached.popitem(last=False)


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
