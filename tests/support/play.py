"""Editions to test, and games of chosen cards."""

from __future__ import annotations

import os
from dataclasses import replace
from tempfile import TemporaryDirectory

import pytest

from diamant_env import CONTINUE, EDITIONS, LEAVE, Edition, Game
from diamant_env.drawing.render_history import RenderHistory
from diamant_env.editions import find_edition, is_published

SCALE = int(os.environ.get("DIAMANT_TEST_SCALE", "1"))  # multiplies games and damaged files
PUBLISHED = list(EDITIONS.values())
BASE = EDITIONS["iello-2016"]

# Invented editions: each takes another branch of the rules.
LATE_RELICS = replace(BASE, name="one relic per expedition", relics_enter="expedition")
PRINTED = replace(
    BASE, name="printed relics", relics=(5, 7, 8, 10, 12), relics_enter="expedition", relic_values="printed"
)
PRINTED_AT_ONCE = replace(PRINTED, name="printed relics from the start", relics_enter="start")
LOST_COUNT = replace(BASE, name="lost relics count", relic_values="taken or lost")
RELICS_DECIDE = replace(BASE, name="most relics break ties", tie_break="relics")
NOTHING_REMOVED = replace(BASE, name="no trap leaves the game", bust_removes=0, expeditions=15)
BOTH_REMOVED = replace(BASE, name="both traps leave the game", bust_removes=2)
NO_RELICS = replace(BASE, name="no relics", relics=())
ODD = Edition(
    name="odd",
    treasures=(1, 6, 6, 10, 100),
    traps=("mud", "wind"),
    trap_copies=4,
    relics=(0, 20),
    expeditions=3,
    bust_removes=2,
)
INVENTED = [
    LATE_RELICS,
    PRINTED,
    PRINTED_AT_ONCE,
    LOST_COUNT,
    RELICS_DECIDE,
    NOTHING_REMOVED,
    BOTH_REMOVED,
    NO_RELICS,
    ODD,
]


_FILES = TemporaryDirectory()


def text_of(edition: str | Edition) -> str:
    """Return a text for `find_edition`: a published name, or the path of a new file."""
    edition = find_edition(edition)
    if is_published(edition):
        return edition.name
    path = f"{_FILES.name}/{hash(edition)}.toml"
    edition.save(path)
    return path


def every(editions: list[Edition]):
    """Run the test once for each of these editions."""
    return pytest.mark.parametrize("edition", editions, ids=[edition.name for edition in editions])


def card_of(edition: Edition, card: int) -> int | str:
    """Return the oracle's name of a card number."""
    try:
        name = edition.card_name(card)
    except IndexError:  # a kind of card that this edition lacks
        return f"card {card}"
    return int(name) if name.isdigit() else name


class Play:
    """A game of chosen cards, in their order across expeditions; running out of them is an error.

    Attributes:
        position: The `Game`.
        rewards: The rewards of the last turn, by seat.
        history: What rendering needs of the game's history.
    """

    def __init__(self, deck: list, players: int = 4, edition: str | Edition = BASE, reward: str = "score") -> None:
        self.position, self.history = Game(players, edition), RenderHistory()
        self.edition, self.reward, self.rewards = self.position.edition, reward, [0.0] * players
        self._cards = list(deck)
        self._reveal()

    @property
    def game(self):
        return self.position.state.copy()

    @property
    def inside(self) -> list[int]:
        """Seats inside the cave."""
        return [seat for seat, inside in enumerate(self.game["inside"]) if inside]

    @property
    def chests(self) -> list[int]:
        return self.game["chest"][: self.position.num_players].tolist()

    @property
    def relics(self) -> list[int]:
        return self.game["relics"][: self.position.num_players].tolist()

    @property
    def deck(self) -> dict[int | str, int]:
        """Copies of each card in the deck, by name; treasures are numbers."""
        copies = enumerate(self.game["deck"].tolist())
        return {card_of(self.edition, card): number for card, number in copies if number}

    @property
    def over(self) -> bool:
        return self.position.phase == "over"

    @property
    def traps(self) -> int:
        """Number of kinds of trap on the path."""
        return int(self.game["on_path"].sum())

    def seen(self, name: str) -> object:
        """Return a property of this class or a field of the record as plain Python values."""
        return getattr(self, name) if hasattr(self, name) else self.game[name].tolist()

    def leave(self, *seats: int) -> Play:
        """Play a turn: these seats leave, the others inside continue."""
        assert set(seats) <= set(self.inside), f"{seats} leave, but {self.inside} are inside"
        before = self.position.returns(self.reward)
        self.position.decide([LEAVE if seat in seats else CONTINUE for seat in range(self.position.num_players)])
        self._reveal()
        self.rewards = (self.position.returns(self.reward) - before).tolist()
        return self

    def play(self, turns: str) -> Play:
        """Play turns such as ``"- 02 all"``: no seat leaves, seats 0 and 2 leave, all inside leave."""
        for turn in turns.split():
            self.leave(*(self.inside if turn == "all" else map(int, turn.strip("-"))))
        return self

    def all_continue(self, turns: int = 1) -> Play:
        """Play turns in which no seat leaves."""
        return self.play("- " * turns)

    def all_leave(self, expeditions: int = 1) -> Play:
        """Play turns in which everyone inside leaves."""
        return self.play("all " * expeditions)

    def _reveal(self) -> None:
        """Reveal cards until a decision or the end."""
        while self.position.phase == "reveal":
            assert self._cards, "the test's deck has too few cards"
            name, deck = self._cards.pop(0), self.position.state["deck"]
            fits = [card for card in self.edition.cards_named(name) if deck[card]]
            assert fits, f"{name!r} is not in the deck"
            self.position.reveal(fits[0])
        self.history.update(self.position.state)


class Case:
    """A short game of chosen cards, with the expected state after it.

    Args:
        deck: The cards in the order in which they come up.
        turns: Turns as in `Play.play`.
        seen: Expected values by field or property; of ``deck``, those of the named cards.
        options: `players`, `edition` and `reward` of `Play`.
    """

    def __init__(self, deck: list, turns: str = "", /, *, players=4, edition=BASE, reward="score", **seen) -> None:
        self.cards, self.turns, self.expected = deck, turns, seen
        self.options = {"players": players, "edition": edition, "reward": reward}

    def check(self) -> None:
        play = Play(self.cards, **self.options).play(self.turns)
        seen = {name: play.seen(name) for name in self.expected}
        if "deck" in seen:
            seen["deck"] = {card: play.deck.get(card, 0) for card in self.expected["deck"]}
        assert seen == self.expected


def cases(named: dict[str, Case]):
    """Return a test that plays each of these games."""

    @pytest.mark.parametrize("case", named.values(), ids=list(named))
    def test_play(case):
        case.check()

    return test_play
