"""What each expedition of a game brought to each seat."""

from __future__ import annotations

import numpy as np

from diamant_env.editions import NO_CARD
from diamant_env.rules import LEAVE


class Tally:
    """Follows a game turn by turn.

    Args:
        expeditions: Of the game.
        seats: At the table.

    Attributes:
        banked: int (expeditions, seats), gems and relic values brought home.
        busts: bool (expeditions, seats), whether a seat lost its bag.
    """

    def __init__(self, expeditions: int, seats: int) -> None:
        self.banked = np.zeros((expeditions, seats), int)
        self.busts = np.zeros((expeditions, seats), bool)

    def follow(self, game: np.record, before: np.record) -> None:
        """Take note of a turn, by the record after and before it."""
        trip, seats = before.expedition - 1, self.banked.shape[1]
        self.banked[trip] += game.banked[:seats]
        if game.bust_card != NO_CARD:
            self.busts[trip] = (before.inside[:seats] == 1) & (game.decision[:seats] != LEAVE)
