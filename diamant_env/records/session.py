"""A game between agents and at most one person, turn by turn, and written down as it goes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent, observe_history
from diamant_env.batch import Batch
from diamant_env.drawing.scene import Scene
from diamant_env.editions import Edition
from diamant_env.opponents.registry import make
from diamant_env.opponents.table import EMPTY, Table
from diamant_env.records.log import GameLog, GameRecord
from diamant_env.state import GameState


class GameSession:
    """A game that is being played.

    Args:
        edition: A published name or an `Edition`.
        agents: Who plays, by seat; None where the caller decides. Each seat needs an object of its own.
        seed: Of the cards and of the draw of the agents' decisions.
        names: Who sits there, for the record.
        hidden_chests: See `Batch`.
        notes: See `GameRecord`.

    Attributes:
        scene: Has followed the game.
        log: Has followed it too.
        games: The record at the start and after each turn.

    Raises:
        ValueError: If an argument is out of range, or an agent refuses the table.
    """

    def __init__(
        self,
        edition: str | Edition,
        agents: Sequence[Agent | None],
        seed: int,
        names: Sequence[str] = (),
        hidden_chests: bool | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self.batch = Batch(1, len(agents), edition, hidden_chests=hidden_chests, history=observe_history(agents))
        self.edition = self.batch.editions[0]
        seated = [seat for seat, agent in enumerate(agents) if agent is not None]
        seating = [seated.index(seat) if seat in seated else EMPTY for seat in range(len(agents))]
        self.table = Table(self.batch, [agent for agent in agents if agent is not None], [seating])
        self.log = GameLog(self.edition, len(agents), seed, names, notes)
        self.scene = Scene()
        self.games: list[GameState] = []
        self._observations = self.batch.reset(seed)
        self._leave: list[float | None] | None = None
        self._follow()

    @property
    def now(self) -> GameState:
        """The game's record."""
        return self.games[-1]

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return bool(self.batch.over[0])

    @property
    def asked(self) -> bool:
        """Whether the agents have been asked for this turn."""
        return self._leave is not None

    @property
    def leave(self) -> list[float | None]:
        """The agents' probabilities of LEAVE by seat; None for who need not decide. They are asked once a turn."""
        if self._leave is None:
            inside = self.batch.must_decide[0]
            chances = self.table.leave_probabilities(self._observations)[0] if not self.over else inside
            self._leave = [float(each) if decides else None for each, decides in zip(chances, inside, strict=True)]
        return self._leave

    def decisions(self) -> NDArray[np.int8]:
        """Draw the agents' decisions, int8 (seats,); CONTINUE where the caller decides."""
        actions = np.zeros((1, len(self.leave)), np.int8)
        chances = [[0.0 if each is None else each for each in self.leave]]
        self.batch.draw_decisions(np.array(chances, np.float32), actions)
        return actions[0]

    def play(self, decisions: Sequence[int] | NDArray[np.int8]) -> None:
        """Play a turn.

        Args:
            decisions: By seat; what seats in camp send is ignored.
        """
        self.batch.step(np.array([decisions], np.int8), self._observations)
        self._follow()

    def play_out(self) -> GameRecord:
        """Let the agents play to the end, CONTINUE where the caller decides; return the game written down."""
        while not self.over:
            self.play(self.decisions())
        return self.log.record()

    def _follow(self) -> None:
        self._leave = None
        self.games.append(self.batch.games[0])
        self.log.follow(self.now)
        self.scene.follow(self.now)


def make_all(seats: Sequence[str | None], seed: int) -> list[Agent | None]:
    """Return the agents that texts name, by seat, each with a seed of its own; None where a seat is None.

    Raises:
        ValueError: If a text names no agent.
    """
    seeds = np.random.SeedSequence(seed).generate_state(len(seats)).tolist()
    return [None if text is None else make(text, own) for text, own in zip(seats, seeds, strict=True)]
