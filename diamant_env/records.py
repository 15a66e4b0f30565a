"""Records of games as JSON, and games played turn by turn.

A record has the edition, the players, the seats that leave in each turn, and the seed or the names of the cards::

    {"edition": "iello-2016", "players": 2, "names": ["ev", "you"], "seed": 5, "turns": [[], [0], [1]]}

Reading one replays it. `cards` in place of `seed` lists every revealed card, such as ``["9", "lava pit", "relic"]``;
the fields of an `Edition` in place of its name describe a custom one.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from diamant_env.batch import Batch
from diamant_env.drawing.render_history import RenderHistory
from diamant_env.editions import Edition, is_published, published_edition
from diamant_env.engine.arguments import MAX_SEED, checked_int
from diamant_env.game import Game
from diamant_env.opponents.custom import AgentSpec
from diamant_env.opponents.registry import make_agent
from diamant_env.opponents.seated_agents import EMPTY, SeatedAgents
from diamant_env.state import GameState
from diamant_env.storage.files import write_atomic

__all__ = ["GameRecord", "GameSession"]


@dataclass(frozen=True)
class GameRecord:
    """A game, finished or not, from which every state can be replayed.

    Attributes:
        edition: The edition.
        num_players: Players at the table.
        turns: For each turn, the seats that leave; all others inside continue.
        seed: Seed of the cards, or None where `cards` has them.
        cards: Names of all revealed cards in order; empty if there is a seed.
        names: The players' names by seat, or empty.
    """

    edition: Edition
    num_players: int
    turns: tuple[tuple[int, ...], ...]
    seed: int | None = None
    cards: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: str | Path) -> GameRecord:
        """Read a record from a file and replay it.

        Raises:
            OSError: If the file can't be read.
            ValueError: If it is not a record that can be replayed.
        """
        try:
            return cls.from_json(Path(path).read_text("utf-8-sig"))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    @classmethod
    def from_json(cls, text: str) -> GameRecord:
        """Parse a record and replay it.

        Raises:
            ValueError: If it is not a record that can be replayed.
        """
        content = json.loads(text)
        try:
            edition = content["edition"]  # never a path: a record opens no file
            record = cls(
                Edition.from_dict(edition) if isinstance(edition, dict) else published_edition(edition),
                content["players"],
                tuple(map(tuple, content["turns"])),
                content.get("seed"),
                tuple(content.get("cards", ())),
                tuple(content.get("names", ())),
            )
            record.states()
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"not a record of a game: {error!r}") from None
        return record

    def to_json(self) -> str:
        """Return the record as JSON."""
        content = {
            "edition": self.edition.name if is_published(self.edition) else dataclasses.asdict(self.edition),
            "players": self.num_players,
            "names": self.names,
            **({"cards": self.cards} if self.seed is None else {"seed": self.seed}),
            "turns": self.turns,
        }
        return json.dumps(content, ensure_ascii=False, default=int)

    def write(self, path: str | Path) -> None:
        """Write the record to a file atomically."""
        write_atomic(path, self.to_json() + "\n")

    def states(self) -> list[GameState]:
        """Replay the game; return its state at the first decision and after each turn.

        Raises:
            ValueError: If a turn or a card is not possible.
        """
        if len(self.names) not in (0, self.num_players) or not all(isinstance(name, str) for name in self.names):
            raise ValueError(
                f"names={list(self.names)}; one for each of {self.num_players} players, or none, is allowed"
            )
        game = Game(self.num_players, self.edition, seed=0 if self.seed is None else self.seed)
        cards = iter(self.cards)
        self._reveal(game, cards)
        states = [game.state]
        for number, leaving in enumerate(self.turns, 1):
            inside = np.flatnonzero(game.must_decide).tolist()
            if not inside or not set(leaving) <= set(inside):
                raise ValueError(f"turn {number}: seats {list(leaving)} leave, but {inside} are inside")
            game.decide([int(seat in leaving) for seat in range(self.num_players)])
            self._reveal(game, cards)
            states.append(game.state)
        if next(cards, None) is not None:
            raise ValueError("there are more cards than were revealed")
        return states

    def _reveal(self, game: Game, cards: Iterator[str]) -> None:
        while game.phase == "reveal":
            if self.seed is not None:
                game.reveal(game.draw())
                continue
            name = next(cards, None)
            if name is None:
                raise ValueError(f"{len(self.cards)} cards are too few for {len(self.turns)} turns")
            fits = self.edition.cards_named(name)  # relics of one name leave the deck in order
            game.reveal(next((card for card, _ in game.chance_outcomes() if card in fits), fits[0]))


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
        edition: An edition, see `diamant_env.find_edition`.
        agents: Arguments of `diamant_env.opponents.make_agent` by seat; None for seats controlled by the caller.
        seed: Seed of the cards, of the agents' sampled decisions and of the stochastic agents made here.
        names: Names by seat, for the record.

    Attributes:
        history: The current history.
        games: The state at the start and after each turn, records of type `GAME`.
        turns: The seats that left, by turn.

    Raises:
        ValueError: If an argument is out of range, or an agent does not support the table.
    """

    def __init__(
        self,
        edition: str | Edition,
        agents: Sequence[AgentSpec | None],
        seed: int,
        names: Sequence[str] = (),
    ) -> None:
        seed = checked_int("seed", seed, 0, MAX_SEED)
        seeds = np.random.SeedSequence(seed).generate_state(len(agents)).tolist()
        seated = [seat for seat, agent in enumerate(agents) if agent is not None]
        opponents = [
            make_agent(agent, agent_seed) for agent, agent_seed in zip(agents, seeds, strict=True) if agent is not None
        ]
        self.batch = Batch(1, len(agents), edition)
        self.edition = self.batch.editions[0]
        seating = [seated.index(seat) if seat in seated else EMPTY for seat in range(len(agents))]
        self.seated = SeatedAgents(self.batch, opponents, [seating])
        self.seed, self.names = seed, tuple(names)
        self.turns: list[tuple[int, ...]] = []
        self.history = RenderHistory()
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
    def leave(self) -> list[float | None]:
        """The agents' probabilities of LEAVE by seat, None for seats in camp; computed once per turn."""
        if self._leave is None:
            inside = self.batch.must_decide[0]
            chances = self.seated.leave_probabilities(self._observations)[0] if not self.over else inside
            self._leave = [float(p) if decides else None for p, decides in zip(chances, inside, strict=True)]
        return self._leave

    def decisions(self) -> NDArray[np.int8]:
        """Sample the agents' decisions, int8 (seats,); CONTINUE for seats controlled by the caller."""
        actions = np.zeros((1, len(self.leave)), np.int8)
        chances = [[p or 0.0 for p in self.leave]]
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
        inside = np.flatnonzero(self.batch.must_decide[0]).tolist()
        self.batch.step(np.asarray(decisions)[None], self._observations)
        self.turns.append(tuple(seat for seat in inside if decisions[seat]))
        self._follow()

    def record(self) -> GameRecord:
        """Return the record of the game so far."""
        return GameRecord(self.edition, self.batch.max_players, tuple(self.turns), self.seed, names=self.names)

    def play_out(self) -> GameRecord:
        """Play to the end, with CONTINUE for seats controlled by the caller; return the record."""
        while not self.over:
            self.play(self.decisions())
        return self.record()

    def _follow(self) -> None:
        self._leave = None
        self.games.append(self.batch.games[0])
        self.history.update(self.now)
