"""Many games at once, in the caller's arrays. A single environment is a batch of one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.editions import MAX_PLAYERS, Edition, edition_table, find_edition
from diamant_env.loops import (
    advance_keys,
    draw_games_decisions,
    keys_of_seeds,
    observe_games,
    rebuild_games,
    reset_games,
    step_games,
)
from diamant_env.observation import NUM_FEATURES, OBSERVATION
from diamant_env.rewards import reward_code
from diamant_env.rules import GAME, OVER

_NOWHERE = np.zeros((0, 0, NUM_FEATURES), np.float32)


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

    Attributes:
        games: The state, an array (N,) of records of type `GAME`. It is a value: ``saved = batch.games.copy()``
            and later ``batch.games[:] = saved`` continues as if nothing had happened, random cards included.

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
    ) -> None:
        if not isinstance(num_games, int | np.integer) or num_games < 1:
            raise ValueError(f"num_games={num_games!r}; a whole number of at least 1 is needed")
        self.num_games = num_games
        self.num_players = _players_per_game(num_players, num_games)
        self.seats = int(self.num_players.max()) if seats is None else seats
        if not isinstance(self.seats, int | np.integer) or not self.num_players.max() <= self.seats <= MAX_PLAYERS:
            raise ValueError(f"seats={seats!r}; {self.num_players.max()} to {MAX_PLAYERS} are allowed here")
        names = list(edition) if isinstance(edition, list | tuple) else [edition] * num_games
        if len(names) != num_games:
            raise ValueError(f"{len(names)} editions for {num_games} games; give one, or one per game")
        chosen = [find_edition(name, hidden_chests) for name in names]  # type: ignore[arg-type]
        self.editions = list(dict.fromkeys(chosen))
        if len(self.editions) > 127:
            raise ValueError(f"{len(self.editions)} different editions; at most 127 are allowed in a batch")
        self.edition_records = edition_table(self.editions)
        self.reward = reward
        self.reward_code = reward_code(reward, int(self.num_players.min()))
        self.games = np.zeros(num_games, GAME).view(np.recarray)
        rows = {edition: row for row, edition in enumerate(self.editions)}
        self.games.edition = [rows[edition] for edition in chosen]
        self.games.num_players = self.num_players
        absent = np.arange(self.seats) >= self.num_players[:, None]
        self._absent = absent if absent.any() else None
        self.started = False

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
        chosen = np.ones(self.num_games, bool) if mask is None else self._checked(mask, "mask", bool, ())
        observations = self._output(observations, "observations", np.float32, (self.seats, NUM_FEATURES))
        if seed is not None:
            self.games.key[chosen] = keys_of_seeds(_seeds_per_game(seed, self.num_games))[chosen]
        elif not self._has_started():
            entropy = np.random.SeedSequence().generate_state(self.num_games, np.uint64)
            self.games.key[chosen] = keys_of_seeds(entropy)[chosen]
        else:
            advance_keys(self.games, chosen)
        reset_games(self.games, self.edition_records, chosen)
        observe_games(self.games, self.edition_records, observations.view(OBSERVATION)[..., 0], False)
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
        given = _as_array(actions, "actions")
        if given.dtype.kind in "iu" and given.dtype != np.int8:
            actions = np.where((given == 0) | (given == 1), given, 2).astype(np.int8)
        actions = self._checked(actions, "actions", np.int8, (self.seats,))
        observations = self._output(observations, "observations", np.float32, (self.seats, NUM_FEATURES))
        rewards = self._output(rewards, "rewards", np.float32, (self.seats,))
        done = self._output(done, "done", np.bool_, ())
        final = _NOWHERE
        if final_observations is not None:
            final = self._output(final_observations, "final_observations", np.float32, (self.seats, NUM_FEATURES))
        seen, last = observations.view(OBSERVATION)[..., 0], final.view(OBSERVATION)[..., 0]
        wrong = step_games(
            self.games, self.edition_records, actions, seen, rewards, done, last, auto_reset, self.reward_code
        )
        if wrong >= 0:
            game, seat = divmod(wrong, self.seats)
            note = "" if given.dtype == np.int8 else f" (actions of dtype {given.dtype}; expected int8)"
            raise ValueError(
                f"action {given[game, seat]} of seat {seat} in game {game}; allowed: 0 (CONTINUE) and 1 (LEAVE){note}"
            )
        return observations, rewards, done

    def observe(self, observations: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Return what the seats see now, float32 (N, seats, NUM_FEATURES), written into `observations` if given.

        Raises:
            RuntimeError: Before the first reset.
        """
        self._require_games("observe")
        observations = self._output(observations, "observations", np.float32, (self.seats, NUM_FEATURES))
        observe_games(self.games, self.edition_records, observations.view(OBSERVATION)[..., 0], False)
        return observations

    def state(self) -> NDArray[np.float32]:
        """Return all that is public with open chests, float32 (N, NUM_FEATURES): what seat 0 would see.

        Raises:
            RuntimeError: Before the first reset.
        """
        self._require_games("state")
        state = np.empty((self.num_games, 1, NUM_FEATURES), np.float32)
        observe_games(self.games, self.edition_records, state.view(OBSERVATION)[..., 0], True)
        return state[:, 0]

    @property
    def must_decide(self) -> NDArray[np.bool_]:
        """Bool (N, seats): the seats that are inside and decide at the next step."""
        return self.games.inside[:, : self.seats] != 0

    @property
    def over(self) -> NDArray[np.bool_]:
        """Bool (N,): the games that are over."""
        return self.games.phase == OVER

    def draw_decisions(self, leave_probability: NDArray[np.float32], actions: NDArray[np.int8]) -> None:
        """Turn probabilities of LEAVE, float32 (N, seats), into `actions`, int8 (N, seats).

        The random number of a seat's decision comes from the game's key, the expedition, the turn and the seat:
        it is the same whatever else is in the batch, and whoever sits there.

        Raises:
            ValueError: If a seat that must decide has no probability between 0 and 1.
        """
        leave = self._checked(leave_probability, "leave_probability", np.float32, (self.seats,))
        wrong = draw_games_decisions(self.games, leave, self._output(actions, "actions", np.int8, (self.seats,)))
        if wrong >= 0:
            game, seat = divmod(wrong, self.seats)
            raise ValueError(f"leave_probability {leave[game, seat]} of seat {seat} in game {game}; 0 to 1 is allowed")

    def _has_started(self) -> bool:
        """Whether every place has a game, started by one or several resets or put there by the caller."""
        self.started = self.started or bool(self.games.expedition.all())
        return self.started

    def _require_games(self, call: str) -> None:
        if not self._has_started():
            raise RuntimeError(f"{call} before reset: call reset() first")

    def _checked(self, array: ArrayLike, name: str, dtype: type, tail: tuple[int, ...]) -> NDArray:
        """Return an input as an array of this dtype, if its shape is right and no value changes."""
        given = _as_array(array, name)
        shape = (self.num_games, *tail)
        if given.shape != shape:
            raise ValueError(f"{name} of shape {given.shape}; expected {shape}")
        if given.dtype == dtype:
            return given
        converted: NDArray | None = given.astype(dtype, casting="unsafe") if given.dtype.kind in "iub" else None
        if converted is None or not np.array_equal(converted, given):
            raise ValueError(f"{name} of dtype {given.dtype}; expected {np.dtype(dtype)}")
        return converted

    def _output(self, array: NDArray | None, name: str, dtype: type, tail: tuple[int, ...]) -> NDArray:
        """Return the caller's array to write into, if it fits, or a new one."""
        shape = (self.num_games, *tail)
        if array is None:
            return np.zeros(shape, dtype)
        if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype:
            given = f"shape {array.shape} and dtype {array.dtype}" if isinstance(array, np.ndarray) else type(array)
            raise ValueError(f"{name}: {given}; expected an array of shape {shape} and dtype {np.dtype(dtype)}")
        if not (array.flags.c_contiguous and array.flags.writeable):
            raise ValueError(f"{name} must be C-contiguous and writeable")
        if self._absent is not None and len(shape) > 1:
            array[self._absent] = 0  # the compiled code skips seats that a table does not have
        return array


