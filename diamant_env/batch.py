"""Many games at once, in the caller's arrays. A single environment is a batch of one."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from threading import Lock
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
)
from diamant_env.engine.edition_numbers import edition_table
from diamant_env.engine.game_check import check_games
from diamant_env.engine.loops import (
    advance_keys,
    draw_games_decisions,
    finish_games,
    keys_of_seeds,
    observe_games,
    reset_games,
    step_games,
)
from diamant_env.engine.threads import ThreadTeam, survive_forks
from diamant_env.engine.workspace import new_workspace
from diamant_env.native.aligned import aligned
from diamant_env.observation import NUM_FEATURES
from diamant_env.rewards import reward_code
from diamant_env.state import GAME, OVER

_NOWHERE = np.zeros((0, 0, NUM_FEATURES), np.float32)
_NO_TURN = (np.zeros((0, 0), np.int8), np.zeros((0, 0), np.float32), np.zeros(0, np.bool_))  # actions, rewards, done
_PUBLIC = [name for name in GAME.names if name != "key"]  # type: ignore[union-attr]


class Batch:
    """N games that are played side by side.

    Args:
        num_games: N.
        num_players: Players at each table: one number, or one per game (N,); 3 to 8 by the rulebook, 1 and 2 for
            research.
        edition: A published name or an `Edition`, or a sequence with one per game.
        reward: ``"score"``, ``"win"`` or ``"margin"`` (see `diamant_env.rewards.REWARDS`).
        seats: Length of the seat axis of all arrays; by default the largest table. Seats that a table does not
            have observe and earn 0.
        hidden_chests: Whether a player sees only their own chest: True or False in all games, None as each edition
            says.
        threads: How many threads share the games of a step. More than one pays from about 4,096 games on.
        blank_rivals: Whether observations hold 0 for all about the rivals, chests included: the game in which any
            policy can be exploited exactly (see `diamant_env.exact`).

    A batch may be used by several Python threads, one call after the other, and goes on in a forked process.

    Attributes:
        editions: The different editions that are played.
        num_players: int64 (N,), players at each table.
        reward: The reward's name.
        threads: How many threads share the games.
        blank_rivals: Whether observations hold 0 for all about the rivals.

    Raises:
        ValueError: If an argument is out of range; the message says what is allowed.
    """

    def __init__(
        self,
        num_games: int,
        num_players: int | ArrayLike = 4,
        edition: str | Edition | Sequence[str | Edition] = "iello-2016",
        reward: str = "score",
        seats: int | None = None,
        hidden_chests: bool | None = None,
        threads: int = 1,
        blank_rivals: bool = False,
    ) -> None:
        if not isinstance(num_games, int | np.integer) or num_games < 1:
            raise ValueError(f"num_games={num_games!r}; a whole number of at least 1 is needed")
        self.num_players = players_per_game(num_players, num_games)
        self._seats = seat_axis(seats, int(self.num_players.max()))
        if not isinstance(threads, int | np.integer) or not 1 <= threads <= num_games:
            raise ValueError(f"threads={threads!r}; 1 to num_games = {num_games} are allowed")
        chosen = editions_per_game(edition, num_games, True if blank_rivals else hidden_chests)
        self.editions = different(chosen)
        self.reward, self.threads, self.blank_rivals = reward, int(threads), bool(blank_rivals)
        self._reward_code = reward_code(reward, int(self.num_players.min()))
        rows = {edition: row for row, edition in enumerate(self.editions)}
        self._edition_rows = np.array([rows[edition] for edition in chosen], np.int64)
        self._edition_records = edition_table(self.editions).view(np.ndarray)
        self._edition_memory = self._edition_records.view(np.uint8).reshape(len(self.editions), -1)
        # Whoever in this package writes here vouches for the records: compiled code trusts them.
        self._records = aligned(num_games, GAME)
        self._memory = self._records.view(np.uint8).reshape(num_games, -1)
        self._records["edition"] = self._edition_rows
        self._records["num_players"] = self.num_players
        absent = np.arange(self.seats) >= self.num_players[:, None]
        self._absent = absent if absent.any() else None
        self._started = False
        self._prepare()

    def _prepare(self) -> None:
        """Set up what belongs to this object in this process: a lock, threads and their workspaces."""
        self._lock = Lock()
        self._team = ThreadTeam(self.num_games, self.threads, self.blank_rivals)
        survive_forks(self)

    @property
    def num_games(self) -> int:
        """How many games there are, N."""
        return len(self._records)

    @property
    def seats(self) -> int:
        """Length of the seat axis of all arrays."""
        return self._seats

    @property
    def games(self) -> np.recarray:
        """The state: a copy (N,), records of type `GAME`, which hold all of a game, its random numbers too.

        A game is a value: ``saved = batch.games`` and later ``batch.restore(saved)`` continues as if nothing had
        happened. The copy is read-only, since writing into it would change no game.
        """
        with self._lock:
            memory = self._memory.copy()  # of records NumPy would leave out the padding
        games = memory.view(GAME)[:, 0].view(np.recarray)
        games.flags.writeable = False
        return games

    def restore(self, games: ArrayLike) -> None:
        """Go on with other games, saved by this batch or one like it, or loaded from a file.

        Args:
            games: Records of type `GAME` (N,). Each has its place's edition and number of players.

        Raises:
            ValueError: If a record can't be that of a game; the message names the game, the field, its value and what
                is allowed. Nothing changes then.
        """
        checked = check_games(games, self._edition_records, self._edition_rows, self.num_players, may_wait=True)
        with self._lock:
            self._records[:] = checked
            self._started = False

    def __getstate__(self) -> dict[str, Any]:
        return {
            "num_games": self.num_games,
            "num_players": self.num_players,
            "edition": [self.editions[row] for row in self._edition_rows],
            "reward": self.reward,
            "seats": self.seats,
            "threads": self.threads,
            "blank_rivals": self.blank_rivals,
            "games": self.games,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        arguments = dict(state)
        games = arguments.pop("games")
        self.__init__(**arguments)  # type: ignore[misc]
        self.restore(games)

    def reset(
        self,
        seed: int | ArrayLike | None = None,
        mask: ArrayLike | None = None,
        observations: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """Start new games and return what the seats see.

        Args:
            seed: Game i plays what a single environment seeded `seed + i` plays; or one seed per game (N,). By
                default each place goes on with its next game, and the first time with seeds from the system.
            mask: bool (N,), the games to start; all by default.
            observations: float32 (N, seats, NUM_FEATURES) to write into; a new array by default.
        """
        chosen = np.ones(self.num_games, bool) if mask is None else checked(mask, "mask", BOOL, (self.num_games,))
        observations = self._output(observations, "observations", FLOAT32, (self.seats, NUM_FEATURES))
        seeds = None if seed is None else seeds_per_game(seed, self.num_games)
        if seeds is None and not self._has_started():
            seeds = seeds_per_game(np.random.SeedSequence().generate_state(self.num_games, np.uint64), self.num_games)
        with self._lock:
            if seeds is None:
                advance_keys(self._records, chosen)
            else:
                self._records["key"][chosen] = keys_of_seeds(seeds)[chosen]
            reset_games(self._records, self._edition_records, chosen)
        self._observe(observations)
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
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
        """Play one turn in every game that is not over: the decisions, then cards until the next decision.

        Args:
            actions: int8 (N, seats), 0 = CONTINUE and 1 = LEAVE. What idle seats send is ignored.
            observations: float32 (N, seats, NUM_FEATURES) to write into; a new array by default.
            rewards: float32 (N, seats) to write into; a new array by default.
            done: bool (N,) to write into; a new array by default.
            auto_reset: Start the next game at once in each place whose game ends. Its reward and `done` are still
                those of the game that ended, its observation is the first of the new game.
            final_observations: With `auto_reset`, float32 (N, seats, NUM_FEATURES): the rows of games that ended
                receive their last observation, the other rows stay as they are.

        Returns:
            `observations`, `rewards` and `done`. A game that was over already stays so and earns 0.

        Raises:
            RuntimeError: Before the first reset.
            ValueError: If an array has the wrong shape or dtype, or a seat that must decide sends another number;
                then nothing was played.
        """
        self._require_games("step")
        actions = legal_actions(actions, self._memory, (self.num_games, self.seats))
        observations = self._output(observations, "observations", FLOAT32, (self.seats, NUM_FEATURES))
        rewards = self._output(rewards, "rewards", FLOAT32, (self.seats,))
        done = self._output(done, "done", BOOL, ())
        final = _NOWHERE
        if final_observations is not None:
            shape = (self.num_games, self.seats, NUM_FEATURES)
            final = output(final_observations, "final_observations", FLOAT32, shape)
            if not auto_reset:
                raise ValueError("final_observations are written with auto_reset=True only")
        self._step(actions, observations, rewards, done, final, auto_reset)
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
        """Play one turn in every game like `step`, but write no observations. Return `rewards` and `done`."""
        self._require_games("play")
        actions = legal_actions(actions, self._memory, (self.num_games, self.seats))
        rewards = self._output(rewards, "rewards", FLOAT32, (self.seats,))
        done = self._output(done, "done", BOOL, ())
        self._step(actions, None, rewards, done, auto_reset=auto_reset)
        return rewards, done

    def play_out(self, leave_probability: float = 0.5) -> NDArray[np.int16]:
        """Play every game to its end with random decisions; return the final chests, int16 (N, seats), in gems.

        Args:
            leave_probability: With which each seat inside leaves at each turn. The decisions are those that
                `draw_decisions` draws.

        Raises:
            RuntimeError: Before the first reset.
            ValueError: If the probability is not between 0 and 1.
        """
        self._require_games("play_out")
        if not isinstance(leave_probability, numbers.Real) or not 0 <= leave_probability <= 1:
            raise ValueError(f"leave_probability={leave_probability!r}; 0 to 1 is allowed")
        chance, editions = np.float32(float(leave_probability)), self._edition_records
        with self._lock:
            self._require_games("play_out")
            self._team.work(lambda part, _: finish_games(self._records[part], editions, chance))
        return self._records["chest"][:, : self.seats].copy()

    def _step(
        self,
        actions: NDArray[np.int8],
        observations: NDArray[np.float32] | None,
        rewards: NDArray[np.float32],
        done: NDArray[np.bool_],
        final_observations: NDArray[np.float32] = _NOWHERE,
        auto_reset: bool = False,
    ) -> None:
        """What `step` does once all is checked: the caller vouches for shapes, dtypes, C order and legal actions.

        Without `observations` none are written.
        """
        observed, rows = (False, _NOWHERE) if observations is None else (True, observations)
        code, editions = self._reward_code, self._edition_memory
        if self.threads == 1:
            with self._lock:
                self._require_games("step")  # another thread may have put games back that were not started
                step_games(
                    self._memory, editions, actions, rows, rewards, done, final_observations, auto_reset, True,
                    observed, code, self._team.workspace[0],
                )  # fmt: skip
            return

        def work(part: slice, workspace: NDArray) -> None:
            step_games(
                self._memory[part], editions, actions[part], rows[part], rewards[part], done[part],
                final_observations[part], auto_reset, True, observed, code, workspace,
            )  # fmt: skip

        with self._lock:
            self._require_games("step")
            self._team.work(work)

    def observe(self, observations: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Return what the seats see now, float32 (N, seats, NUM_FEATURES), written into `observations` if given.

        Raises:
            RuntimeError: Before the first reset.
        """
        self._require_games("observe")
        observations = self._output(observations, "observations", FLOAT32, (self.seats, NUM_FEATURES))
        self._observe(observations)
        return observations

    def state(self) -> NDArray[np.float32]:
        """Return all that is public with open chests, float32 (N, NUM_FEATURES): what seat 0 would see.

        Raises:
            RuntimeError: Before the first reset.
        """
        self._require_games("state")
        state = np.empty((self.num_games, 1, NUM_FEATURES), np.float32)
        with self._lock:
            observe_games(self._records, self._edition_records, state, new_workspace())
        return state[:, 0]

    @property
    def tables(self) -> NDArray:
        """What is public of each game, with open chests: a view (N,) of the fields of `GAME` but the key; read-only.

        The narrow observation: whole numbers, once for all seats, and always those of now, since nothing is copied.
        For the same reason the key lies between them: what leaves the process should be `tables.copy()`.
        """
        read_only = np.frombuffer(self._memory.data.toreadonly(), GAME)
        return read_only[_PUBLIC]

    @property
    def must_decide(self) -> NDArray[np.bool_]:
        """Bool (N, seats): the seats that are inside and decide at the next step."""
        return self._records["inside"][:, : self.seats] != 0

    @property
    def over(self) -> NDArray[np.bool_]:
        """Bool (N,): the games that are over."""
        return self._records["phase"] == OVER

    def draw_decisions(self, leave_probability: NDArray[np.float32], actions: NDArray[np.int8]) -> None:
        """Turn probabilities of LEAVE, float32 (N, seats), into `actions`, int8 (N, seats).

        The random number of a seat's decision comes from the game's key, the expedition, the turn and the seat:
        it is the same whatever else is in the batch, and whoever sits there.

        Raises:
            ValueError: If a seat that must decide has no probability between 0 and 1.
        """
        leave = checked(leave_probability, "leave_probability", FLOAT32, (self.num_games, self.seats))
        actions = self._output(actions, "actions", INT8, (self.seats,))
        with self._lock:
            wrong = draw_games_decisions(self._records, leave, actions)
        if wrong >= 0:
            game, seat = divmod(wrong, self.seats)
            raise ValueError(f"leave_probability {leave[game, seat]} of seat {seat} in game {game}; 0 to 1 is allowed")

    def _observe(self, rows: NDArray[np.float32]) -> None:
        """Write what the seats see into `rows`, float32 (N, seats, NUM_FEATURES)."""
        actions, rewards, done = _NO_TURN
        with self._lock:
            step_games(
                self._memory, self._edition_memory, actions, rows, rewards, done, _NOWHERE, False, False, True,
                self._reward_code, self._team.workspace[0],
            )  # fmt: skip

    def _output(self, array: NDArray | None, name: str, dtype: np.dtype, tail: tuple[int, ...]) -> NDArray:
        """Return the caller's array to write into, if it fits, or a new one."""
        array = output(array, name, dtype, (self.num_games, *tail))
        if self._absent is not None and tail:
            array[self._absent] = 0  # of a seat that a table does not have, no row is written
        return array

    def _has_started(self) -> bool:
        """Whether every place has a game, started by one or several resets or put there by the caller."""
        self._started = self._started or bool(self._records["expedition"].all())
        return self._started

    def _require_games(self, call: str) -> None:
        if not self._has_started():
            raise RuntimeError(f"{call} before reset: call reset() first")
