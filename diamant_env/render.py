"""What people look at: the table as text."""

from __future__ import annotations

import copy

import numpy as np

from diamant_env.editions import FIRST_TRAP, NO_CARD, Edition
from diamant_env.observation import bust_chance
from diamant_env.rules import LEAVE, NO_DECISION, OVER


class Scene:
    """What a game's record does not hold because no rule needs it: the order of the cards on the path.

    Attributes:
        path: The cards of this expedition, in order.
        before: The record before the last turn, or None at the start.
        path_before: The path that lay there when the last decisions were made.
    """

    def __init__(self) -> None:
        self.path: list[int] = []
        self.path_before: list[int] = []
        self.before: np.record | None = None
        self._now: np.record | None = None

    def follow(self, game: np.record) -> None:
        """Take note of the turn that has just been played."""
        self.before, self._now = self._now, copy.copy(game)
        self.path_before = self.path
        if game.phase == OVER:
            self.path = []
        elif self.before is not None and game.expedition == self.before.expedition:
            self.path = [*self.path, int(game.last_card)]
        else:
            self.path = [int(game.last_card)]


def render_text(game: np.record, edition: Edition, scene: Scene) -> str:
    """Return the table as lines of text: what was just decided, the path, and a row for each player."""
    lines = _news(game, edition, scene)
    if game.phase == OVER:
        lines.append(f"The game is over after {game.expedition} expeditions.")
    else:
        path = " - ".join(_card_text(edition, card) for card in scene.path)
        lines += [
            f"Expedition {game.expedition} of {edition.expeditions}, card {game.turn}",
            f"  path   {path}",
            f"  lying  {_count(game.path_gems, 'gem')}, {_count(game.path_relics, 'relic')}"
            + (f" worth {game.path_relic_value}" if game.path_relics else ""),
            f"  bust   {bust_chance(game):.1%} with the next card",
        ]
    lines.append(f"  {'player':<10}{'where':<8}{'decided':<10}{'bag':>5}{'chest':>7}{'relics':>8}")
    for seat in range(game.num_players):
        inside = bool(game.inside[seat])
        where = "cave" if inside else "camp"
        bag = str(game.bag) if inside else "-"
        lines.append(
            f"  player_{seat:<3}{where:<8}{_decision_text(game, seat):<10}"
            f"{bag:>5}{game.chest[seat]:>7}{game.relics[seat]:>8}"
        )
    return "\n".join(lines)


def _news(game: np.record, edition: Edition, scene: Scene) -> list[str]:
    """What happened since the last picture."""
    before = scene.before
    if before is None:
        return []
    lines = []
    if game.bust_card != NO_CARD:
        trap = edition.card_name(game.bust_card)
        stayed = [seat for seat in range(game.num_players) if before.inside[seat] and game.decision[seat] != LEAVE]
        who = ", ".join(f"player_{seat}" for seat in stayed)
        flee = "flees and loses the bag" if len(stayed) == 1 else "flee and lose their bags"
        removed = (f"No {trap} card leaves", f"One {trap} card leaves", f"Two {trap} cards leave")[edition.bust_removes]
        lines.append(f"A second {trap}! {who} {flee}. {removed} the game.")
    elif game.expedition != before.expedition or game.phase == OVER:
        lines.append("Everyone is back in camp.")
    return lines


def _decision_text(game: np.record, seat: int) -> str:
    if game.decision[seat] == NO_DECISION:
        return "-"
    return f"leave +{game.banked[seat]}" if game.decision[seat] == LEAVE else "continue"


def _card_text(edition: Edition, card: int) -> str:
    name = edition.card_name(card)
    return f"[{name}]" if card < FIRST_TRAP else f"[{name.upper()}]"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