def from_observation(
    observations: NDArray[np.float32], keys: ArrayLike, edition: str | Edition = "iello-2016"
) -> np.recarray:
    """Rebuild the games that produced observations with open chests; each observer becomes seat 0.

    Args:
        observations: float32 (rows, NUM_FEATURES).
        keys: uint64 (rows,), the random keys of the games to come: the true ones can't be seen.
        edition: The edition they play.

    Returns:
        Records of type `GAME` (rows,), which a `Batch` of that edition can go on with: ``batch.games[:] = records``.

    Raises:
        ValueError: If the shapes don't fit, the chests are hidden or a row is of a seat that nobody has.
    """
    observations = np.ascontiguousarray(observations, np.float32)
    if observations.ndim != 2 or observations.shape[1] != NUM_FEATURES:
        raise ValueError(f"observations of shape {observations.shape}; expected (rows, {NUM_FEATURES})")
    views = observations.view(OBSERVATION)[:, 0]
    if views["hidden_chests"].any():
        raise ValueError("a game can't be rebuilt from observations that hide the rivals' chests")
    if not views["num_players"].all():
        raise ValueError(f"row {views['num_players'].argmin()} is of a seat that its table does not have: all 0")
    keys = np.asarray(keys, np.uint64)
    if keys.shape != observations.shape[:1]:
        raise ValueError(f"keys of shape {keys.shape}; expected {observations.shape[:1]}")
    games = np.zeros(len(observations), GAME).view(np.recarray)
    rebuild_games(views, edition_table([find_edition(edition)]), keys, games)
    return games


def _as_array(given: ArrayLike, name: str) -> NDArray:
    try:
        return np.asarray(given)
    except ValueError:
        raise ValueError(f"{name}={given!r}; its rows must have the same length") from None


def _players_per_game(num_players: int | ArrayLike, num_games: int) -> NDArray[np.int64]:
    players = _as_array(num_players, "num_players")
    if players.dtype.kind not in "iu" or players.shape not in ((), (num_games,)):
        raise ValueError(f"num_players={num_players!r}; give a whole number, or one per game ({num_games},)")
    if players.min() < 1 or players.max() > MAX_PLAYERS:
        raise ValueError(f"num_players={num_players!r}; 1 to {MAX_PLAYERS} players are allowed")
    return np.broadcast_to(players.astype(np.int64), (num_games,)).copy()


def _seeds_per_game(seed: int | ArrayLike, num_games: int) -> NDArray[np.uint64]:
    seeds = _as_array(seed, "seed")
    if seeds.dtype.kind not in "iu" or seeds.shape not in ((), (num_games,)) or seeds.min() < 0:
        raise ValueError(f"seed={seed!r}; give a whole number of at least 0, or one per game ({num_games},)")
    seeds = seeds.astype(np.uint64)
    return seeds if seeds.shape else seeds + np.arange(num_games, dtype=np.uint64)
