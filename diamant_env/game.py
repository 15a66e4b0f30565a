"""Single game with explicit chance nodes, for solvers, adapters to other libraries and tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.compilation import uncompiled
from diamant_env.editions import MAX_PLAYERS, Edition, find_edition
from diamant_env.engine import loops
from diamant_env.engine.arguments import MAX_SEED, checked_actions, checked_int
from diamant_env.engine.edition_params import edition_params_array
from diamant_env.engine.records import as_bytes, as_games, check_games, observe_records
from diamant_env.random_numbers import keys_of_seeds
from diamant_env.rewards import final_reward, reward_code
from diamant_env.rules import start_game
from diamant_env.state import DECIDE, GAME, OVER, PHASES, REVEAL, GameState


class Game:
    """A game that alternates between chance nodes (cards) and joint decisions; every call is validated.

    At a chance node call `reveal` with one of `chance_outcomes`, at a decision node `decide`. Cards are indices of
    `deck` in a record of type `GAME`; `Edition.card_names` maps them to names. Games can be cloned and pickled, and
    `state` is interchangeable with the records of a `diamant_env.Batch`.

    Args:
        num_players: 3 to 8 by the rulebook; 1 and 2 for research.
        edition: An edition, see `diamant_env.find_edition`.
        seed: Seed of `draw`, and of a `Batch` that continues from `state`.

    Attributes:
        num_players: Number of players.
        edition: The `Edition`.

    Raises:
        ValueError: If an argument is out of range.

    >>> game = Game(num_players=2)
    >>> card, probability = game.chance_outcomes()[0]
    >>> game.edition.card_name(card), round(probability, 3)
    ('1', 0.029)
    >>> game.reveal(9)  # the treasure of 13 gems
    >>> game.decide([1, 0])
    >>> game.returns().tolist(), game.phase
    ([7.0, 0.0], 'reveal')
    """

    def __init__(
        self,
        num_players: int = 4,
        edition: str | Edition = "iello-2016",
        seed: int = 0,
    ) -> None:
        self.num_players = checked_int("num_players", num_players, 1, MAX_PLAYERS)
        self.edition = find_edition(edition)
        key = keys_of_seeds(np.array([checked_int("seed", seed, 0, MAX_SEED)], np.uint64))[0]
        self._edition_params = edition_params_array([self.edition])
        self._edition_memory = as_bytes(self._edition_params)
        self._memory = np.zeros((1, GAME.itemsize), np.uint8)
        self._games = self._memory.view(GAME)[:, 0]  # an array: writes to an unpickled scalar record are lost
        start_game(self._games[0], self._edition_params[0], self.num_players, key)

    def clone(self) -> Game:
        """Return an independent copy."""
        copied = object.__new__(type(self))
        copied.__setstate__(vars(self))
        return copied

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:  # OpenSpiel copies a game at each node
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_games"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        memory, editions = (state[name].copy() for name in ("_memory", "_edition_memory"))  # see `Batch.__setstate__`
        vars(self).update(state, _memory=memory, _edition_memory=editions, _games=memory.view(GAME)[:, 0])

    @property
    def state(self) -> GameState:
        """A read-only copy of the state, a record of type `GAME`."""
        memory = self._memory.copy()  # copying records leaves padding bytes undefined
        memory.flags.writeable = False
        return memory.view(GAME)[0, 0]

    def restore(self, state: GameState | NDArray) -> None:
        """Restore a state of the same edition and number of players.

        Args:
            state: A record of type `GAME`, such as `state` or one of `Batch.games`, or an array of one; its field
                `edition` is ignored.

        Raises:
            ValueError: If the record is invalid; the game is then unchanged.
        """
        games = as_games(np.reshape(np.asarray(state), -1))
        games["edition"] = 0
        num_players = np.array([self.num_players])
        self._games[:] = check_games(
            games, self._edition_params, np.zeros(1, np.int64), num_players, (REVEAL, DECIDE, OVER)
        )

    @property
    def phase(self) -> str:
        """The kind of node, one of `PHASES`: ``"reveal"`` (chance), ``"decide"`` or ``"over"``."""
        return PHASES[self._games["phase"][0]]

    @property
    def must_decide(self) -> NDArray[np.bool_]:
        """The seats that decide now: bool (num_players,)."""
        return (self._games["inside"][0, : self.num_players] != 0) & (self._games["phase"][0] == DECIDE)

    def __repr__(self) -> str:
        state = self.state
        where = f"expedition {state['expedition']}, turn {state['turn']}, {self.phase}"
        return f"<Game of {self.num_players} players, {self.edition.name}: {where}>"

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the possible next cards, ascending, each with its probability.

        Raises:
            RuntimeError: If the phase is not ``"reveal"``.
        """
        self._require(REVEAL, "chance_outcomes()")
        deck, size = self._games["deck"][0].tolist(), int(self._games["deck_size"][0])
        return [(card, copies / size) for card, copies in enumerate(deck) if copies]

    def draw(self) -> int:
        """Sample the next card from the seed, as a `Batch` does, without revealing it.

        Raises:
            RuntimeError: If the phase is not ``"reveal"``.
        """
        self._require(REVEAL, "draw()")
        return int(loops.draw_next_card(self._memory))

    def reveal(self, card: int) -> None:
        """Reveal a card.

        Raises:
            RuntimeError: If the phase is not ``"reveal"``.
            ValueError: If the card is not in the deck.
        """
        self._require(REVEAL, "reveal()")
        deck = self._games["deck"][0].tolist()
        if not isinstance(card, int | np.integer) or not 0 <= card < len(deck) or not deck[card]:
            names = ", ".join(f"{each} ({self.edition.card_name(each)})" for each, copies in enumerate(deck) if copies)
            raise ValueError(f"card {card!r} is not in the deck, which holds {names}")
        loops.reveal_card(self._memory, self._edition_memory, np.array([card], np.int64))

    def decide(self, actions: ArrayLike) -> None:
        """Apply the joint decision of a turn.

        Args:
            actions: Integers (num_players,), 0 = CONTINUE and 1 = LEAVE; ignored for seats in camp.

        Raises:
            RuntimeError: If the phase is not ``"decide"``.
            ValueError: If the shape or type is wrong, or an action of a seat inside is neither 0 nor 1; the game is
                then unchanged.
        """
        self._require(DECIDE, "decide()")
        actions = checked_actions(actions, self._games["inside"][0, : self.num_players])
        loops.decide(self._memory, self._edition_memory, actions[None])

    def observe(self, seat: int) -> NDArray[np.float32]:
        """Return a seat's observation in any phase, float32 (NUM_FEATURES,), see `diamant_env.FIELDS`.

        Before a card is revealed, ``must_decide`` is 1 for the players inside.

        Raises:
            ValueError: If there is no such seat.
        """
        seat = checked_int("seat", seat, 0, self.num_players - 1)
        return observe_records(self._games, self._edition_params, self.num_players)[0, seat]

    def returns(self, reward: str = "score") -> NDArray[np.float64]:
        """Return the cumulative reward of each seat, float64 (num_players,).

        Args:
            reward: One of `REWARDS`; ``"win"`` and ``"margin"`` are 0 until the end of the game.

        Raises:
            ValueError: If there is no such reward, or for ``"margin"`` with one player.
        """
        code = reward_code(reward, self.num_players)
        if reward != "score" and self._games["phase"][0] != OVER:
            return np.zeros(self.num_players)
        final, seats = uncompiled(final_reward), range(self.num_players)
        return np.array([final(self._games[0], self._edition_params[0], code, seat) for seat in seats], np.float64)

    def _require(self, phase: int, call: str) -> None:
        if self._games["phase"][0] != phase:
            raise RuntimeError(f"{call}: the game is in phase {self.phase!r}; {PHASES[phase]!r} is needed")
