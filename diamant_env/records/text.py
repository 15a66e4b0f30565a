"""Text format of game records.

A record is line-based UTF-8 text; blank lines and a byte-order mark are ignored::

    diamant record 1
    note: any text; there may be several notes, or none
    edition: iello-2016
    hidden chests: no
    players: 3
    seed: none
    player_0: bag:18
    player_1: ev
    player_2: somebody

    1.1 9 | continue 0 1 2
    1.2 lava pit | continue 1 2, leave 0
    1.3 lava pit | bust
    2.1 relic | leave 0 1 2
    ...

    result
    player_0: chest 3, relics 0
    player_1: chest 0, relics 0
    player_2: chest 0, relics 0
    winners: 0

- The first line has the format and its version. The header follows, in any order.
- ``edition`` names a published edition. A custom edition is JSON with the fields of `Edition` that are not defaults:
  ``own edition: {"name": "short", "treasures": [1, 5], ...}``.
- ``seed`` is that of `parallel_env.reset`, or ``none`` for a scripted deck. The cards are listed in both cases; a
  replay compares them with those of the seed, or plays them as a scripted deck.
- ``player_0`` and so on name the players: all or none.
- A turn is ``expedition.turn card | decisions``: the seats that continue and the seats that leave, which together are
  all seats inside the cave. The second trap of a kind has ``bust`` in place of decisions.
- The result is each seat's chest and number of relics, and the winners.
- An unfinished game has no result and ends with a card without decisions: ``2.1 relic | undecided``.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diamant_env.editions import EDITIONS, Edition
from diamant_env.storage.reading import nearest, parse_json

FIRST_LINE = "diamant record 1"  # the number is the version of the format
_HEADER = re.compile(r"(note|edition|own edition|hidden chests|players|seed|player_[0-7]): (.+)")
_NEEDED = ("edition", "hidden chests", "players", "seed")
_DECISIONS = "bust|(undecided)|continue((?: [0-7])+)(?:, leave((?: [0-7])+))?|leave((?: [0-7])+)"
_TURN = re.compile(rf"([1-9]\d{{0,2}})\.([1-9]\d{{0,2}}) (.+) \| (?:{_DECISIONS})", re.ASCII)
_CHEST = re.compile(r"player_([0-7]): chest (0|[1-9]\d{0,8}), relics (0|[1-9]\d{0,8})", re.ASCII)
_WINNERS = re.compile("winners:((?: [0-7])+)")

Place = str | int  # the name of a header field or "result", or the index of a turn


@dataclass(frozen=True)
class RecordedTurn:
    """A card and the decisions after it.

    Attributes:
        expedition: Number of the expedition, 1 for the first.
        number: Number of the card in its expedition, 1 for the first.
        card: Its name, from `Edition.card_name`.
        continuing: The seats that continued.
        leaving: The seats that left.
        undecided: Whether this is the last turn of an unfinished game, without decisions.
    """

    expedition: int
    number: int
    card: str
    continuing: tuple[int, ...] = ()
    leaving: tuple[int, ...] = ()
    undecided: bool = False

    @property
    def bust(self) -> bool:
        """Whether the card ended the expedition, so that there are no decisions."""
        return not (self.continuing or self.leaving or self.undecided)

    def __str__(self) -> str:
        groups = [("continue", self.continuing), ("leave", self.leaving)]
        decisions = ", ".join(f"{word} {seats_text(seats)}" for word, seats in groups if seats)
        none = "undecided" if self.undecided else "bust"
        return f"{self.expedition}.{self.number} {self.card} | {decisions or none}"


def record_lines(record: Any) -> list[str]:
    """Return the lines of a `GameRecord`, without verification."""
    lines = [
        FIRST_LINE,
        *[f"note: {note}" for note in record.notes],
        _edition_line(record.edition),
        f"hidden chests: {'yes' if record.edition.hidden_chests else 'no'}",
        f"players: {record.num_players}",
        f"seed: {'none' if record.seed is None else record.seed}",
        *[f"player_{seat}: {name}" for seat, name in enumerate(record.names)],
    ]
    expedition = 0
    for turn in record.turns:
        lines += ["", str(turn)] if turn.expedition != expedition else [str(turn)]
        expedition = turn.expedition
    return [*lines, "", "result", *result_lines(record)] if record.finished else lines


def result_lines(record: Any) -> list[str]:
    """Return the lines of the result of a `GameRecord`; none for an unfinished game."""
    results = enumerate(zip(record.chests, record.relics, strict=True))
    lines = [f"player_{seat}: chest {chest}, relics {relics}" for seat, (chest, relics) in results]
    return [*lines, f"winners: {seats_text(record.winners)}"] if lines else []


def seats_text(seats: tuple[int, ...]) -> str:
    """Return seats as text: ``"0 2"``."""
    return " ".join(map(str, seats))


def _edition_line(edition: Edition) -> str:
    """Return the line of the edition: a published name, or a custom edition as JSON."""
    published = EDITIONS.get(edition.name)
    if published is not None and dataclasses.replace(edition, hidden_chests=published.hidden_chests) == published:
        return f"edition: {edition.name}"
    values = {field.name: (getattr(edition, field.name), field.default) for field in dataclasses.fields(edition)}
    values.pop("hidden_chests")
    printed = {name: value for name, (value, default) in values.items() if value != default}
    return f"own edition: {json.dumps(printed, default=int, ensure_ascii=False)}"


class TextReader:
    """Parser of a record's text; checks syntax only, not the rules.

    Args:
        text: The record.
        source: Its name in errors, such as the path of the file.

    Attributes:
        fields: The arguments of `GameRecord`.
        lines: The line number of each `Place`.

    Raises:
        ValueError: If it is damaged; the message has the source, the line and the reason.
    """

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.fields: dict[str, Any] = {}
        self.lines: dict[Place, int] = {}
        rows = enumerate(map(str.strip, text.removeprefix("\ufeff").split("\n")), 1)
        self._rows = deque((number, row) for number, row in rows if row)
        self._line = 1
        if self._next("an empty file") != FIRST_LINE:
            raise self.error(self._line, f"no record of this version: the first line must be {FIRST_LINE!r}")
        self._read_header()
        if self._read_turns():
            self._read_result()
        if self._rows:
            line, row = self._rows[0]
            raise self.error(line, f"text after the end: {row!r}")

    def error(self, line: int, reason: str) -> ValueError:
        """Return an error that names the source and the line."""
        return ValueError(f"{self.source}, line {line}: {reason}")

    def _next(self, missing: str) -> str:
        """Return the next row and store its line number."""
        if not self._rows:
            raise self.error(self._line, f"the text ends here: {missing}")
        self._line, row = self._rows.popleft()
        return row

    def _read_header(self) -> None:
        header: dict[str, str] = {}
        notes: list[str] = []
        while self._rows and (found := _HEADER.fullmatch(self._rows[0][1])) is not None:
            self._next("")
            key, value = found.groups()
            place = "edition" if key == "own edition" else key
            if key == "note":
                notes.append(value)
                continue
            if place in header:
                raise self.error(self._line, f"a second {place!r}")
            header[place] = value
            self.lines[place] = self._line
            if place == "edition":
                self.fields["edition"] = self._edition_of(value, own=key != place)
        missing = [key for key in _NEEDED if key not in header]
        if missing:
            row = self._next(f"the header has no {missing[0]!r}")
            raise self.error(self._line, f"{row!r} is not a header line; the header has no {missing[0]!r}")
        self.fields["notes"] = tuple(notes)
        self._read_numbers(header)

    def _edition_of(self, text: str, own: bool) -> Edition:
        try:
            if not own and text not in EDITIONS:  # not a path: records must not open other files
                raise ValueError(f"unknown edition {text!r}; {nearest(text, EDITIONS, ', '.join(EDITIONS))}")
            if not own:
                return EDITIONS[text]
            return Edition.from_dict(parse_json(text))
        except ValueError as error:
            raise self.error(self._line, f"own edition: {error}" if own else str(error)) from None

    def _read_numbers(self, header: Mapping[str, str]) -> None:
        hidden = {"yes": True, "no": False}.get(header["hidden chests"])
        if hidden is None:
            raise self.error(self.lines["hidden chests"], f"hidden chests {header['hidden chests']!r}: yes or no")
        self.fields["edition"] = dataclasses.replace(self.fields["edition"], hidden_chests=hidden)
        if re.fullmatch("[1-8]", header["players"]) is None:
            raise self.error(self.lines["players"], f"{header['players']!r} players; 1 to 8 are allowed")
        players = self.fields["num_players"] = int(header["players"])
        if re.fullmatch(r"none|0|[1-9]\d{0,19}", header["seed"], re.ASCII) is None:
            raise self.error(self.lines["seed"], f"seed {header['seed']!r}: a whole number of at least 0, or none")
        self.fields["seed"] = None if header["seed"] == "none" else int(header["seed"])
        named = [key for key in header if key.startswith("player_")]
        if named and sorted(named) != [f"player_{seat}" for seat in range(players)]:
            raise self.error(self.lines[named[0]], f"names of {', '.join(named)}; all {players} or none must be named")
        self.fields["names"] = tuple(header[key] for key in sorted(named))

    def _read_turns(self) -> bool:
        """Read the turns; return whether the game is finished, so that its result follows."""
        turns: list[RecordedTurn] = []
        while (row := self._next("there is no result")) != "result":
            found = _TURN.fullmatch(row)
            if found is None:
                raise self.error(self._line, f"{row!r} is no turn such as '1.2 snake | continue 0 2, leave 1'")
            self.lines[len(turns)] = self._line
            continuing, leaving = _seats(found[5]), _seats(found[6] or found[7])
            turns.append(
                RecordedTurn(int(found[1]), int(found[2]), found[3], continuing, leaving, found[4] is not None)
            )
            if turns[-1].undecided:
                break
        self.lines["result"] = self._line
        self.fields["turns"] = tuple(turns)
        return row == "result"

    def _read_result(self) -> None:
        rows = []
        for seat in range(self.fields["num_players"]):
            row = self._next(f"there is no result of player_{seat}")
            found = _CHEST.fullmatch(row)
            if found is None or found[1] != str(seat):
                raise self.error(self._line, f"{row!r} is not 'player_{seat}: chest 12, relics 0' with other numbers")
            rows.append((int(found[2]), int(found[3])))
        self.fields["chests"], self.fields["relics"] = zip(*rows, strict=True)
        row = self._next("there are no winners")
        found = _WINNERS.fullmatch(row)
        if found is None:
            raise self.error(self._line, f"{row!r} is not 'winners: 0' with other seats")
        self.fields["winners"] = _seats(found[1])


def _seats(text: str | None) -> tuple[int, ...]:
    return tuple(sorted(map(int, (text or "").split())))
