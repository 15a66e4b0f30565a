"""Batch of games over a structured array of states; single environments are batches of one."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.compilation import warn_if_uncached
from diamant_env.editions import Edition
from diamant_env.engine import loops
from diamant_env.engine.arguments import (
    BOOL,
    FLOAT32,
    INT8,
    checked_actions,
    checked_array,
    checked_int,
    checked_mask,
    editions_per_game,
    output,
    players_per_game,
    seeds_per_game,
    unique_editions,
)
from diamant_env.engine.edition_params import edition_params_array
from diamant_env.engine.records import as_bytes, check_games, observe_records
from diamant_env.observation import NUM_FEATURES
from diamant_env.random_numbers import keys_of_next_games, keys_of_seeds
from diamant_env.rewards import Reward, custom_rewards, reward_code
from diamant_env.state import DECIDE, GAME, OVER, REVEAL

_PUBLIC = [name for name in GAME.names if name != "key"]  # type: ignore[union-attr]


class Batch:
    """N games played in parallel.

    Args:
        num_games: Number of games, N.
        num_players: Players at each table: one number, or one per game (N,); 3 to 8, and 1 and 2 for research. The
            largest is the length of the seat axis; absent seats have observations and rewards of 0.
        edition: An edition, see `diamant_env.find_edition`, or a sequence with one per game.
        reward: One of `diamant_env.rewards.REWARDS`, or a function, see `diamant_env.rewards.custom_rewards`.

    Attributes:
        editions: The distinct editions of the games.
        num_players: int64 (N,), players at each table.
        reward: Name or function of the reward.
        started: Whether the batch has been reset.
        all_games: bool (N,), all True: the mask of all games.

    Raises:
        ValueError: If an argument is out of range; the message lists what is allowed.

    >>> batch = Batch(1000, num_players=4)
    >>> batch.reset(seed=0).shape == (1000, 4, NUM_FEATURES)
    True
    """

    def __init__(
        self,
        num_games: int,
        num_players: int | ArrayLike = 4,
        edition: str | Edition | Sequence[str | Edition] = "iello-2016",
        reward: Reward = "score",
    ) -> None:
        warn_if_uncached()
        games = checked_int("num_games", num_games, 1)
        self.num_players = players_per_game(num_players, games)
        self._shape = games, int(self.num_players.max())
        chosen = editions_per_game(edition, games)
        self.editions = unique_editions(chosen)
        self.reward = reward
        self._reward_code = reward_code(reward, int(self.num_players.min()), functions=True)
        self._edition_rows = np.array([self.editions.index(one) for one in chosen], np.int64)
        self._edition_params = edition_params_array(self.editions)
        self._edition_memory = as_bytes(self._edition_params)
        self._games = np.zeros(games, GAME)
        self._memory = as_bytes(self._games)
        self._games["edition"], self._games["num_players"] = self._edition_rows, self.num_players
        self.all_games = np.ones(games, np.bool_)
        self._absent = np.arange(self.max_players) >= self.num_players[:, None]
        self._any_absent, self.started = bool(self._absent.any()), False

    @property
    def num_games(self) -> int:
        """Number of games, N."""
        return self._shape[0]

    @property
    def max_players(self) -> int:
        """Length of the seat axis of all arrays."""
        return self._shape[1]

    def __repr__(self) -> str:
        sizes, editions = map(str, np.unique(self.num_players)), (edition.name for edition in self.editions)
        what = f"{', '.join(sizes)} players, {', '.join(editions)}, reward {self.reward}"
        return f"<Batch of {self.num_games} games: {what}>"

    @property
    def games(self) -> np.recarray:
        """A read-only copy (N,) of the complete state, random keys included: records of type `GAME`."""
        games = self._memory.copy().view(GAME)[:, 0].view(np.recarray)  # copying records leaves padding bytes undefined
        games.flags.writeable = False
        return games

    @property
    def public_states(self) -> NDArray:
        """The public state with open chests: a live, read-only view (N,) of `GAME` without the key (in its memory)."""
        return np.frombuffer(self._memory.data.toreadonly(), GAME)[_PUBLIC]

    @property
    def must_decide(self) -> NDArray[np.bool_]:
        """The seats inside the cave, which decide at the next step: bool (N, seats)."""
        return self._games["inside"][:, : self.max_players] != 0

    @property
    def over(self) -> NDArray[np.bool_]:
        """The games that are over: bool (N,)."""
        return self._games["phase"] == OVER

    def reset(
        self,
        seed: int | ArrayLike | None = None,
        mask: ArrayLike | None = None,
        observations: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """Start new games and return the first observations.

        Args:
            seed: One seed, so that game i equals a single environment with seed `seed + i`; or one per game (N,). None
                continues each game's sequence, or takes system entropy at the first reset.
            mask: bool (N,), the games to start; all by default. The first reset starts all.
            observations: Output array, written where `mask`; a new one by default.

        Raises:
            ValueError: If an argument is invalid or the mask of the first reset excludes games; the games are then
                unchanged.
        """
        chosen = checked_mask(mask, self.all_games)
        if not self.started and not chosen.all():
            raise ValueError("the first reset must start all games: call it without a mask")
        observed = self.all_games if observations is None else chosen
        observations = self._output(observations, "observations", FLOAT32, (self.max_players, NUM_FEATURES))
        seeds = None if seed is None and self.started else seeds_per_game(seed, self.num_games)
        keys = self._games["key"][chosen]
        self._games["key"][chosen] = keys_of_next_games(keys) if seeds is None else keys_of_seeds(seeds[chosen])
        loops.start_games(self._memory, self._edition_memory, chosen)
        self.started = True
        self.observe_unchecked(observations, observed)
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
            actions: Integers (N, seats), fastest as int8: 0 = CONTINUE and 1 = LEAVE. Ignored for seats in camp.
            observations: Output array, float32 (N, seats, NUM_FEATURES), written where `mask`; a new one by default.
            rewards: Output array, float32 (N, seats).
            done: Output array, bool (N,).
            auto_reset: Start the next game wherever one ends: reward and `done` belong to the game that ended, the
                observation is the first of the new game.
            final_observations: With `auto_reset`, output array float32 (N, seats, NUM_FEATURES) for the last
                observations of games that ended; other rows are unchanged.
            mask: bool (N,), the games to play; all by default. The others are unchanged and have reward 0.

        Returns:
            `observations`, `rewards` and `done`. Games that were over before have reward 0 and `done` True.

        Raises:
            RuntimeError: Before the first reset.
            ValueError: If an array has the wrong shape or dtype, or an action of a deciding seat is neither 0 nor 1;
                the games are then unchanged.
        """
        if observations is None and mask is not None:
            observations = self.observe()
        observations = self._output(observations, "observations", FLOAT32, (self.max_players, NUM_FEATURES))
        if final_observations is not None:
            output(final_observations, "final_observations", FLOAT32, observations.shape)
            if not auto_reset:
                raise ValueError("final_observations are written with auto_reset=True only")
        playing = checked_mask(mask, self.all_games)
        actions, rewards, done = self._checked_turn(actions, rewards, done)
        self.play_unchecked(actions, rewards, done, playing, auto_reset, final_observations)
        self.observe_unchecked(observations, playing)
        return observations, rewards, done

    def play(
        self,
        actions: ArrayLike,
        rewards: NDArray[np.float32] | None = None,
        done: NDArray[np.bool_] | None = None,
        *,
        auto_reset: bool = False,
        mask: ArrayLike | None = None,
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Play one turn like `step` without observations; return `rewards` and `done`."""
        playing = checked_mask(mask, self.all_games)
        actions, rewards, done = self._checked_turn(actions, rewards, done)
        self.play_unchecked(actions, rewards, done, playing, auto_reset)
        return rewards, done

    def observe(self, observations: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Return the current observations, float32 (N, seats, NUM_FEATURES), written into `observations` if given."""
        self._require_games()
        observations = self._output(observations, "observations", FLOAT32, (self.max_players, NUM_FEATURES))
        self.observe_unchecked(observations, self.all_games)
        return observations

    def state(self) -> NDArray[np.float32]:
        """Return the global state, float32 (N, NUM_FEATURES): seat 0's observation with open chests."""
        self._require_games()
        opened = self._edition_params.copy()
        opened["hidden_chests"] = opened["hidden_rivals"] = 0
        return observe_records(self._games, opened)[:, 0]

    def win_shares(self) -> NDArray[np.float32]:
        """Return 1/k for each of the k winners in games that are over, else 0: float32 (N, seats)."""
        shares = np.zeros(self._shape, np.float32)
        loops.final_rewards(self._memory, self._edition_memory, reward_code("win", 1), shares)
        return shares

    def draw_decisions(self, leave_probability: NDArray[np.float32], actions: NDArray[np.int8]) -> None:
        """Sample `actions`, int8 (N, seats), from probabilities of LEAVE, float32 (N, seats).

        The random numbers depend on the game's key, the expedition, the turn and the seat only.

        Raises:
            ValueError: If the value of a deciding seat is not between 0 and 1.
        """
        leave = checked_array(leave_probability, "leave_probability", FLOAT32, self._shape)
        actions = self._output(actions, "actions", INT8, (self.max_players,))
        wrong = self.draw_unchecked(leave, actions)
        if wrong >= 0:
            game, seat = divmod(wrong, self.max_players)
            raise ValueError(f"leave_probability[{game}, {seat}] = {leave[game, seat]}; 0 to 1 is allowed")

    def draw_unchecked(self, leave: NDArray[np.float32], actions: NDArray[np.int8]) -> int:
        """Sample like `draw_decisions` without validation; return the index of the first improper value, or -1."""
        return int(loops.draw_decisions(self._memory, leave, actions))

    def set_states(self, records: ArrayLike) -> None:
        """Set the games to records of type `GAME` (N,).

        Args:
            records: As of `games`. Editions and numbers of players must be those of this batch. Where a record is in
                the phase `REVEAL`, the card is drawn at once.

        Raises:
            ValueError: If a record is invalid; the message names the game and the field, and the state is unchanged.
        """
        phases = REVEAL, DECIDE, OVER
        self._games[:] = check_games(records, self._edition_params, self._edition_rows, self.num_players, phases)
        self.started = True
        loops.reveal_cards(self._memory, self._edition_memory)

    __copy__ = copy.deepcopy  # a shallow copy would share the games

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_games"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Buffers of joblib, Ray and dask are read-only; compiled code would write into them.
        arrays = {name: each.copy() if isinstance(each, np.ndarray) else each for name, each in state.items()}
        arrays["num_players"].flags.writeable = False
        vars(self).update(arrays, _games=arrays["_memory"].view(GAME)[:, 0])

    def _checked_turn(
        self, actions: ArrayLike, rewards: NDArray[np.float32] | None, done: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_]]:
        """Return checked actions, int8 (N, seats), and the output arrays of a turn."""
        self._require_games()
        rewards = self._output(rewards, "rewards", FLOAT32, (self.max_players,))
        done = self._output(done, "done", BOOL, ())
        return checked_actions(actions, self._games["inside"][:, : self.max_players]), rewards, done

    def play_unchecked(
        self,
        actions: NDArray[np.int8],
        rewards: NDArray[np.float32],
        done: NDArray[np.bool_],
        playing: NDArray[np.bool_],
        auto_reset: bool = False,
        final_observations: NDArray[np.float32] | None = None,
    ) -> None:
        """Play a turn like `play` without validation, for environments that own the arrays."""
        custom = callable(self.reward)
        played = playing & ~self.over if custom else playing
        ended = loops.play_turn(self._memory, self._edition_memory, playing, actions, rewards, done, self._reward_code)
        if custom:
            rewards[...] = custom_rewards(self.reward, self._games, played, self._absent)  # type: ignore[arg-type]
        if auto_reset and ended:
            over = done & playing
            if final_observations is not None:
                final_observations[self._absent & over[:, None]] = 0
                self.observe_unchecked(final_observations, over)
            loops.start_next_games(self._memory, self._edition_memory, over)

    def observe_unchecked(self, observations: NDArray[np.float32], chosen: NDArray[np.bool_]) -> None:
        """Write the observations of the games in `chosen`, bool (N,), without validation."""
        loops.observe_games(self._memory, self._edition_memory, chosen, observations)

    def _require_games(self) -> None:
        if not self.started:
            raise RuntimeError("no games yet: call reset() first")

    def _output(self, array: NDArray | None, name: str, dtype: np.dtype, tail: tuple[int, ...]) -> NDArray:
        """Return the caller's output array if shape and dtype fit, or a new one."""
        array = output(array, name, dtype, (self._shape[0], *tail))
        if self._any_absent and tail:
            array[self._absent] = 0  # the compiled loops skip absent seats
        return array
