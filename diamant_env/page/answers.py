"""Request handlers of the page, one for each POST route."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Callable
from typing import Any

from diamant_env.advice.hint import hint
from diamant_env.advice.odds import Odds
from diamant_env.advice.review import review
from diamant_env.page.game import MAX_PAGE_SEED, RecentGames, new_game
from diamant_env.page.menu import DEFAULT_EDITION, DEFAULT_TABLE, Menu
from diamant_env.page.view import view_of, views_of
from diamant_env.records import GameRecord

Answer = dict[str, Any]


class Answers:
    """Thread-safe request handlers; they raise a ValueError for an invalid message."""

    def __init__(self, menu: Menu) -> None:
        self.menu = menu
        self._games = RecentGames(menu)
        # Handler and message fields of each route.
        self.by_address: dict[str, tuple[Callable[..., Answer], tuple[str, ...]]] = {
            "/new": (self._new, ("edition", "agents", "seed")),
            "/turn": (self._turn, ("game", "decision")),
            "/view": (self._view, ("game", "turns")),
            "/odds": (self._odds, ("game",)),
            "/hint": (self._hint, ("game",)),
            "/review": (self._review, ("game",)),
            "/open": (self._open, ("text",)),
        }

    def warm_up(self) -> None:
        """Compile and load everything that the first requests need."""
        game = self._new(DEFAULT_EDITION, DEFAULT_TABLE, 0)["game"]
        self._hint(game)
        self._turn(game, 0)

    def _new(self, edition: Any, agents: Any, seed: Any) -> Answer:
        seed = secrets.randbelow(MAX_PAGE_SEED + 1) if seed is None else seed
        game = new_game(self.menu, edition, agents, seed).text
        with self._games.borrow(game) as played:
            played.ask()  # raises if an agent does not support the table
            return view_of(played)

    def _turn(self, game: Any, decision: Any) -> Answer:
        if decision not in (0, 1, None) or isinstance(decision, bool | float):
            raise ValueError(f"decision={str(decision)[:60]}; 0 continues, 1 leaves, null where you need not decide")
        with self._games.borrow(game) as played:
            played.play(decision)
            return view_of(played)

    def _view(self, game: Any, turns: Any) -> Answer:
        with self._games.borrow(game, turns) as played:
            return view_of(played)

    def _odds(self, game: Any) -> Answer:
        with self._games.borrow(game) as played:
            odds = Odds(played.session.now, played.session.edition, played.deciding())
        rows, leaving = [row._asdict() for row in odds.next], [f"{company}: {gems}" for company, gems in odds.leaving]
        return {"next": rows, "leaving": leaving, "on_average": odds.on_average}

    def _hint(self, game: Any) -> Answer:
        with self._games.borrow(game) as played:
            advice = hint(played.session.now, played.session.edition, played.deciding())
        choices = [choice._asdict() for choice in advice.choices]
        shown = {name: getattr(advice, name) for name in ("says", "adviser", "heading", "basis")} | {"choices": choices}
        return dataclasses.asdict(advice) | shown

    def _review(self, game: Any) -> Answer:
        with self._games.borrow(game) as played:
            if not played.session.over:
                raise ValueError("the game is not over yet")
            if played.you is None:
                raise ValueError("no decisions to review: only agents played this game")
            if played.reviewed is None:
                result = review(played.session.games, played.session.edition, played.you)
                mistakes = [dataclasses.asdict(decision) for decision in result.decisions if decision.mistake]
                played.reviewed = dataclasses.asdict(result) | {"decisions": mistakes}
            return played.reviewed

    def _open(self, text: Any) -> Answer:
        if not isinstance(text, str):
            raise ValueError("text: the text of a record is required")
        return {"views": views_of(GameRecord.from_json(text))}
