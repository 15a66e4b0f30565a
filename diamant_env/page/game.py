"""Games of the page. A request carries a record, which is replayed: the page survives a restart of the server."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any

from diamant_env.editions import MAX_PLAYERS, Edition
from diamant_env.engine.arguments import checked_int
from diamant_env.page.menu import YOU, Menu
from diamant_env.records import GameRecord, GameSession

MOST_GAMES = 64  # cached games, which are not replayed at each turn
MAX_PAGE_SEED = 2**53 - 1  # JavaScript's Number.MAX_SAFE_INTEGER


class AgentError(RuntimeError):
    """Error in an agent's code; the message names the agent and its seat."""


class PlayedGame:
    """A game with agents of the menu and at most one person, in seat `you` (None without)."""

    def __init__(self, menu: Menu, edition: Edition, names: Sequence[str], seed: int) -> None:
        unknown = [name for name in names if name not in (YOU, *menu.agents)]
        if unknown:
            raise ValueError(f"unknown agent {_shown(unknown[0])}; agents: {', '.join((YOU, *menu.agents))}")
        if names.count(YOU) > 1:
            raise ValueError(f"{names.count(YOU)} times {YOU!r} among the agents; at most one is allowed")
        self.session = GameSession(edition, [None if name == YOU else name for name in names], seed, names)
        self.names, self.seed = names, seed
        self.you = names.index(YOU) if YOU in names else None
        self.reviewed: dict[str, Any] | None = None  # cached answer to a request for a review

    @property
    def text(self) -> str:
        """The record of the game so far, as JSON."""
        return self.session.record().to_json()

    @property
    def turns(self) -> int:
        """Number of turns played."""
        return len(self.session.games) - 1

    @property
    def must_decide(self) -> bool:
        return self.you is not None and bool(self.session.now.inside[self.you])

    def deciding(self) -> int:
        """Return the person's seat; raise a ValueError unless they must decide."""
        if self.you is None or not self.must_decide:
            raise ValueError("you need not decide now, so there is nothing to advise")
        return self.you

    def ask(self) -> list[float | None]:
        """Return the agents' probabilities of LEAVE by seat, None for seats that do not decide.

        They depend only on the record, so that a restart of the server does not change them.
        """
        try:
            return self.session.leave
        except Exception as error:
            seat = [seat for seat, name in enumerate(self.names) if name != YOU][self.session.seated.asked]
            who = f"{self.names[seat]} in seat {seat + 1}"
            if isinstance(error, ValueError):
                raise ValueError(f"{who}: {error}") from error
            raise AgentError(
                f"{who} raised {type(error).__name__}: {error}; the terminal shows the traceback"
            ) from error

    def play(self, decision: int | None) -> None:
        """Play a turn with the person's decision, None if they need not decide."""
        if self.session.over:
            raise ValueError("the game is over: there is no turn to play")
        if self.must_decide != (decision is not None):
            asked = "you must decide: 0 continues, 1 leaves" if self.must_decide else "you need not decide: null"
            raise ValueError(f"decision={json.dumps(decision)}, but {asked}")
        self.ask()
        decisions = self.session.decisions()
        if decision is not None:
            decisions[self.you] = decision
        self.session.play(decisions)


def new_game(menu: Menu, edition: Any, agents: Any, seed: Any) -> PlayedGame:
    """Return a new game with agents and an edition of the menu, all given by their specs."""
    if not isinstance(edition, str) or edition not in menu.editions:
        raise ValueError(f"unknown edition {_shown(edition)}; editions: {', '.join(menu.editions)}")
    if not isinstance(agents, list) or not 1 <= len(agents) <= MAX_PLAYERS:
        raise ValueError(f"agents={_shown(agents)}; a list of 1 to {MAX_PLAYERS} is allowed")
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= MAX_PAGE_SEED:
        raise ValueError(f"seed={_shown(seed)}; a whole number from 0 to {MAX_PAGE_SEED} is allowed")
    return PlayedGame(menu, menu.editions[edition], agents, seed)


def replayed(menu: Menu, text: Any, turns: int | None = None) -> PlayedGame:
    """Return the game of a record after its first `turns`, by default all; only stateful agents are called."""
    if not isinstance(text, str):
        raise ValueError(f"game={_shown(text)}; the text of a record is required")
    record = GameRecord.from_json(text)
    if record.seed is None or not record.names:
        raise ValueError("game: a record with a seed and the players' names is required")
    played = PlayedGame(menu, record.edition, record.names, record.seed)
    stateful = not all(getattr(agent, "stateless", False) for agent in played.session.seated.agents)
    for leaving in record.turns[:turns]:
        if stateful:
            played.ask()
        played.session.play([int(seat in leaving) for seat in range(record.num_players)])
    return played


class RecentGames:
    """Cache of recent games and the states of their agents.

    A borrowed game is exclusive: a concurrent request with the same record replays it.
    """

    def __init__(self, menu: Menu) -> None:
        self._menu = menu
        self._cached: OrderedDict[str, PlayedGame] = OrderedDict()
        self._lock = Lock()

    @contextmanager
    def borrow(self, text: Any, turns: Any = None) -> Iterator[PlayedGame]:
        """Yield the game of `replayed` and cache its state afterwards."""
        turns = None if turns is None else checked_int("turns", turns, 0)
        with self._lock:
            played = self._cached.pop(text, None) if isinstance(text, str) and turns is None else None
        if played is None:
            played = replayed(self._menu, text, turns)
        yield played  # not cached after an error, which may have changed the states of some agents
        with self._lock:
            self._cached[played.text] = played
            while len(self._cached) > MOST_GAMES:
                self._cached.popitem(last=False)


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
