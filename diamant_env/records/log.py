"""Game records, their replay, and the log that creates them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from diamant_env.drawing.narration import seats_deciding, winners
from diamant_env.editions import MAX_PLAYERS, NO_CARD, Edition, find_edition
from diamant_env.engine.arguments import checked_int
from diamant_env.game import Game
from diamant_env.records.text import Place, RecordedTurn, TextReader, record_lines, result_lines
from diamant_env.state import CONTINUE, LEAVE, OVER, GameState
from diamant_env.storage.files import write_whole
from diamant_env.storage.reading import read_text


class DamagedRecord(ValueError):
    """Raised if a record can't be replayed to its result.

    Attributes:
        place: The wrong part: a field of the header (``"seed"``), the index of a turn, or the ``"result"``.
        reason: The reason.
    """

    def __init__(self, place: Place, reason: str, where: str) -> None:
        super().__init__(f"{where}: {reason}")
        self.place, self.reason, self._where = place, reason, where

    def __reduce__(self) -> tuple:
        """Return the constructor's arguments, for processes."""
        return type(self), (self.place, self.reason, self._where)


@dataclass(frozen=True)
class GameRecord:
    """A finished game, or an unfinished one up to a card without decisions.

    Attributes:
        edition: The edition, with the game's `hidden_chests`.
        num_players: Players at the table.
        turns: All cards and decisions; the last turn of an unfinished game is undecided.
        chests: Each seat's final chest in gems; empty for an unfinished game.
        relics: Number of relics taken by each seat; empty for an unfinished game.
        winners: The seats that share the victory; empty for an unfinished game.
        seed: Seed of the cards, or None for a scripted deck.
        names: The players' names by seat, or empty.
        notes: Free text, one line each.
    """

    edition: Edition
    num_players: int
    turns: tuple[RecordedTurn, ...]
    chests: tuple[int, ...] = ()
    relics: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()
    seed: int | None = None
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return not any(turn.undecided for turn in self.turns)

    @classmethod
    def read(cls, path: str | Path) -> GameRecord:
        """Read a record from a file and verify it by replay.

        Raises:
            OSError: If the file can't be read.
            ValueError: If it is damaged; the message has the file, the line and the reason.
        """
        try:
            text = read_text(path)
        except ValueError as error:
            raise ValueError(f"{path} is no record: {error}") from None
        return cls.from_text(text, str(path))

    @classmethod
    def from_text(cls, text: str, source: str = "record") -> GameRecord:
        """Parse a record and verify it by replay.

        Raises:
            ValueError: If it is damaged; the message has `source`, the line and the reason.
        """
        reader = TextReader(text, source)
        record = cls(**reader.fields)
        try:
            record.replay()
        except DamagedRecord as error:
            raise reader.error(reader.lines[error.place], error.reason) from None
        return record

    def write(self, path: str | Path) -> None:
        """Write the record to a file atomically, after verifying it by replay.

        Raises:
            OSError: If the file can't be written.
            ValueError: If the record can't be replayed to its result, or a name or note has line breaks or outer
                spaces.
        """
        text = self.to_text()
        if GameRecord.from_text(text, f"record for {path}") != self:
            raise ValueError(f"record for {path}: a name, note or trap must have no line breaks or outer spaces")
        write_whole(path, text)

    def to_text(self) -> str:
        """Return the record as text, without verification."""
        return "\n".join([*record_lines(self), ""])

    def replay(self) -> Game:
        """Replay the game and return it at its end; see `watch`."""
        *_, game = self.watch()
        return game

    def watch(self) -> Iterator[Game]:
        """Replay the game and yield it at the first decision and after each turn: the same object each time.

        Raises:
            DamagedRecord: If the replay differs from the record.
        """
        game = self._start()
        log = GameLog(self.edition, self.num_players)
        played = cards = 0  # turns whose decisions have been played, and cards revealed
        while True:
            cards = self._reveal(game, cards)
            log.follow(game.state)
            self._compare(log.turns, played)
            if game.phase == "over" or self.turns[cards - 1].undecided:
                break
            yield game
            played = cards
            self._decide(game, played - 1)
        if len(self.turns) > cards:
            raise self._damage(cards, "the game is over before this turn")
        result = log.record()
        if (self.chests, self.relics, self.winners) != (result.chests, result.relics, result.winners):
            written = "; ".join(result_lines(result)) or "no result"
            raise self._damage("result", f"the replay ends with {written}")
        yield game

    def _start(self) -> Game:
        try:
            checked_int("players", self.num_players, 1, MAX_PLAYERS)
        except ValueError as error:
            raise self._damage("players", str(error)) from None
        if len(self.names) not in (0, self.num_players):
            raise self._damage("players", f"{len(self.names)} of {self.num_players} players are named")
        try:
            return Game(self.num_players, self.edition, seed=self.seed or 0)
        except ValueError as error:
            raise self._damage("seed", str(error)) from None

    def _reveal(self, game: Game, place: int) -> int:
        """Reveal the cards from this turn on until players decide or the game is over; return the next turn's index."""
        while game.phase == "reveal":
            if place == len(self.turns):
                raise self._damage("result", "the turns end here, but the game goes on")
            if self.seed is not None:
                card = game.draw()
            else:
                # The lowest card of each name: relics with the same name leave the deck in order.
                held = {self.edition.card_name(card): card for card, _ in reversed(game.chance_outcomes())}
                if (name := self.turns[place].card) not in held:
                    names = ", ".join(reversed(held))
                    raise self._damage(place, f"{name!r} is not in the deck, which holds {names}")
                card = held[name]
            game.reveal(card)
            place += 1
        return place

    def _decide(self, game: Game, place: int) -> None:
        turn, inside = self.turns[place], np.flatnonzero(game.must_decide).tolist()
        if sorted(turn.continuing + turn.leaving) != inside:
            raise self._damage(place, f"the seats inside, {', '.join(map(str, inside))}, decide once each")
        game.decide([LEAVE if seat in turn.leaving else CONTINUE for seat in range(self.num_players)])

    def _compare(self, shown: Sequence[RecordedTurn], first: int) -> None:
        """Compare turns of the replay from index `first` on with the record's; the last may be undecided."""
        for place in range(first, len(shown)):
            written, turn = self.turns[place], shown[place]
            if turn.undecided and not written.bust:
                written = dataclasses.replace(written, continuing=(), leaving=(), undecided=True)
            if written != turn:
                raise self._damage(place, f"{turn} in the replay, not {self.turns[place]}")

    def _damage(self, place: Place, reason: str) -> DamagedRecord:
        where = f"turn {self.turns[place]}" if isinstance(place, int) else place
        return DamagedRecord(place, reason, where)


