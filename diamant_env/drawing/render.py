"""What people look at: the table as text, as a picture or in a window."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from diamant_env.editions import FIRST_TRAP, NO_CARD, Edition
from diamant_env.engine.observation_writer import bust_chance
from diamant_env.rules import LEAVE, NO_DECISION, OVER

RENDER_MODES = ("human", "rgb_array", "ansi")


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


class View:
    """A table in one of the `RENDER_MODES`. Pictures need pygame-ce, which is imported here and nowhere else.

    Args:
        mode: ``"human"`` opens a window at the first picture.

    Raises:
        ImportError: If the mode needs pygame-ce and it isn't installed.
    """

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self._window: Any = None
        if mode != "ansi":
            from diamant_env.drawing import picture

            self._picture = picture
            self._window = picture.Window("Diamant") if mode == "human" else None

    def render(self, game: np.record, edition: Edition, scene: Scene, fps: float = 0) -> str | np.ndarray | None:
        """Return the table as text or as a new uint8 (H, W, 3), or show it, at most `fps` times a second."""
        if self.mode == "ansi":
            return render_text(game, edition, scene)
        table = self._picture.draw_table(game, edition, scene)
        if self._window is None:
            return self._picture.pixels_of(table)
        self._window.show(table, fps)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()


def render_text(game: np.record, edition: Edition, scene: Scene, seat: int | None = None) -> str:
    """Return the table as lines of text: what was just decided, the path, and a row for each player.

    Args:
        game: The record.
        edition: What is played.
        scene: Has followed the game.
        seat: Who looks. Where chests are hidden, only this one is shown until the game is over; by default none.
    """
    hidden = edition.hidden_chests and game.phase != OVER
    lines = _news(game, edition, scene)
    if game.phase == OVER:
        lines.append(f"The game is over after {game.expedition} expeditions.")
    else:
        path = " - ".join(_card_text(edition, card) for card in scene.path)
        lines += [
            f"Expedition {game.expedition} of {edition.expeditions}, card {game.turn}",
            f"  path   {path}",
            f"  lying  {counted(game.path_gems, 'gem')}, {counted(game.path_relics, 'relic')}"
            + (f" worth {game.path_relic_value}" if game.path_relics else ""),
            f"  bust   {bust_chance(game):.1%} with the next card",
        ]
    lines.append(f"  {'player':<10}{'where':<8}{'decided':<10}{'bag':>5}{'chest':>7}{'relics':>8}")
    for other in range(game.num_players):
        inside = bool(game.inside[other])
        bag = str(game.bag) if inside else "-"
        secret = hidden and other != seat
        chest, relics = ("?", "?") if secret else (game.chest[other], game.relics[other])
        lines.append(
            f"  player_{other:<3}{'cave' if inside else 'camp':<8}{_decision_text(game, other):<10}"
            f"{bag:>5}{chest:>7}{relics:>8}"
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
        lines.append(f"A second {trap}! {who} {flee}. {what_is_removed(edition, trap)}")
    elif game.expedition != before.expedition or game.phase == OVER:
        lines.append("Everyone is back in camp.")
    return lines


def what_is_removed(edition: Edition, trap: str) -> str:
    """Return a sentence about the trap cards that leave the game at a bust."""
    cards = (f"No {trap} card leaves", f"One {trap} card leaves", f"Two {trap} cards leave")[edition.bust_removes]
    return f"{cards} the game."


def _decision_text(game: np.record, seat: int) -> str:
    if game.decision[seat] == NO_DECISION:
        return "-"
    return f"leave +{game.banked[seat]}" if game.decision[seat] == LEAVE else "continue"


def _card_text(edition: Edition, card: int) -> str:
    name = edition.card_name(card)
    return f"[{name}]" if card < FIRST_TRAP else f"[{name.upper()}]"


def counted(number: int, noun: str) -> str:
    """Return so many of something: ``"1 gem"``, ``"2 gems"``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
