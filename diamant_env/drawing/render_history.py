"""History of a game that rendering needs beyond its state, such as the order of the cards."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import FIRST_RELIC, MAX_PLAYERS, NO_CARD
from diamant_env.state import CONTINUE, OVER, GameState

BUST = -1  # marker in place of gems banked


class EndedPath(NamedTuple):
    """The path of the expedition that the last turn ended."""

    title: str
    cards: list[int]
    fatal: list[int]  # positions of the two traps that ended it; empty if everyone left
    relics_on_path: int


class RenderHistory:
    """Path in order, and state before the last turn."""

    def __init__(self) -> None:
        self.path: list[int] = []  # the cards of this expedition
        self.path_before: list[int] = []  # the path before the last turn
        self.before: GameState | None = None  # the state before the last turn
        self.begins = True  # whether the last turn began an expedition
        self.banked: list[NDArray[np.int64]] = []  # (MAX_PLAYERS,) for each expedition: gems banked, or BUST
        self.now: GameState | None = None

    def update(self, game: GameState) -> None:
        """Update the history with the start of a game, then with the state after each turn."""
        self.before, self.now = self.now, game.copy()
        self.path_before = self.path
        over = game.phase == OVER
        self.begins = not over and (self.before is None or game.expedition != self.before.expedition)
        new = [] if over else [int(game.last_card)]
        self.path = new if over or self.begins else [*self.path, *new]
        if self.before is not None:
            self.banked[-1] += game.banked
            if game.bust_card != NO_CARD:
                self.banked[-1][game.decision == CONTINUE] = BUST
        if self.begins:
            self.banked.append(np.zeros(MAX_PLAYERS, int))

    @property
    def ended(self) -> bool:
        """Whether the last turn ended an expedition."""
        return self.before is not None and (self.begins or not self.path)

    def ended_path(self, game: GameState) -> EndedPath | None:
        """Return the path of the expedition that the last turn ended, or None."""
        before, cards, fatal = self.before, self.path_before, []
        if before is None or not self.ended:
            return None
        if game.bust_card != NO_CARD:
            cards = [*cards, int(game.bust_card)]
            fatal = [position for position, card in enumerate(cards) if card == game.bust_card]
        end = "bust" if fatal else "everyone back in camp"
        relics_on_path = int(before.path_relics) - int(game.relics.sum() - before.relics.sum())
        return EndedPath(f"Expedition {before.expedition}: {end}", cards, fatal, relics_on_path)


def relics_gone(path: list[int], relics_on_path: int) -> list[int]:
    """Return the positions of the taken relics: all but the last `relics_on_path`."""
    relics = [position for position, card in enumerate(path) if card >= FIRST_RELIC]
    return relics[: max(0, len(relics) - relics_on_path)]  # the path of a restored game lacks relics
