"""Text rendering of a game, for `render` and for terminals."""

import dataclasses
import re
import textwrap
from collections.abc import Sequence

from diamant_env.drawing.narration import Narrator, last_decision, path_contents, ranking
from diamant_env.drawing.scene import BUST, Scene
from diamant_env.editions import FIRST_TRAP, NO_CARD, Edition
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.engine.observation_writer import bust_chance, expected_share
from diamant_env.state import OVER, GameState

_WIDTH = 78
_HARD_SPACE = "\N{NO-BREAK SPACE}"  # keeps a card's name on one line
_BAR = 20  # characters of the bar of probability 1
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


def path_lines(game: GameState, edition: Edition, scene: Scene) -> list[str]:
    """Return the cards of this expedition, wrapped, and the gems and relics on the path."""
    cards = " - ".join(_card_text(edition, card) for card in scene.path)
    path = textwrap.wrap(cards, _WIDTH, initial_indent="  path   ", subsequent_indent=" " * 9, break_on_hyphens=False)
    return [*(line.replace(_HARD_SPACE, " ") for line in path), f"  lying  {path_contents(game)}"]


def seat_lines(
    game: GameState, edition: Edition, scene: Scene, names: Sequence[str], seat: int | None = None
) -> list[str]:
    """Return a heading and a row per player.

    Hidden chests other than that of `seat` are shown only when the game is over.
    """
    width = max(map(len, ("player", *names))) + 2
    lines = [f"  {'player':<{width}}{'where':<8}{'decided':<10}{'bag':>5}{'chest':>7}{'relics':>8}"]
    for other, name in enumerate(names):
        where, bag = ("cave", game.bag) if game.inside[other] else ("camp", "-")
        secret = edition.hidden_chests and game.phase != OVER and other != seat
        chest = "?" if secret else game.chest[other]
        decided = last_decision(game, scene, other)
        lines.append(f"  {name:<{width}}{where:<8}{decided:<10}{bag:>5}{chest:>7}{game.relics[other]:>8}")
    return lines


class TextView:
    """Text view of a game for a terminal.

    Args:
        edition: The edition, with the game's `hidden_chests`.
        names: Players' names by seat.
        person: The seat of the person who plays, or None to show all chests.
        colours: Whether the terminal supports ANSI colours.
    """

    def __init__(
        self, edition: Edition, names: Sequence[str], person: int | None = None, colours: bool = False
    ) -> None:
        self.edition = edition if person is not None else dataclasses.replace(edition, hidden_chests=False)
        self.names, self.person, self.colours = list(names), person, colours
        self._narrator = Narrator(edition, names, person)

    def paint(self, text: str, style: str) -> str:
        """Return the text in a style, if colours are on."""
        return f"\033[{_COLOURS[style]}m{text}\033[0m" if self.colours else text

    def heading(self, text: str) -> str:
        """Return a heading line."""
        return self.paint(f"=== {text} ".ljust(_WIDTH, "="), "strong")

    def turn(self, game: GameState, scene: Scene) -> list[str]:
        """Return the events of the last turn: the decisions, the end of an expedition, and the next card."""
        lines = []
        if scene.before is not None:
            lines.append(_wrapped(f">> {self._narrator.decisions(game, scene)}"))
        if scene.ended:
            outcome = _wrapped(self._narrator.outcome(game, scene))
            lines.append(outcome if game.bust_card == NO_CARD else self.paint(outcome, "trap"))
        if game.phase == OVER:
            return lines
        if scene.begins:
            lines += ["", self.heading(f"Expedition {game.expedition} of {self.edition.expeditions}")]
        card = _wrapped(f"Card {game.turn}  {self._narrator.card(game, scene)}")
        return [*lines, self.paint(card, _kind(self.edition.card_name(game.last_card)))]

    def state(self, game: GameState, scene: Scene, leave: Sequence[float | None] | None = None) -> list[str]:
        """Return the path and a row per player; with `leave` also the odds and each probability of LEAVE.

        Args:
            game: The state, in phase `DECIDE`.
            scene: The scene of the game.
            leave: Probability of LEAVE by seat, None for seats in camp.
        """
        lines = [*map(self._painted_cards, path_lines(game, self.edition, scene))]
        heading, *rows = seat_lines(game, self.edition, scene, self.names, self.person)
        if leave is not None:
            share = float(expected_share(game, numbers_of(self.edition)))
            lines.append(f"  bust   {bust_chance(game):.1%} with the next card")
            lines.append(f"  share  {share:.2f} gems for each inside with the next card, on average")
            heading += "   probability of LEAVE"
            bars = ["" if each is None else f"   {each:>6.1%}  {'#' * round(_BAR * each)}" for each in leave]
            rows = [(row + bar).rstrip() for row, bar in zip(rows, bars, strict=True)]
        return [*lines, self.paint(heading, "dim"), *map(self._strong_if_own, rows, range(len(rows)))]

    def summary(self, game: GameState, scene: Scene) -> list[str]:
        """Return the result: a row per player, best first, and the winners.

        Args:
            game: The final state.
            scene: The scene of the game.
        """
        width = max(12, *(len(name) + 2 for name in self.names))
        cells = "".join(f"{number:>6}" for number in range(1, len(scene.banked) + 1))
        lines = ["", self.heading("The game is over")]
        lines.append(self.paint(f"  {'expedition':<{width}}{cells}{'chest':>8}{'relics':>8}", "dim"))
        for seat in ranking(game, self.edition):
            banked = [each[seat] for each in scene.banked]
            cells = "".join(f"{'bust' if gems == BUST else gems:>6}" for gems in banked)
            row = f"  {self.names[seat]:<{width}}{cells}{game.chest[seat]:>8}{game.relics[seat]:>8}"
            lines.append(self._strong_if_own(row, seat))
        return [*lines, "", self.paint(self._narrator.result(game), "strong")]

    def _strong_if_own(self, row: str, seat: int) -> str:
        return self.paint(row, "strong") if seat == self.person else row

    def _painted_cards(self, line: str) -> str:
        return re.sub(r"\[(.+?)\]", lambda found: self.paint(found[0], _kind(found[1])), line)


def _card_text(edition: Edition, card: int) -> str:
    name = edition.card_name(card)
    return f"[{name if card < FIRST_TRAP else name.upper()}]".replace(" ", _HARD_SPACE)


def _kind(card: str) -> str:
    """Return the kind of a card from its name; editions exclude traps named like treasures or relics."""
    return "treasure" if card.isdigit() else "relic" if card.lower().startswith("relic") else "trap"


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _WIDTH, subsequent_indent="   ", break_on_hyphens=False)
