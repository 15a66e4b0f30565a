"""Views of a game as JSON values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from diamant_env.drawing.narration import (
    Narrator,
    distinct,
    last_decision,
    path_contents,
    ranking,
    seats_deciding,
    winners,
)
from diamant_env.drawing.render_history import BUST, RenderHistory, relics_gone
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, NO_CARD, Edition
from diamant_env.engine.observation_writer import bust_chance
from diamant_env.page.edition_text import in_words, relics_now, tie_rule, title_of
from diamant_env.page.game import PlayedGame
from diamant_env.page.menu import YOU, shown_name
from diamant_env.records import GameRecord
from diamant_env.state import LEAVE, OVER, GameState


class Viewer:
    """Converter of the states of one game to views; `names` are by seat, `you` is the person's seat."""

    def __init__(self, edition: Edition, names: Sequence[str], you: int | None = None) -> None:
        self._edition, self._you = edition, you
        self._names = distinct([shown_name(name) for name in names], mark="\N{NO-BREAK SPACE}")
        speaker = list(names).index(YOU) if YOU in names else None  # also in records, where `you` is None
        self._narrator = Narrator(dataclasses.replace(edition, name=title_of(edition)), self._names, speaker)

    def show(self, game: GameState, history: RenderHistory, leave: Sequence[float | None] = ()) -> dict[str, Any]:
        """Return the view of a state; `leave` are probabilities of LEAVE by seat, () hides them."""
        over = bool(game.phase == OVER)
        title = f"Expedition {game.expedition} of {self._edition.expeditions}, card {game.turn}"
        return {
            "you": self._you,
            "over": over,
            "must_decide": self._you is not None and bool(game.inside[self._you]),
            "expedition": int(game.expedition),
            "expeditions": self._edition.expeditions,
            "title": "Game over" if over else title,
            "headlines": list(self._narrator.headlines(game, history)),
            "ended": self._ended(game, history),
            "path": [] if over else self._path(history.path, int(game.path_relics), new=len(history.path) - 1),
            "path_contents": "" if over else path_contents(game),
            "bust": 0.0 if over else float(bust_chance(game)),
            "deck": None if over else self._deck(game, history),
            "seats": [self._seat(game, history, seat, leave) for seat in range(game.num_players)],
            "result": self._result(game, history) if over else None,
        }

    def story(self, games: Iterable[GameState]) -> list[dict[str, Any]]:
        """Return the log of a game: its events in order, each with the number of turns played."""
        history, lines = RenderHistory(), []
        for turn, game in enumerate(games):
            history.update(game)
            lines += [{"turn": turn} | event for event in self._events(game, history)]
        return lines

    def _events(self, game: GameState, history: RenderHistory) -> list[dict[str, Any]]:
        """Return the events of the last turn, each with its expedition and card."""
        before, events, bust = history.before, [], bool(game.bust_card != NO_CARD)
        if before is not None:
            at = {"heading": f"Expedition {before.expedition}", "bad": False}
            if seats_deciding(game, LEAVE):
                events.append(at | {"card": int(before.turn), "words": self._narrator.decisions(game, history)})
            if ended := self._narrator.outcome(game, history):
                events.append(at | {"card": int(before.turn) + bust, "words": ended, "bad": bust})
        if game.phase == OVER:
            return [*events, {"heading": "Game over", "card": 0, "words": self._narrator.result(game), "bad": False}]
        at = {"heading": f"Expedition {game.expedition}", "card": int(game.turn), "bad": False}
        return [*events, at | {"words": self._narrator.card(game, history)}]

    def _deck(self, game: GameState, history: RenderHistory) -> dict[str, Any]:
        """Return the copies of each card in the deck and on the path, and the cards out of the game."""
        edition, cards = self._edition, []
        for card in edition.card_names:
            left, path = int(game.deck[card]), history.path.count(card)
            cards.append(card_view(edition, card) | {"left": left, "path": path})
        traps = [card for card in cards if card["kind"] == "trap"]
        gone = {trap["name"]: edition.trap_copies - trap["left"] - trap["path"] for trap in traps}
        removed = ", ".join(f"{name} \N{MULTIPLICATION SIGN} {number}" for name, number in gone.items() if number)
        notes = [f"Out of the game: {removed}."] if removed else []
        return {"cards": cards, "about": [*notes, *relics_now(game, edition), tie_rule(edition)]}

    def _ended(self, game: GameState, history: RenderHistory) -> dict[str, Any] | None:
        ended = history.ended_path(game)
        if ended is None:
            return None
        path = self._path(ended.cards, ended.relics_on_path, fatal=ended.fatal)
        return {"title": ended.title, "bust": bool(ended.fatal), "path": path}

    def _path(
        self, cards: list[int], relics_on_path: int, new: int | None = None, fatal: Sequence[int] = ()
    ) -> list[dict[str, Any]]:
        gone = relics_gone(cards, relics_on_path)
        return [
            card_view(self._edition, card) | {"new": place == new, "fatal": place in fatal, "taken": place in gone}
            for place, card in enumerate(cards)
        ]

    def _seat(
        self, game: GameState, history: RenderHistory, seat: int, leave: Sequence[float | None]
    ) -> dict[str, Any]:
        secret = self._edition.hidden_chests and self._you not in (None, seat) and game.phase != OVER
        inside = bool(game.inside[seat])
        return {
            "name": self._names[seat],
            "inside": inside,
            "bag": int(game.bag) if inside else None,
            "chest": None if secret else int(game.chest[seat]),
            "relics": int(game.relics[seat]),
            "last_decision": last_decision(game, history, seat),
            "leave": leave[seat] if leave else None,
            "winner": seat in winners(game, self._edition),
        }

    def _result(self, game: GameState, history: RenderHistory) -> dict[str, Any]:
        rows = []
        for seat in ranking(game, self._edition):
            banked = ["bust" if gems[seat] == BUST else int(gems[seat]) for gems in history.banked]
            chest, relics = int(game.chest[seat]), int(game.relics[seat])
            row = {"seat": seat, "name": self._names[seat], "banked": banked, "chest": chest, "relics": relics}
            rows.append(row | {"winner": seat in winners(game, self._edition)})
        return {"rows": rows}


