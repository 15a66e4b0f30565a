"""Interactive game session of agents and at most one person, with a game log."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from diamant_env.batch import Batch
from diamant_env.drawing.scene import Scene
from diamant_env.editions import Edition
from diamant_env.engine.arguments import MAX_SEED, checked_int
from diamant_env.opponents.custom import Player
from diamant_env.opponents.registry import make
from diamant_env.opponents.table import EMPTY, Table
from diamant_env.records.log import GameLog, GameRecord
from diamant_env.state import GameState


class GameSession:
    """A game played turn by turn.

    >>> session = GameSession("iello-2016", [None, "ev"], seed=0)
    >>> while not session.over:
    ...     decisions = session.decisions()
    ...     decisions[0] = session.now.bag >= 5  # the seat of the caller
    ...     session.play(decisions)
    >>> session.now.chest[:2].tolist()
    [42, 58]

    Args:
        edition: Name of a published edition or an `Edition`.
        agents: Agents by seat, a separate object each or as `diamant_env.opponents.make` takes them; None for seats
            controlled by the caller.
        seed: Seed of the cards and of the agents' sampled decisions.
        names: Names by seat, for the record.
        hidden_chests: See `Batch`.

    Attributes:
        scene: The current scene.
        log: The log of the game.
        games: The state at the start and after each turn, records of type `GAME`.

    Raises:
        ValueError: If an argument is out of range, or an agent does not support the table.
    """

    def __init__(
        self,
        edition: str | Edition,
        agents: Sequence[Player | None],
        seed: int,
        names: Sequence[str] = (),
        hidden_chests: bool | None = None,
    ) -> None:
        seed = checked_int("seed", seed, 0, MAX_SEED)
        seeds = np.random.SeedSequence(seed).generate_state(len(agents)).tolist()
        seated = [seat for seat, agent in enumerate(agents) if agent is not None]
        made = [make(agent, own) for agent, own in zip(agents, seeds, strict=True) if agent is not None]
        self.batch = Batch(1, len(agents), edition, hidden_chests=hidden_chests)
        self.edition = self.batch.editions[0]
        seating = [seated.index(seat) if seat in seated else EMPTY for seat in range(len(agents))]
        self.table = Table(self.batch, made, [seating])
        self.log = GameLog(self.edition, len(agents), seed, names)
        self.scene = Scene()
        self.games: list[GameState] = []
        self._observations = self.batch.reset(seed)
        self._leave: list[float | None] | None = None
        self._follow()

    @property
    def now(self) -> GameState:
        """The current state."""
        return self.games[-1]

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return bool(self.batch.over[0])

    @property
    def asked(self) -> bool:
        """Whether the agents' probabilities of this turn have been computed."""
        return self._leave is not None

    @property
    def leave(self) -> list[float | None]:
        """The agents' probabilities of LEAVE by seat, None for seats in camp; computed once per turn."""
        if self._leave is None:
            inside = self.batch.must_decide[0]
            chances = self.table.leave_probabilities(self._observations)[0] if not self.over else inside
            self._leave = [float(each) if decides else None for each, decides in zip(chances, inside, strict=True)]
        return self._leave

    def decisions(self) -> NDArray[np.int8]:
        """Sample the agents' decisions, int8 (seats,); CONTINUE for seats controlled by the caller."""
        actions = np.zeros((1, len(self.leave)), np.int8)
        chances = [[0.0 if each is None else each for each in self.leave]]
        self.batch.draw_decisions(np.array(chances, np.float32), actions)
        return actions[0]

    def play(self, decisions: Sequence[int] | NDArray[np.int8]) -> None:
        """Play a turn.

        Args:
            decisions: 0 or 1 by seat; ignored for seats in camp.

        Raises:
            RuntimeError: If the game is over.
            ValueError: If a decision of a seat inside is neither 0 nor 1.
        """
        if self.over:
            raise RuntimeError("the game is over")
        self.batch.step(np.asarray(decisions)[None], self._observations)
        self._follow()

    def play_out(self) -> GameRecord:
        """Play to the end, with CONTINUE for seats controlled by the caller; return the record."""
        while not self.over:
            self.play(self.decisions())
        return self.log.record()

    def _follow(self) -> None:
        self._leave = None
        self.games.append(self.batch.games[0])
        self.log.follow(self.now)
        self.scene.follow(self.now)
