"""Text rendering of a game, for `render` and for terminals."""

import dataclasses
import re
from collections.abc import Sequence

from diamant_env.drawing.narration import WIDTH, Narrator, last_decision, path_contents, ranking, wrap_text
from diamant_env.drawing.scene import BUST, Scene
from diamant_env.editions import FIRST_TRAP, NO_CARD, Edition
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.engine.observation_writer import bust_chance, expected_share
from diamant_env.state import OVER, GameState

_BAR = 20  # characters of the bar of probability 1, fewer beside long names
_NAME = 20  # characters; a longer name has a line of its own
_CELLS = 6  # expeditions side by side in the result
_COLOURS = {"treasure": "33", "trap": "31", "relic": "36", "strong": "1", "dim": "2"}


def render_text(game: GameState, edition: Edition, scene: Scene) -> str:
    """Return a game as text: the end of an expedition if any, the path, and a row per player."""
    narrator = Narrator(edition)
    lines = [narrator.outcome(game, scene)]
    if game.phase == OVER:
        lines.append(narrator.result(game))
    else:
        lines.append(f"Expedition {game.expedition} of {edition.expeditions}, card {game.turn}")
        lines += [*path_lines(game, edition, scene), f"  bust   {bust_chance(game):.1%} with the next card"]
    names = [f"player_{seat}" for seat in range(game.num_players)]
    return "\n".join(filter(None, [*lines, *seat_lines(game, edition, scene, names)]))


def path_lines(game: GameState, edition: Edition, scene: Scene, width: int = WIDTH) -> list[str]:
    """Return the cards of this expedition, wrapped, and the gems and relics on the path."""
    cards = " - ".join(_card_text(edition, card) for card in scene.path)
    return [*wrap_text(cards, "  path   ", " " * 9, width).splitlines(), f"  lying  {path_contents(game)}"]


def seat_lines(
    game: GameState, edition: Edition, scene: Scene, names: Sequence[str], seat: int | None = None
) -> list[str]:
    """Return a heading and a row per player, which begins with a line of its own for a long name.

    Hidden chests other than that of `seat` are shown only when the game is over.
    """
    width = _name_width(names)
    lines = [f"  {'player':<{width}}{'where':<8}{'decided':<10}{'bag':>5}{'chest':>7}{'relics':>8}"]
    for other, name in enumerate(names):
        where, bag = ("cave", game.bag) if game.inside[other] else ("camp", "-")
        secret = edition.hidden_chests and game.phase != OVER and other != seat
        chest = "?" if secret else game.chest[other]
        decided = last_decision(game, scene, other)
        lines.append(f"{_name_cell(name, width)}{where:<8}{decided:<10}{bag:>5}{chest:>7}{game.relics[other]:>8}")
    return lines


