"""Many games at once on a GPU: the same compiled functions in a kernel, one thread per game.

Needs an NVIDIA GPU and what `numba.cuda` needs. Games and bytes are those of `diamant_env.Batch`. Import this module
for it: ``from diamant_env.cuda import CudaBatch``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import cuda
from numpy.typing import ArrayLike, NDArray

from diamant_env.batch import Batch
from diamant_env.editions import Edition
from diamant_env.engine.observation_writer import observe_table
from diamant_env.engine.turns import deal, play_turn
from diamant_env.engine.workspace import new_workspace
from diamant_env.native.packed_bytes import pack_ones, unpack_into
from diamant_env.observation import NUM_FEATURES
from diamant_env.random_numbers import key_of_next_game
from diamant_env.rewards import pay
from diamant_env.state import GAME, OVER

_THREADS_PER_BLOCK = 64


@cuda.jit
def _step(games, editions, actions, rows, rewards, done, workspace, reward_code):
    """Play one turn in each game, start the next one where it ends, and write what the seats see."""
    i: Any = cuda.grid(1)  # type: ignore[call-arg]
    if i >= games.shape[0]:
        return
    game = games[i]
    edition = editions[game.edition]
    unpack_into(game.decision, pack_ones(actions, i))  # LEAVE is 1
    play_turn(game, edition)
    pay(game, edition, reward_code, True, rewards, i)
    done[i] = game.phase == OVER
    if game.phase == OVER:
        deal(game, edition, key_of_next_game(game.key))
    observe_table(game, edition, edition.hidden_chests, rows, i, workspace[i])


class CudaBatch:
    """N games on the GPU, each place going on with its next game.

    Args:
        num_games: How many, N.
        num_players: Players at each table: one number, or one per game (N,).
        edition: A published name or an `Edition`, or a sequence with one per game.
        reward: ``"score"``, ``"win"`` or ``"margin"``.
        hidden_chests: Whether a player sees only their own chest: True or False, None as each edition says.

    Attributes:
        seats: Length of the seat axis, the largest table.
        observations: Device array float32 (N, seats, NUM_FEATURES).
        rewards: Device array float32 (N, seats).
        done: Device array bool (N,).

    The three arrays stay where they are; `step` writes into them. They have a ``__cuda_array_interface__``:
    ``torch.as_tensor(batch.observations, device="cuda")`` shares their memory.

    Raises:
        ValueError: If an argument is out of range.
        numba.cuda.CudaSupportError: If there is no GPU.
    """

    def __init__(
        self,
        num_games: int,
        num_players: int | ArrayLike = 4,
        edition: str | Edition | Sequence[str | Edition] = "iello-2016",
        reward: str = "score",
        hidden_chests: bool | None = None,
    ) -> None:
        self._host = Batch(num_games, num_players, edition, reward, hidden_chests=hidden_chests)
        self.num_games, self.seats = num_games, self._host.seats
        self._editions = cuda.to_device(self._host._core.editions)
        self._workspace = cuda.to_device(np.repeat(new_workspace(), num_games))
        self._games: Any = None
        self.observations = cuda.to_device(np.zeros((num_games, self.seats, NUM_FEATURES), np.float32))
        self.rewards = cuda.to_device(np.zeros((num_games, self.seats), np.float32))
        self.done = cuda.to_device(np.zeros(num_games, np.bool_))

    def reset(self, seed: int | ArrayLike | None = None) -> Any:
        """Start new games as `Batch.reset` does, on the host; return `observations`."""
        rows = self._host.reset(seed)
        self._games = cuda.to_device(self._host._core.records)
        self.observations.copy_to_device(rows)
        return self.observations

    def step(self, actions: Any) -> tuple[Any, Any, Any]:
        """Play one turn in every game and start the next one where it ends.

        Args:
            actions: int8 (N, seats) on the GPU (anything with a ``__cuda_array_interface__``, such as a torch tensor)
                or a NumPy array, which is copied there. 1 is LEAVE; every other number counts as CONTINUE.

        Returns:
            `observations`, `rewards` and `done`.

        Raises:
            RuntimeError: Before the first reset.
            ValueError: If the shape or dtype is wrong, or the array on the GPU is not C-contiguous.
        """
        if self._games is None:
            raise RuntimeError("step before reset: call reset() first")
        if tuple(actions.shape) != self.rewards.shape:
            raise ValueError(f"actions of shape {tuple(actions.shape)}; expected {self.rewards.shape}")
        on_host = isinstance(actions, np.ndarray)
        there = cuda.to_device(np.ascontiguousarray(actions)) if on_host else cuda.as_cuda_array(actions)
        if not there.is_c_contiguous():
            raise ValueError("actions on the GPU must be C-contiguous")
        if there.dtype != np.int8:
            raise ValueError(f"actions of dtype {there.dtype}; expected int8")
        blocks = -(-self.num_games // _THREADS_PER_BLOCK)
        _step[blocks, _THREADS_PER_BLOCK](
            self._games, self._editions, there, self.observations, self.rewards, self.done, self._workspace,
            self._host._core.reward_code,
        )  # fmt: skip
        return self.observations, self.rewards, self.done

    @property
    def games(self) -> NDArray:
        """A copy of the games on the host, records of type `GAME` (N,)."""
        games = np.zeros(self.num_games, GAME)
        if self._games is not None:
            self._games.copy_to_host(games)
        return games
