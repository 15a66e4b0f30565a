"""What a game's record does not hold because no rule needs it: the turn before, and the order of the cards."""

from diamant_env.state import OVER, Game


class Scene:
    """The path in order, and the state before the last turn."""

    def __init__(self) -> None:
        self.path: list[int] = []  # the cards of this expedition
        self.path_before: list[int] = []  # those that lay there when the last decisions were made
        self.before: Game | None = None  # the record before the last turn
        self.begins = True  # whether the last turn began an expedition, as the start of a game does
        self._now: Game | None = None

    def follow(self, game: Game) -> None:
        """Take note of the start of a game, then of each turn that has been played."""
        self.before, self._now = self._now, game.copy()
        self.path_before = self.path
        over = game.phase == OVER
        self.begins = not over and (self.before is None or game.expedition != self.before.expedition)
        new = [] if over else [int(game.last_card)]
        self.path = new if over or self.begins else [*self.path, *new]

    @property
    def ended(self) -> bool:
        """Whether the last turn ended an expedition."""
        return self.before is not None and (self.begins or not self.path)