class GameLog:
    """Log of a game from the states of a batch or environment.

    The arguments are fields of `GameRecord`.

    Attributes:
        turns: The turns so far; the last one may be undecided.

    Raises:
        ValueError: If there is no such edition, or `names` is neither empty nor a line of text for each player.
    """

    def __init__(
        self,
        edition: str | Edition,
        num_players: int,
        seed: int | None = None,
        names: Sequence[str] = (),
    ) -> None:
        self.turns: list[RecordedTurn] = []
        self._edition, self._players = find_edition(edition), num_players
        self._seed = None if seed is None else int(seed)
        self._names = _checked_names(names, num_players)
        self._game: GameState | None = None

    def follow(self, game: GameState) -> None:
        """Log a state: first the start of a game, then the state after each turn.

        Raises:
            ValueError: If the first state is not the start of a game, a state has another number of players, or the
                game is over.
        """
        if game.num_players != self._players:
            raise ValueError(f"a game of {game.num_players} players in a log of {self._players}")
        if self._game is None and (game.expedition, game.turn) != (1, 1):
            raise ValueError("a log begins with the first card of a game")
        if self._game is not None:
            if self._game.phase == OVER:
                raise ValueError("the game of this log is over")
            continuing, leaving = (tuple(seats_deciding(game, decision)) for decision in (CONTINUE, LEAVE))
            decided = dataclasses.replace(self.turns[-1], continuing=continuing, leaving=leaving, undecided=False)
            self.turns[-1] = decided
            if game.bust_card != NO_CARD:
                self.turns.append(RecordedTurn(decided.expedition, decided.number + 1, self._name(game.bust_card)))
        if game.phase != OVER:
            self.turns.append(
                RecordedTurn(int(game.expedition), int(game.turn), self._name(game.last_card), undecided=True)
            )
        self._game = game.copy()

    def _name(self, card: int) -> str:
        return self._edition.card_name(int(card))

    def record(self) -> GameRecord:
        """Return the record of the game so far.

        Raises:
            RuntimeError: Before the start of a game.
        """
        game = self._game
        if game is None:
            raise RuntimeError("no game has begun: there is no record yet")
        record = GameRecord(self._edition, self._players, tuple(self.turns), seed=self._seed, names=self._names)
        if game.phase != OVER:
            return record
        chests, relics = (tuple(each[: self._players].tolist()) for each in (game.chest, game.relics))
        return dataclasses.replace(record, chests=chests, relics=relics, winners=tuple(winners(game, self._edition)))


def _checked_names(names: Sequence[str], num_players: int) -> tuple[str, ...]:
    """Return the names of players; raise ValueError unless a record can hold them."""
    listed = not isinstance(names, str) and len(names) in (0, num_players)
    if not listed or not all(
        isinstance(name, str) and name.strip() == name and len(name.splitlines()) == 1 for name in names
    ):
        raise ValueError(f"names={names!r}; a line of text for each of {num_players} players, or none, is expected")
    return tuple(names)
