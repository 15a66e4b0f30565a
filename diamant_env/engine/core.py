"""The games of a batch and the compiled loops on them. Nothing is checked here: the callers in this package vouch."""

from __future__ import annotations

from threading import Lock

import numpy as np
from numpy.typing import NDArray

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
from diamant_env.state import GAME

NO_ROWS = np.zeros((0, 0, NUM_FEATURES), np.float32)
ALL_GAMES = np.zeros(0, np.bool_)
_NO_TURN = (np.zeros((0, 0), np.int8), np.zeros((0, 0), np.float32), np.zeros(0, np.bool_))  # actions, rewards, done


class Core:
    """The state of N games, one call at a time.

    Args:
        rows: int64 (N,), each game's row in the table of editions.
        num_players: int64 (N,).
        editions: Records of type `EDITION` (E,).
        reward_code: See `diamant_env.rewards.reward_code`.
        threads: How many threads share a turn.
        blank_rivals: See `diamant_env.engine.workspace.new_workspace`.

    Attributes:
        records: The state, records of type `GAME` (N,).
        memory: The same as bytes, uint8 (N, bytes of a record).
    """

    def __init__(
        self,
        rows: NDArray[np.int64],
        num_players: NDArray[np.int64],
        editions: NDArray,
        reward_code: int,
        threads: int,
        blank_rivals: bool,
    ) -> None:
        self.records = aligned(len(rows), GAME)
        self.memory = self.records.view(np.uint8).reshape(len(rows), -1)
        self.records["edition"] = rows
        self.records["num_players"] = num_players
        self.editions, self.reward_code = editions, reward_code
        self._edition_memory = editions.view(np.uint8).reshape(len(editions), -1)
        self._threads, self._blank_rivals = threads, blank_rivals
        self._started = False
        self.prepare()

    def prepare(self) -> None:
        """Set up what belongs to this object in this process: a lock, threads and their workspaces."""
        self.lock = Lock()
        self.team = ThreadTeam(len(self.records), self._threads, self._blank_rivals)
        survive_forks(self)

    def copy(self) -> np.recarray:
        """Return a read-only copy of the state, records of type `GAME` (N,)."""
        with self.lock:
            memory = self.memory.copy()  # of records NumPy would leave out the padding
        games = memory.view(GAME)[:, 0].view(np.recarray)
        games.flags.writeable = False
        return games

    def replace(self, games: NDArray) -> None:
        """Go on with other games."""
        with self.lock:
            self.records[:] = games
            self._started = False

    def has_started(self) -> bool:
        """Whether every place has a game, started by one or several resets or put there by the caller."""
        self._started = self._started or bool(self.records["expedition"].all())
        return self._started

    def require_games(self, call: str) -> None:
        """Raise a RuntimeError if a place has no game."""
        if not self.has_started():
            raise RuntimeError(f"{call} before reset: call reset() first")

    def reset(self, chosen: NDArray[np.bool_], seeds: NDArray[np.uint64] | None) -> None:
        """Start the chosen games: each with its seed, uint64 (N,), or the next one in its place."""
        with self.lock:
            if seeds is None:
                advance_keys(self.records, chosen)
            else:
                self.records["key"][chosen] = keys_of_seeds(seeds)[chosen]
            reset_games(self.records, self.editions, chosen)

    def step(
        self,
        actions: NDArray[np.int8],
        observations: NDArray[np.float32] | None,
        rewards: NDArray[np.float32],
        done: NDArray[np.bool_],
        final_observations: NDArray[np.float32] = NO_ROWS,
        auto_reset: bool = False,
        chosen: NDArray[np.bool_] = ALL_GAMES,
    ) -> None:
        """Play one turn, see `Batch.step`. Without `observations` none are written."""
        observed, rows = (False, NO_ROWS) if observations is None else (True, observations)
        with self.lock:
            self.require_games("step")  # another thread may have put games back that were not started
            if self._threads == 1:
                step_games(
                    self.memory, self._edition_memory, chosen, actions, rows, rewards, done, final_observations,
                    auto_reset, True, observed, self.reward_code, self.team.workspace[0],
                )  # fmt: skip
                return

            def work(part: slice, workspace: NDArray) -> None:
                step_games(
                    self.memory[part], self._edition_memory, chosen[part], actions[part], rows[part], rewards[part],
                    done[part], final_observations[part], auto_reset, True, observed, self.reward_code, workspace,
                )  # fmt: skip

            self.team.work(work)

    def observe(self, rows: NDArray[np.float32]) -> None:
        """Write what the seats see into `rows`, float32 (N, seats, NUM_FEATURES)."""
        actions, rewards, done = _NO_TURN
        with self.lock:
            step_games(
                self.memory, self._edition_memory, ALL_GAMES, actions, rows, rewards, done, NO_ROWS, False, False, True,
                self.reward_code, self.team.workspace[0],
            )  # fmt: skip

    def observe_all(self, rows: NDArray[np.float32]) -> None:
        """Write what the first seats see with open chests into `rows`, float32 (N, any number, NUM_FEATURES)."""
        with self.lock:
            workspace = new_workspace() if self._blank_rivals else self.team.workspace[0]
            observe_games(self.records, self.editions, rows, workspace)

    def play_out(self, leave_probability: float) -> None:
        """Play every game to its end, each seat inside leaving with this probability at each turn."""
        chance = np.float32(leave_probability)
        with self.lock:
            self.require_games("play_out")
            self.team.work(lambda part, _: finish_games(self.records[part], self.editions, chance))

    def draw_decisions(self, leave_probability: NDArray[np.float32], actions: NDArray[np.int8]) -> int:
        """Draw; return -1, or the position of the first probability that is none."""
        with self.lock:
            return int(draw_games_decisions(self.records, leave_probability, actions))