def view_of(played: PlayedGame) -> dict[str, Any]:
    """Return the view of a game, with the agents' probabilities if no person plays."""
    session = played.session
    viewer = Viewer(session.edition, played.names, played.you)
    leave = played.ask() if played.you is None else ()
    details = {
        "game": played.text,
        "turns": played.turns,
        "file": f"diamant-{session.edition.name.partition('/')[0]}-{played.seed}.json",
        "mode": "watch" if played.you is None else "play",
        "story": viewer.story(session.games),
        "edition": in_words(session.edition),
        "table": {
            "edition": session.edition.name,
            "agents": list(played.names),
        },
    }
    return details | viewer.show(session.now, session.history, leave)


def views_of(record: GameRecord) -> list[dict[str, Any]]:
    """Return the views of a recorded game, from start to end; the last one has the log and the rules."""
    names = record.names or [f"player_{seat}" for seat in range(record.num_players)]
    viewer, history, views = Viewer(record.edition, [name[:60] for name in names]), RenderHistory(), []
    games = record.states()
    for game in games:
        history.update(game)
        views.append({"game": None, "mode": "record"} | viewer.show(game, history))
    views[-1] |= {"story": viewer.story(games), "edition": in_words(record.edition)}
    return views


def card_view(edition: Edition, card: int) -> dict[str, Any]:
    name = edition.card_name(card)
    svg = f"card/{card}/{quote(name, safe='')}.svg"
    kind = "treasure" if card < FIRST_TRAP else "trap" if card < FIRST_RELIC else "relic"
    words = name if kind == "relic" else f"{kind} {name}"
    return {"card": card, "name": name, "kind": kind, "words": words, "svg": svg}
