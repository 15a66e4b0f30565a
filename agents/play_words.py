"""What `agents.play` and `agents.watch` say: plain text about a game, with colours where the terminal has them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from agents.tally import Tally
from diamant_env.drawing.render import counted
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, NO_CARD, Edition
from diamant_env.engine.observation_writer import expected_share
from diamant_env.records.log import GameRecord
from diamant_env.rules import CONTINUE, LEAVE, OVER, resolve_decisions

WIDTH = 78
PERSON = 0  # the seat
KEYS = """\
  Enter or c   continue: go one card deeper into the cave
  l            leave: bring your bag, and your part of what lies there, to camp
  o            the odds: of a bust, of the next card, and what leaving brings
  t            the table once more
  h            this help
  q            stop playing; so do Ctrl-D and Ctrl-C, at once"""
_GAME = """\
  Each expedition, everyone enters the cave and cards are turned up one by one.
  A treasure is shared equally by all inside; what can't be shared stays on the
  path. After each card all inside decide at the same time. Who leaves is safe:
  the bag goes into the chest, and the leavers share the gems on the path.{relics}
  The first trap of a kind is a warning; the second sends everyone inside home
  with an empty bag. After the last expedition the fullest chest wins."""
_RELICS = "\n  Relics on the path go to a player who leaves alone."
_ESCAPES = re.compile(r"\033\[\d+m")

_COLOURS = {"treasure": "33", "trap": "31", "relic": "36", "strong": "1", "dim": "2"}


class Words:
    """Speaks about one game.

    Args:
        edition: What is played, with `hidden_chests` as it is.
        names: Of the players, by seat; the person's is ``"you"``.
        colours: Whether the terminal has them.
        person: The seat of the person, or None where agents play among themselves.
    """

    def __init__(
        self, edition: Edition, names: Sequence[str], colours: bool = False, person: int | None = PERSON
    ) -> None:
        self.edition, self.names, self.colours, self.person = edition, list(names), colours, person

    def paint(self, text: str, style: str) -> str:
        """Return the text in a colour, if there are any."""
        return f"\033[{_COLOURS[style]}m{text}\033[0m" if self.colours else text

    def help(self) -> list[str]:
        """Return the game in short and the keys."""
        return [_GAME.format(relics=_RELICS if self.edition.relics else ""), "", KEYS]

    def heading(self, text: str) -> str:
        """Return a line that stands out."""
        return self.paint(f"=== {text} ".ljust(WIDTH, "="), "strong")

    def card(self, card: int) -> str:
        """Return a card as it lies on the path: ``[9]``, ``[SNAKE]``."""
        kind = "treasure" if card < FIRST_TRAP else "trap" if card < FIRST_RELIC else "relic"
        return self.paint(f"[{self.edition.card_name(card).upper()}]", kind)

    def card_turned_up(self, game: np.record, before: np.record | None) -> str:
        """Say what the last card does; `before`: the record before the turn, if it was in the same expedition."""
        card = int(game.last_card)
        name = self.edition.card_name(card)
        if card >= FIRST_RELIC:
            what = f"A relic. Whoever leaves alone takes {_relics(game)}."
        elif card >= FIRST_TRAP:
            what = f"The first {name}; a second ends the expedition."
        else:
            inside = self.inside(game)
            share = int(game.bag) - (int(before.bag) if before is not None else 0)
            each = f"{share or 'nothing'}{' each' if share and len(inside) > 1 else ''}"
            stays = int(name) - share * len(inside)
            what = (
                f"{self.verb(inside, 'gets', 'get')} {each}; {stays or 'nothing'} stay{'s' * (stays < 2)} on the path."
            )
        return wrapped(f"Card {game.turn}  {self.card(card)}  {what}")

    def bust(self, game: np.record, before: np.record) -> str:
        """Say who lost what by a second trap."""
        trap = self.edition.card_name(game.bust_card)
        fled = [seat for seat in range(game.num_players) if before.inside[seat] and game.decision[seat] != LEAVE]
        lost = _gems(int(before.bag)) + (" each" if len(fled) > 1 else "") if before.bag else "nothing but a chance"
        removed = ("No card leaves", "One card leaves", "Both cards leave")[self.edition.bust_removes]
        second = self.paint(f"The second {trap}: a bust!", "trap")
        what = f"{self.verb(fled, 'flees and loses', 'flee and lose')} {lost}. {removed} the game."
        return wrapped(f"Card {before.turn + 1}  {self.card(int(game.bust_card))}  {second} {what}")

    def decisions(self, game: np.record, before: np.record) -> str:
        """Say who continued and who left, with what."""
        stayed, left = (
            [seat for seat in self.inside(before) if game.decision[seat] == what] for what in (CONTINUE, LEAVE)
        )
        if not left:
            return (
                f">> {self.verb(stayed, 'continues', 'continue') if len(stayed) < 3 else 'Everyone inside continues'}."
            )
        banked = self.paint(_gems(int(game.banked[left[0]])), "treasure") + (" each" if len(left) > 1 else "")
        relics = int(game.relics[left[0]] - before.relics[left[0]])
        included = f", {counted(relics, 'relic')} included" if relics else ""
        said = f">> {self.verb(left, 'leaves and banks', 'leave and bank')} {banked}{included}."
        others = f"The other {len(stayed)} continue" if len(stayed) > 3 else ""
        return wrapped(f"{said} {others or self.verb(stayed, 'continues', 'continue')}." if stayed else said)

    def table(self, game: np.record, path: Sequence[int]) -> list[str]:
        """Return what lies on the table, with a row for each player."""
        lying = _gems(int(game.path_gems)) + (f" and {_relics(game)}" if game.path_relics else "")
        bag = _gems(int(game.bag)) + (" in each bag" if game.num_inside > 1 else " in the bag")
        width = max(map(len, self.names)) + 2
        lines = [*self.path(path), f"  lying   {lying}", f"  risked  {bag}"]
        lines.append(self.paint(f"  {'':<{width}}{'where':<8}{'chest':>7}{'relics':>8}", "dim"))
        for seat, name in enumerate(self.names):
            secret = self.edition.hidden_chests and seat != PERSON
            chest, relics = ("?", "?") if secret else (str(game.chest[seat]), str(game.relics[seat]))
            row = f"  {name:<{width}}{'cave' if game.inside[seat] else 'camp':<8}{chest:>7}{relics:>8}"
            lines.append(self.paint(row, "strong") if seat == PERSON else row)
        return lines

    def path(self, path: Sequence[int]) -> list[str]:
        """Return the cards of this expedition, on as many lines as they need."""
        lines, room = ["  path    "], WIDTH - 10
        for card in path:
            size = len(self.edition.card_name(card)) + 3
            if size > room:
                lines.append(" " * 10)
                room = WIDTH - 10
            lines[-1] += self.card(card) + " "
            room -= size
        return [line.rstrip() for line in lines]

    def odds(self, game: np.record, rules: np.record) -> list[str]:
        """Return exactly what the next card may be and what leaving now would bring.

        Args:
            game: The record, waiting for decisions.
            rules: The record of the edition.
        """
        deck, size = game.deck.tolist(), int(game.deck_size)
        traps = range(FIRST_TRAP, FIRST_TRAP + len(self.edition.traps))
        fatal = [card for card in traps if game.on_path[card - FIRST_TRAP]]
        chance = sum(deck[card] for card in fatal) / size
        lines = [f"  {counted(size, 'card')} in the deck; the next one is"]
        lines += self._odds_of("a bust", sum(deck[card] for card in fatal), size)
        for card in fatal:
            lines += self._odds_of(f"  by {self.edition.card_name(card)}", deck[card], size)
        lines += self._odds_of("a new trap", sum(deck[card] for card in traps if card not in fatal), size)
        lines += self._odds_of("a treasure", sum(deck[:FIRST_TRAP]), size)
        if self.edition.relics:
            lines += self._odds_of("a relic", sum(deck[FIRST_RELIC:]), size)
        share, cost = float(expected_share(game, rules)), chance * int(game.bag)
        who = "if nobody leaves" if game.num_inside > 1 else "alone"
        lines.append(f"  On average it brings you {share:.2f} gems {who}; a bust costs {cost:.2f} on average.")
        return [*lines, "  Leaving now brings you", *self._leaving(game, rules)]

    def _odds_of(self, what: str, cards: int, size: int) -> list[str]:
        return [f"    {what:<24}{cards:>3} of {size:<4}{cards / size:>7.1%}"]

    def _leaving(self, game: np.record, rules: np.record) -> list[str]:
        """Play the decisions on a copy of the game, for each number of others who leave as well."""
        others = [seat for seat in self.inside(game) if seat != PERSON]
        lines = []
        for company in range(len(others) + 1):
            then = game.copy()
            then.decision[:] = CONTINUE
            then.decision[[PERSON, *others[:company]]] = LEAVE
            resolve_decisions(then, rules)
            relics = then.relics[PERSON] - game.relics[PERSON]
            with_relics = f", {counted(relics, 'relic')} included" if relics else ""
            what = "alone" if company == 0 else f"with {counted(company, 'other')}"
            lines.append(f"    {what:<24}{_gems(int(then.banked[PERSON]))}{with_relics}")
        return lines

    def summary(self, record: GameRecord, tally: Tally) -> list[str]:
        """Return the result: a row per player, what each expedition brought, the winners, the person's busts.

        Args:
            record: Of the game.
            tally: Of all its turns.
        """
        banked, busts = tally.banked, tally.busts
        expeditions, seats = banked.shape
        width = max(map(len, self.names)) + 2
        cells = "".join(f"{number:>6}" for number in range(1, expeditions + 1))
        lines = [self.paint(f"  {'expedition':<{max(width, 12)}}{cells}{'chest':>8}{'relics':>8}{'busts':>7}", "dim")]
        order = [(seat in record.winners, record.chests[seat], record.relics[seat], -seat) for seat in range(seats)]
        for *_, minus in sorted(order, reverse=True):
            seat = -minus
            row = [("bust" if busts[trip, seat] else str(banked[trip, seat])) for trip in range(expeditions)]
            text = f"  {self.names[seat]:<{max(width, 12)}}{''.join(f'{cell:>6}' for cell in row)}"
            text += f"{record.chests[seat]:>8}{record.relics[seat]:>8}{busts[:, seat].sum():>7}"
            lines.append(self.paint(text, "strong") if seat == self.person else text)
        return [*lines, "", self.paint(self._winners(record), "strong"), *self._busts_of_person(busts)]

    def _busts_of_person(self, busts: np.ndarray) -> list[str]:
        return [] if self.person is None else [_busts_of(busts[:, self.person])]

    def _winners(self, record: GameRecord) -> str:
        chest = record.chests[record.winners[0]]
        if len(record.winners) > 1:
            return f"{self.each(record.winners)} share the victory with {_gems(chest)} each."
        level = [seat for seat, other in enumerate(record.chests) if other == chest and seat not in record.winners]
        by_relics = f", and more relics than {self.each(level)}" if level else ""
        return f"{self.verb(record.winners, 'wins', 'win')} with {_gems(chest)}{by_relics}."

    def inside(self, game: np.record) -> list[int]:
        """The seats inside the cave."""
        return [seat for seat in range(game.num_players) if game.inside[seat]]

    def verb(self, seats: Sequence[int], one: str, several: str) -> str:
        """Return ``"You and ev continue"`` or ``"ev continues"``."""
        return f"{self.each(seats)} {several if len(seats) > 1 or self.person in seats else one}"

    def each(self, seats: Sequence[int]) -> str:
        """Return the names: ``"You, ev and bag:18"``."""
        names = [self.names[seat] for seat in seats]
        names[0] = "You" if seats[0] == self.person else names[0]
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def wrapped(text: str) -> str:
    """Return a text on as many lines as it needs; colours take no room."""
    lines, room = [""], WIDTH
    for word in re.split(r"(?<=\S) ", text):
        size = len(_ESCAPES.sub("", word)) + 1
        if size > room:
            lines.append("   ")
            room = WIDTH - 3
        lines[-1] += f"{word} "
        room -= size
    return "\n".join(line.rstrip() for line in lines)


def over_or_next(game: np.record, before: np.record) -> bool:
    """Whether the turn ended the expedition."""
    return bool(game.phase == OVER or game.expedition != before.expedition)


def is_bust(game: np.record) -> bool:
    """Whether the turn ended in a bust."""
    return bool(game.bust_card != NO_CARD)


def _busts_of(busts: np.ndarray) -> str:
    trips = [str(trip + 1) for trip in np.flatnonzero(busts)]
    if not trips:
        return "You never lost your bag."
    which = trips[0] if len(trips) == 1 else f"{', '.join(trips[:-1])} and {trips[-1]}"
    times = "once, in expedition" if len(trips) == 1 else f"{len(trips)} times, in expeditions"
    return f"You lost your bag {times} {which}."


def _relics(game: np.record) -> str:
    return f"{counted(int(game.path_relics), 'relic')} worth {game.path_relic_value}"


def _gems(number: int) -> str:
    return counted(number, "gem")
