"""Many games at once, in the caller's arrays. A single environment is a batch of one."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.editions import Edition
from diamant_env.engine.arguments import (
    BOOL,
    FLOAT32,
    INT8,
    checked,
    different,
    editions_per_game,
    legal_actions,
    output,
    players_per_game,
    seat_axis,
    seeds_per_game,
    whole_number,
)
from diamant_env.engine.core import ALL_GAMES, NO_ROWS, Core
from diamant_env.engine.edition_numbers import edition_table
from diamant_env.engine.following import Follower
from diamant_env.engine.game_check import check_games
from diamant_env.observation import NUM_FEATURES
from diamant_env.rewards import Reward, reward_code
from diamant_env.state import GAME, OVER

_PUBLIC = [name for name in GAME.names if name != "key"]  # type: ignore[union-attr]


class Batch:
    """N games that are played side by side.

    Args:
        num_games: How many, N.
        num_players: Players at each table: one number, or one per game (N,); 3 to 8, and 1 and 2 for research.
        edition: A published name or an `Edition`, or a sequence with one per game.
        reward: One of `diamant_env.rewards.REWARDS`, or a function, see `diamant_env.rewards.own_rewards`.
        seats: Length of the seat axis, by default of the largest table. Seats that a table lacks observe and earn 0.
        hidden_chests: Whether a player sees only their own chest: True, False, or None as each edition says.
        threads: How many threads share the games of a step. More than one pays from about 4,096 games on.
        blank_rivals: Whether observations hold 0 for all about the rivals, chests included: the game in which any
            policy can be exploited exactly (see `diamant_env.exact`).
        history: Whether `history` tells what was decided earlier; this and a reward's function cost some µs a turn.

    Attributes:
        num_games: How many, N.
        seats: Length of the seat axis of all arrays.
        editions: The different editions that are played.
        num_players: int64 (N,), players at each table.
        reward: The reward's name, or its function.

    Raises:
        ValueError: If an argument is out of range; the message says what is allowed.
    """

    def __init__(
        self,
        num_games: int,
        num_players: int | ArrayLike = 4,
        edition: str | Edition | Sequence[str | Edition] = "iello-2016",
        reward: Reward = "score",
        seats: int | None = None,
        hidden_chests: bool | None = None,
        threads: int = 1,
        blank_rivals: bool = False,
        history: bool = False,
    ) -> None:
        self.num_games = whole_number("num_games", num_games, 1)
        self.num_players = players_per_game(num_players, num_games)
        self.seats = seat_axis(seats, int(self.num_players.max()))
        chosen = editions_per_game(edition, num_games, True if blank_rivals else hidden_chests)
        self.editions = different(chosen)
        self.reward, self.blank_rivals = reward, bool(blank_rivals)
        self.threads = whole_number("threads", threads, 1, self.num_games)
        rows = {edition: row for row, edition in enumerate(self.editions)}
        self._edition_rows = np.array([rows[edition] for edition in chosen], np.int64)
        code = reward_code(reward, int(self.num_players.min()))
        table = edition_table(self.editions).view(np.ndarray)
        self._core = Core(self._edition_rows, self.num_players, table, code, self.threads, self.blank_rivals)
        absent = np.arange(self.seats) >= self.num_players[:, None]
        self._absent = absent if absent.any() else None
        own_reward = reward if callable(reward) else None
        followed = own_reward is not None or history
        self._follower = Follower(self._core, self.num_players, absent, own_reward, history) if followed else None
        self._step = self._core.step if self._follower is None else self._follower.step
        self._history = None if self._follower is None else self._follower.history

    @property
    def games(self) -> np.recarray:
        """A read-only copy (N,) of the state, records of type `GAME`, which hold all of a game, its random numbers too.

        A game is a value: ``saved = batch.games`` and later ``batch.restore(saved)`` continues from there.
        """
        return self._core.copy()

    def restore(self, games: ArrayLike) -> None:
        """Go on with other games, saved by this batch or one like it, or loaded from a file; a history begins anew.

        Args:
            games: Records of type `GAME` (N,). Each has its place's edition and number of players.

        Raises:
            ValueError: If a record can't be that of a game; the message names the game, the field, its value and what
                is allowed. Nothing changes then.
        """
        table = self._core.editions
        self._core.replace(check_games(games, table, self._edition_rows, self.num_players, may_wait=True))
        if self._follower is not None:
            self._follower.begin()

    def __getstate__(self) -> dict[str, Any]:
        names = ("num_games", "num_players", "reward", "seats", "threads", "blank_rivals")
        editions = [self.editions[row] for row in self._edition_rows]
        own = {"edition": editions, "history": self._history and self._history.saved(), "games": self.games}
        return {name: getattr(self, name) for name in names} | own

    def __setstate__(self, state: dict[str, Any]) -> None:
        arguments = {name: value for name, value in state.items() if name != "games"}
        self.__init__(**arguments | {"history": state["history"] is not None})  # type: ignore[misc]
        self.restore(state["games"])
        if self._history is not None:
            self._history.restore(state["history"])

    def reset(
        self,
        seed: int | ArrayLike | None = None,
        mask: ArrayLike | None = None,
        observations: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """Start new games and return what the seats see.

        Args:
            seed: Game i plays what a single environment seeded `seed + i` plays; or one per game (N,). By default each
                place goes on with its next game, and the first time with seeds from the system.
            mask: bool (N,), the games to start; all by default.
            observations: To write into, see `step`.
        """
        chosen = np.ones(self.num_games, bool) if mask is None else checked(mask, "mask", BOOL, (self.num_games,))
        observations = self._output(observations, "observations", FLOAT32, (self.seats, NUM_FEATURES))
        seeds = None if seed is None else seeds_per_game(seed, self.num_games)
        if seeds is None and not self._core.has_started():
            seeds = seeds_per_game(np.random.SeedSequence().generate_state(self.num_games, np.uint64), self.num_games)
        self._core.reset(chosen, seeds)
        if self._follower is not None:
            self._follower.begin(chosen)
        self._core.observe(observations)
        return observations

    def step(
        self,
        actions: ArrayLike,
        observations: NDArray[np.float32] | None = None,
        rewards: NDArray[np.float32] | None = None,
        done: NDArray[np.bool_] | None = None,
        *,
        auto_reset: bool = False,
        final_observations: NDArray[np.float32] | None = None,
        mask: ArrayLike | None = None,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
        """Play one turn in every game that is not over: the decisions, then cards until the next decision.

        Args:
            actions: int8 (N, seats), 0 = CONTINUE and 1 = LEAVE. What idle seats send is ignored.
            observations: float32 (N, seats, NUM_FEATURES) to write into; a new array by default.
            rewards: Likewise, float32 (N, seats).
            done: Likewise, bool (N,).
            auto_reset: Start the next game at once in each place whose game ends. Its reward and `done` are still
                those of the game that ended, its observation is the first of the new game.
            final_observations: With `auto_reset`, float32 (N, seats, NUM_FEATURES): the rows of games that ended
                receive their last observation, the other rows stay as they are.
            mask: bool (N,), the games to play; all by default. The others stay as they are and earn 0.

        Returns:
            `observations`, `rewards` and `done`. A game that was over already stays so and earns 0.

        Raises:
            RuntimeError: Before the first reset.
            ValueError: If an array has the wrong shape or dtype, or a seat that must decide sends another number;
                then nothing was played.
        """
        self._core.require_games("step")
        actions = legal_actions(actions, self._core.memory, (self.num_games, self.seats))
        observations = self._output(observations, "observations", FLOAT32, (self.seats, NUM_FEATURES))
        rewards = self._output(rewards, "rewards", FLOAT32, (self.seats,))
        done = self._output(done, "done", BOOL, ())
        final = NO_ROWS
        if final_observations is not None:
            final = output(final_observations, "final_observations", FLOAT32, observations.shape)
            if not auto_reset:
                raise ValueError("final_observations are written with auto_reset=True only")
        chosen = ALL_GAMES if mask is None else checked(mask, "mask", BOOL, (self.num_games,))
        self._step(actions, observations, rewards, done, final, auto_reset, chosen)
        if self._absent is not None and final_observations is not None:
            final[self._absent & done[:, None]] = 0
        return observations, rewards, done

    def play(
        self,
        actions: ArrayLike,
        rewards: NDArray[np.float32] | None = None,
        done: NDArray[np.bool_] | None = None,
        *,
        auto_reset: bool = False,
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Play one turn like `step`, but write no observations. Return `rewards` and `done`."""
        self._core.require_games("play")
        actions = legal_actions(actions, self._core.memory, (self.num_games, self.seats))
        rewards = self._output(rewards, "rewards", FLOAT32, (self.seats,))
        done = self._output(done, "done", BOOL, ())
        self._step(actions, None, rewards, done, auto_reset=auto_reset)
        return rewards, done

    def play_out(self, leave_probability: float = 0.5) -> NDArray[np.int16]:
        """Play every game to its end with random decisions; return the final chests, int16 (N, seats), in gems.

        Args:
            leave_probability: With which each seat inside leaves at each turn, drawn as `draw_decisions` does.

        Raises:
            RuntimeError: Before the first reset.
            ValueError: If the probability is not between 0 and 1.
        """
        self._core.require_games("play_out")
        if not isinstance(leave_probability, numbers.Real) or not 0 <= leave_probability <= 1:
            raise ValueError(f"leave_probability={leave_probability!r}; 0 to 1 is allowed")
        self._core.play_out(float(leave_probability))
        return self._core.records["chest"][:, : self.seats].copy()

    def observe(self, observations: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Return what the seats see now, float32 (N, seats, NUM_FEATURES), written into `observations` if given."""
        self._core.require_games("observe")
        observations = self._output(observations, "observations", FLOAT32, (self.seats, NUM_FEATURES))
        self._core.observe(observations)
        return observations

    def state(self) -> NDArray[np.float32]:
        """Return all that is public with open chests, float32 (N, NUM_FEATURES): what seat 0 would see."""
        self._core.require_games("state")
        state = np.empty((self.num_games, 1, NUM_FEATURES), np.float32)
        self._core.observe_all(state)
        return state[:, 0]

    def history(self) -> NDArray[np.float32]:
        """Return what each seat knows of earlier decisions, float32 (N, seats, NUM_HISTORY): the fields of `HISTORY`.

        Raises:
            RuntimeError: If the batch keeps none.
        """
        if self._history is None:
            raise RuntimeError("this batch keeps no history; make it with history=True")
        return self._history.rows(self.seats)

    @property
    def tables(self) -> NDArray:
        """What is public of each game, with open chests, a read-only view (N,) of the fields of `GAME` but the key.

        The key lies between them: what leaves the process should be `tables.copy()`.
        """
        return np.frombuffer(self._core.memory.data.toreadonly(), GAME)[_PUBLIC]

    @property
    def must_decide(self) -> NDArray[np.bool_]:
        """Bool (N, seats): the seats that are inside and decide at the next step."""
        return self._core.records["inside"][:, : self.seats] != 0

    @property
    def over(self) -> NDArray[np.bool_]:
        """Bool (N,): the games that are over."""
        return self._core.records["phase"] == OVER

    def draw_decisions(self, leave_probability: NDArray[np.float32], actions: NDArray[np.int8]) -> None:
        """Turn probabilities of LEAVE, float32 (N, seats), into `actions`, int8 (N, seats).

        The random numbers come from the game's key, the expedition, the turn and the seat alone.

        Raises:
            ValueError: If a seat that must decide has no probability between 0 and 1.
        """
        leave = checked(leave_probability, "leave_probability", FLOAT32, (self.num_games, self.seats))
        actions = self._output(actions, "actions", INT8, (self.seats,))
        wrong = self._core.draw_decisions(leave, actions)
        if wrong >= 0:
            game, seat = divmod(wrong, self.seats)
            raise ValueError(f"leave_probability {leave[game, seat]} of seat {seat} in game {game}; 0 to 1 is allowed")

    def _output(self, array: NDArray | None, name: str, dtype: np.dtype, tail: tuple[int, ...]) -> NDArray:
        """Return the caller's array to write into, if it fits, or a new one."""
        array = output(array, name, dtype, (self.num_games, *tail))
        if self._absent is not None and tail:
            array[self._absent] = 0  # of a seat that a table does not have, no row is written
        return array
