"""Engine step in plain C (`reference.c`), compiled once in a process and called through ctypes."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env import NUM_FEATURES, Edition
from diamant_env.editions import MAX_PLAYERS, MAX_RELICS, MAX_TREASURES, NUM_CARDS, find_edition
from diamant_env.engine.edition_numbers import numbers_of

SOURCE = Path(__file__).with_name("reference.c")
COMPILER = os.environ.get("CC", "gcc")
_EDITION = np.dtype(
    [("cards", "i1", NUM_CARDS), ("treasure_value", "i2", MAX_TREASURES), ("relic_value", "i2", MAX_RELICS)]
    + [(name, "i1") for name in ("num_relics", "one_relic_per_expedition", "relics_printed")]
    + [(name, "i1") for name in ("num_expeditions", "bust_removes", "hidden_chests")]
    + [("share", "i2", (MAX_PLAYERS + 1, MAX_TREASURES))],
    align=True,
)


class Reference:
    """A batch of games in C, with the arrays of `diamant_env.Batch`; errors as in `compiled_library`."""

    def __init__(self, num_games: int, num_players: int = 4, edition: str | Edition = "iello-2016") -> None:
        self.library = compiled_library()
        self.num_games, self.num_players = num_games, num_players
        self.edition = _edition_record(find_edition(edition))
        self.games = np.zeros((num_games, self.library.reference_game_bytes()), np.uint8)

    def reset(self, seed: int, observations: NDArray[np.float32] | None = None) -> None:
        """Start game i with seed `seed + i`; fill `observations`, float32 (N, players, NUM_FEATURES), if given."""
        pointer = None if observations is None else observations.ctypes.data
        self.library.reference_reset(*self._table, seed, pointer)

    def stepper(
        self,
        actions: NDArray[np.int8],
        observations: NDArray[np.float32] | None,
        rewards: NDArray[np.float32],
        done: NDArray[np.bool_],
        *,
        auto_reset: bool = True,
        incremental: bool = False,
    ) -> Callable[[], None]:
        """Return a function that plays one turn in every game, with precomputed pointers.

        The arrays are those of `Batch.step`, contiguous; no validation. Without observations only the rules run; with
        `incremental` only changed features are written, over the observations of the last call.
        """
        arrays = (actions, observations, rewards, done)
        pointers = [None if array is None else array.ctypes.data_as(ctypes.c_void_p) for array in arrays]
        arguments = (*self._table, *pointers, int(auto_reset), int(incremental))
        return lambda: self.library.reference_step(*arguments)  # the pointers keep the arrays alive

    @property
    def _table(self) -> tuple[int, int, int, int]:
        return self.games.ctypes.data, self.num_games, self.edition.ctypes.data, self.num_players


def new_arrays(num_games: int, seats: int) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
    """Return observations, rewards and done for `num_games` tables of `seats`."""
    observations = np.zeros((num_games, seats, NUM_FEATURES), np.float32)
    return observations, np.zeros((num_games, seats), np.float32), np.zeros(num_games, bool)


def compiler_flags() -> tuple[str, ...]:
    """Return the compiler flags with which the reference is fastest here."""
    cpu = Path("/proc/cpuinfo")
    wide = cpu.exists() and "avx512f" in cpu.read_text()
    # gcc 12 tunes for Zen 3 on newer AMD processors with AVX-512; tuned for Ice Lake the reference is faster there.
    return ("-O3", "-march=native", *(("-mtune=icelake-server",) if wide else ()))


def compiler_version() -> str:
    """Return the first line of ``gcc --version``."""
    return subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


@cache
def compiled_library() -> ctypes.CDLL:
    """Return the reference, compiled by gcc or what the environment variable CC names.

    Raises:
        OSError: If there is no such compiler or it can't compile the reference.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [COMPILER, *compiler_flags(), "-shared", "-fPIC", "-o", f"{folder}/reference.so", str(SOURCE)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise OSError(f"{' '.join(command)} failed; gcc 12 or newer is needed:\n{result.stderr}")
        library = ctypes.CDLL(f"{folder}/reference.so")
    # Without the types, ctypes cuts pointers to 32 bits.
    pointer, number, key = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64
    table: list[Any] = [pointer, number, pointer, number]  # games, count, edition, players
    library.reference_game_bytes.restype = ctypes.c_size_t
    library.reference_reset.argtypes, library.reference_reset.restype = [*table, key, pointer], None
    library.reference_step.argtypes = [*table, pointer, pointer, pointer, pointer, number, number]
    library.reference_step.restype = None
    return library


def _edition_record(edition: Edition) -> NDArray:
    """Return the edition as the C's struct."""
    record = np.zeros((), _EDITION)
    for name in _EDITION.names or ():
        if name != "share":
            record[name] = numbers_of(edition)[name]
    record["share"][1:] = record["treasure_value"] // np.arange(1, MAX_PLAYERS + 1)[:, None]
    return record
