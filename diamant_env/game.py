"""One game whose cards the caller chooses: explicit chance, for solvers, other libraries' games, records and tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.compilation import uncompiled
from diamant_env.editions import MAX_PLAYERS, NO_CARD, Edition, find_edition
from diamant_env.engine import loops
from diamant_env.engine.arguments import MAX_SEED, as_array, checked_int, legal_actions
from diamant_env.engine.edition_numbers import edition_table
from diamant_env.engine.records import as_bytes, as_games, check_games, observe_records
from diamant_env.random_numbers import keys_of_seeds
from diamant_env.rewards import margin, reward_code
from diamant_env.rules import start_game, win_share
from diamant_env.state import DECIDE, GAME, OVER, PHASES, REVEAL, GameState

_NO_ACTIONS = np.zeros((1, 0), np.int8)


class Game:
    """One game, a card or a joint decision at a time; every call is checked.

    It waits for a card (`chance_outcomes`, `reveal`), then for the decisions of all players inside (`decide`), until it
    is over. Cards are numbers, the places of `deck` in a record of type `GAME`; `Edition.card_names` names them. It is
    a value: `clone`, copy or pickle it, or take its `state` to a `diamant_env.Batch` and back.

    Args:
        num_players: 3 to 8 by the rulebook; 1 and 2 for research.
        edition: A published name or an `Edition`.
        hidden_chests: Whether a player sees only their own chest: True or False, None as the edition says.
        seed: Of the cards that `draw` returns, and those that a `Batch` goes on with.

    Attributes:
        num_players: Players at the table.
        edition: The `Edition`, with `hidden_chests` as played.

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
        hidden_chests: bool | None = None,
        seed: int = 0,
    ) -> None:
        self.num_players = checked_int("num_players", num_players, 1, MAX_PLAYERS)
        self.edition = find_edition(edition, hidden_chests)
        key = keys_of_seeds(np.array([checked_int("seed", seed, 0, MAX_SEED)], np.uint64))[0]
        self._table = edition_table([self.edition])
        self._edition_memory = as_bytes(self._table)
        self._hold(np.zeros((1, GAME.itemsize), np.uint8))
        start_game(self._games[0], self._table[0], self.num_players, key)

    def _hold(self, memory: NDArray[np.uint8]) -> None:
        # An array of one: a record that was unpickled by itself ignores what is written into it.
        self._memory, self._games = memory, memory.view(GAME)[:, 0]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_memory": self._memory.copy(), "_games": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._hold(self._memory)

    def clone(self) -> Game:
        """Return a copy that goes on by itself."""
        copied = object.__new__(type(self))
        copied.__setstate__(self.__getstate__())
        return copied

    def __deepcopy__(self, memo: dict) -> Game:
        return self.clone()

    @property
    def state(self) -> GameState:
        """A read-only copy of the state, a record of type `GAME`."""
        memory = self._memory.copy()  # of records NumPy would leave out the padding
        memory.flags.writeable = False
        return memory.view(GAME)[0, 0]

    def restore(self, state: GameState | NDArray) -> None:
        """Go on from the state of a game of this edition and number of players.

        Args:
            state: A record of type `GAME`, such as `state` or one of `Batch.games`, or an array of one. Its place in
                the batch's table of editions does not matter.

        Raises:
            ValueError: If it is none of such a game; nothing changes then.
        """
        games = as_games(np.reshape(np.asarray(state), -1))
        games["edition"] = 0
        players = np.array([self.num_players])
        self._games[:] = check_games(games, self._table, np.zeros(1, np.int64), players, (REVEAL, DECIDE, OVER))

    @property
    def phase(self) -> str:
        """What the game waits for, one of `PHASES`: ``"reveal"`` a card, ``"decide"`` decisions, ``"over"``."""
        return PHASES[self._games["phase"][0]]

    @property
    def must_decide(self) -> NDArray[np.bool_]:
        """Bool (num_players,): the seats that decide now."""
        return (self._games["inside"][0, : self.num_players] != 0) & (self._games["phase"][0] == DECIDE)

    def __repr__(self) -> str:
        state = self.state
        where = f"expedition {state['expedition']}, turn {state['turn']}, {self.phase}"
        return f"<Game of {self.num_players} players, {self.edition.name}: {where}>"

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the cards that may come up next, ascending, each with its probability.

        Raises:
            RuntimeError: If the game does not wait for a card.
        """
        self._require(REVEAL, "chance_outcomes()")
        deck, size = self._games["deck"][0].tolist(), int(self._games["deck_size"][0])
        return [(card, copies / size) for card, copies in enumerate(deck) if copies]

    def draw(self) -> int:
        """Return the card that the seed draws next, as in a `Batch`; it is not turned up.

        Raises:
            RuntimeError: If the game does not wait for a card.
        """
        self._require(REVEAL, "draw()")
        return int(loops.draw_next_card(self._memory))

    def reveal(self, card: int) -> None:
        """Turn up a card.

        Raises:
            RuntimeError: If the game does not wait for a card.
            ValueError: If the deck does not hold this card.
        """
        self._require(REVEAL, "reveal()")
        deck = self._games["deck"][0].tolist()
        if not isinstance(card, int | np.integer) or not 0 <= card < len(deck) or not deck[card]:
            names = ", ".join(f"{each} ({self.edition.card_name(each)})" for each, copies in enumerate(deck) if copies)
            raise ValueError(f"card {card!r} is not in the deck, which holds {names}")
        loops.move_game(self._memory, self._edition_memory, int(card), _NO_ACTIONS)

    def decide(self, actions: ArrayLike) -> None:
        """Play the decisions of a turn.

        Args:
            actions: Whole numbers (num_players,), 0 = CONTINUE and 1 = LEAVE. What seats in camp send is ignored.

        Raises:
            RuntimeError: If the game does not wait for decisions.
            ValueError: If the shape or type is wrong, or a seat inside sends another number; nothing changes then.
        """
        self._require(DECIDE, "decide()")
        given = as_array(actions, "actions")
        if given.shape != (self.num_players,):
            raise ValueError(f"actions of shape {given.shape}; expected ({self.num_players},)")
        legal = legal_actions(given[None], self._memory, (1, self.num_players))
        loops.move_game(self._memory, self._edition_memory, NO_CARD, legal)

    def observe(self, seat: int) -> NDArray[np.float32]:
        """Return what a seat sees, float32 (NUM_FEATURES,), see `diamant_env.FIELDS`; at any time.

        Raises:
            ValueError: If the table has no such seat.
        """
        seat = checked_int("seat", seat, 0, self.num_players - 1)
        return observe_records(self._games, self._table, self.num_players)[0, seat]

    def returns(self, reward: str = "score") -> NDArray[np.float64]:
        """Return what each seat has been paid so far, float64 (num_players,).

        Args:
            reward: One of `REWARDS`; ``"win"`` and ``"margin"`` pay at the end of the game.

        Raises:
            ValueError: If there is no such reward, or if it is the margin of a player alone.
        """
        reward_code(reward, self.num_players)
        if reward == "score":
            return self._games["chest"][0, : self.num_players].astype(np.float64)
        if self._games["phase"][0] != OVER:
            return np.zeros(self.num_players)
        game, seats = self._games[0], range(self.num_players)
        if reward == "win":
            return np.array([win_share(game, self._table[0], seat) for seat in seats])
        return np.array([uncompiled(margin)(game, seat) for seat in seats], np.float64)

    def _require(self, phase: int, call: str) -> None:
        if self._games["phase"][0] != phase:
            raise RuntimeError(f"{call}: the game is in phase {self.phase!r}; {PHASES[phase]!r} is needed")