class TextView:
    """Text view of a game for a terminal.

    Args:
        edition: The edition, with the game's `hidden_chests`.
        names: Players' names by seat.
        person: The seat of the person who plays, or None to show all chests.
        colours: Whether the terminal supports ANSI colours.
        width: Columns of the terminal; at most `WIDTH` are used.
    """

    def __init__(
        self,
        edition: Edition,
        names: Sequence[str],
        person: int | None = None,
        colours: bool = False,
        width: int = WIDTH,
    ) -> None:
        self._width = min(WIDTH, width)
        self.edition = edition if person is not None else dataclasses.replace(edition, hidden_chests=False)
        self.names, self.person, self.colours = list(names), person, colours
        self._narrator = Narrator(edition, names, person)

    def paint(self, text: str, style: str) -> str:
        """Return the text in a style, if colours are on."""
        return f"\033[{_COLOURS[style]}m{text}\033[0m" if self.colours else text

    def heading(self, text: str) -> str:
        """Return a heading line."""
        return self.paint(f"=== {text} ".ljust(self._width, "="), "strong")

    def turn(self, game: GameState, scene: Scene) -> list[str]:
        """Return the events of the last turn: the decisions, the end of an expedition, and the next card."""
        lines = []
        if scene.before is not None:
            lines.append(self._wrap(f">> {self._narrator.decisions(game, scene)}"))
        if scene.ended:
            outcome = self._wrap(self._narrator.outcome(game, scene))
            lines.append(outcome if game.bust_card == NO_CARD else self.paint(outcome, "trap"))
        if game.phase == OVER:
            return lines
        if scene.begins:
            lines += ["", self.heading(f"Expedition {game.expedition} of {self.edition.expeditions}")]
        card = self._wrap(f"Card {game.turn}  {self._narrator.card(game, scene)}")
        return [*lines, self.paint(card, _kind(self.edition.card_name(game.last_card)))]

    def state(self, game: GameState, scene: Scene, leave: Sequence[float | None] | None = None) -> list[str]:
        """Return the path and a row per player; with `leave` also the odds and each probability of LEAVE.

        Args:
            game: The state, in phase `DECIDE`.
            scene: The scene of the game.
            leave: Probability of LEAVE by seat, None for seats in camp.
        """
        lines = [*map(self._painted_cards, path_lines(game, self.edition, scene, self._width))]
        heading, *rows = seat_lines(game, self.edition, scene, self.names, self.person)
        if leave is not None:
            share = float(expected_share(game, numbers_of(self.edition)))
            lines.append(f"  bust   {bust_chance(game):.1%} with the next card")
            lines.append(self._wrap(f"  share  {share:.2f} gems for each inside with the next card, on average"))
            longest = max(0, min(_BAR, self._width - len(f"{heading}   100.0%  ")))
            heading += "   P(LEAVE)"
            bars = ["" if each is None else f"   {each:>6.1%}  {'#' * round(longest * each)}" for each in leave]
            rows = [(row + bar).rstrip() for row, bar in zip(rows, bars, strict=True)]
        if len(heading) > self._width:
            at = heading.index("  bag")
            heading, *rows = (_folded(row, at) for row in (heading, *rows))
        return [*lines, self.paint(heading, "dim"), *map(self._strong_if_own, rows, range(len(rows)))]

    def summary(self, game: GameState, scene: Scene) -> list[str]:
        """Return the result: a row per player, best first, and the winners; many expeditions take several tables.

        Args:
            game: The final state.
            scene: The scene of the game.
        """
        width = max(12, _name_width(self.names))
        cells_in_line = max(1, min(_CELLS, (self._width - width - len("     chest  relics  ")) // 6))
        lines = ["", self.heading("The game is over")]
        for first in range(0, len(scene.banked), cells_in_line):
            shown = scene.banked[first : first + cells_in_line]
            last = first + len(shown) == len(scene.banked)
            cells = "".join(f"{number:>6}" for number in range(first + 1, first + len(shown) + 1))
            totals = f"{'chest':>8}{'relics':>8}" if last else ""
            lines.append(self.paint(f"  {'expedition':<{width}}{cells}{totals}", "dim"))
            for seat in ranking(game, self.edition):
                cells = "".join(f"{'bust' if each[seat] == BUST else each[seat]:>6}" for each in shown)
                totals = f"{game.chest[seat]:>8}{game.relics[seat]:>8}" if last else ""
                lines.append(self._strong_if_own(f"{_name_cell(self.names[seat], width)}{cells}{totals}", seat))
        return [*lines, "", self.paint(self._wrap(self._narrator.result(game)), "strong")]

    def _wrap(self, text: str) -> str:
        return wrap_text(text, width=self._width)

    def _strong_if_own(self, row: str, seat: int) -> str:
        return self.paint(row, "strong") if seat == self.person else row

    def _painted_cards(self, line: str) -> str:
        return re.sub(r"\[(.+?)\]", lambda found: self.paint(found[0], _kind(found[1])), line)


def _name_width(names: Sequence[str]) -> int:
    return max(len(name) for name in ("player", *names) if len(name) <= _NAME) + 2


def _folded(row: str, at: int) -> str:
    """Return a row on two lines, broken before a column."""
    return "\n".join(filter(str.strip, [part for line in row.splitlines() for part in (line[:at], line[at:])]))


def _name_cell(name: str, width: int) -> str:
    """Return the cell of a name; a long one is followed by a line break and an empty cell."""
    return f"  {name:<{width}}" if len(name) <= _NAME else f"{wrap_text(name, '  ', '  ')}\n  {'':<{width}}"


def _card_text(edition: Edition, card: int) -> str:
    name = edition.card_name(card)
    return f"[{name if card < FIRST_TRAP else name.upper()}]"


def _kind(card: str) -> str:
    """Return the kind of a card from its name; editions exclude traps named like treasures or relics."""
    return "treasure" if card.isdigit() else "relic" if card.lower().startswith("relic") else "trap"
