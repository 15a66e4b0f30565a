"""The same step written by hand in C, compiled once and called through ctypes.

`reference.c` is the strongest that we can write, `scalar_reference.c` does without vector types.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from diamant_env import NUM_FEATURES, Edition
from diamant_env.editions import MAX_PLAYERS, MAX_RELICS, MAX_TREASURES, NUM_CARDS, find_edition
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.native.aligned import aligned


def processor_facts() -> str:
    """Return the processor's name and abilities, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return "".join(sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}))


SOURCE = Path(__file__).with_name("reference.c")
SCALAR_SOURCE = Path(__file__).with_name("scalar_reference.c")
# gcc 12 takes newer AMD processors with AVX-512 for Zen 3; both references run faster there if tuned for this one.
_TUNING = ("-mtune=icelake-server",) if "avx512f" in processor_facts() else ()
PLAIN_FLAGS = ("-O3", "-march=native")
TUNED_FLAGS = (*PLAIN_FLAGS, *_TUNING)
VARIANTS = ("rules", "plain", "incremental")
_PRINTED = np.dtype(
    [("cards", "i1", NUM_CARDS), ("treasure_value", "i2", MAX_TREASURES), ("relic_value", "i2", MAX_RELICS)]
    + [(name, "i1") for name in ("num_relics", "one_relic_per_expedition", "relics_printed")]
    + [(name, "i1") for name in ("num_expeditions", "bust_removes", "hidden_chests")]
    + [("share", "i2", (MAX_PLAYERS + 1, MAX_TREASURES))],  # the strong C works it out itself
    align=True,
)


class NoCompilerError(RuntimeError):
    """There is no C compiler, or it can't compile the reference."""


class Reference:
    """A batch of games played by the C, with the arrays of `diamant_env.Batch`.

    Args:
        num_games: N.
        num_players: Players at every table, 1 to 8.
        edition: A published name or an `Edition`.

    Raises:
        NoCompilerError: If the C can't be compiled here; the message says why.
    """

    def __init__(self, num_games: int, num_players: int = 4, edition: str | Edition = "iello-2016") -> None:
        self.library = compiled_library()
        self.num_games, self.num_players = num_games, num_players
        self.edition = aligned(self.library.reference_edition_bytes(), np.uint8)
        printed = _printed_record(find_edition(edition))
        self.library.reference_prepare(printed.ctypes.data, self.edition.ctypes.data)
        self.bytes_per_game = self.library.reference_game_bytes()
        self.games = aligned((num_games, self.bytes_per_game), np.uint8)
        self.functions = {name: getattr(self.library, f"reference_step_{name}") for name in VARIANTS}
        self.functions |= {"reset": self.library.reference_reset, "games": self.library.reference_play_games}

    def reset(self, seed: int, observations: NDArray[np.float32] | None = None) -> None:
        """Start game i with seed `seed + i`; write what the seats see, float32 (N, players, NUM_FEATURES), if asked."""
        where = None if observations is None else observations.ctypes.data
        self.functions["reset"](*self._table, seed, where)

    def step(
        self,
        actions: NDArray[np.int8],
        observations: NDArray[np.float32] | None,
        rewards: NDArray[np.float32],
        done: NDArray[np.bool_],
        *,
        auto_reset: bool = True,
        variant: str = "plain",
    ) -> None:
        """Play one turn in every game. The arrays are those of `Batch.step` and must be contiguous; nothing is checked.

        Args:
            actions: int8 (N, players), 0 or 1.
            observations: float32 (N, players, NUM_FEATURES); None with the rules alone. With ``"incremental"`` it is
                what the last reset or step wrote, untouched.
            rewards: float32 (N, players), the gems banked.
            done: bool (N,).
            auto_reset: Whether the next game starts at once where one ends.
            variant: ``"rules"`` writes no observations, ``"plain"`` all, ``"incremental"`` what changed.
        """
        self.stepper(actions, observations, rewards, done, auto_reset=auto_reset, variant=variant)()

    def stepper(self, actions, observations, rewards, done, *, auto_reset=True, variant="plain"):
        """Return a function without arguments that does what `step` does, its pointers taken beforehand."""
        function = self.functions[variant]
        where = [None if array is None else array.ctypes.data for array in (actions, observations, rewards, done)]
        arguments = (*self._table, *where, int(auto_reset))
        return lambda: function(*arguments)

    def play_games(self, count: int, seed: int, leave_probability: float) -> tuple[NDArray[np.int16], int]:
        """Play games `seed`, `seed + 1` … to their ends, every decision drawn by the C.

        Returns:
            The final chests, int16 (count, players), and the number of turns played.
        """
        chests = np.zeros((count, self.num_players), np.int16)
        threshold = int(np.ceil(float(np.float32(leave_probability)) * 2**32))  # as the engine
        edition = self.edition.ctypes.data
        turns = self.functions["games"](count, edition, self.num_players, seed, threshold, chests.ctypes.data)
        return chests, turns

    @property
    def _table(self) -> tuple[int, int, int, int]:
        return self.games.ctypes.data, self.num_games, self.edition.ctypes.data, self.num_players


class ScalarReference(Reference):
    """The same in C without vector types; ``"rules"`` wants None for the observations."""

    def __init__(
        self,
        num_games: int,
        num_players: int = 4,
        edition: str | Edition = "iello-2016",
        flags: tuple[str, ...] = TUNED_FLAGS,
    ) -> None:
        self.library = compiled_library(SCALAR_SOURCE, flags)
        self.num_games, self.num_players = num_games, num_players
        self.edition = _printed_record(find_edition(edition))
        self.bytes_per_game = self.library.scalar_game_bytes()
        self.games = aligned((num_games, self.bytes_per_game), np.uint8)
        self.functions = {"rules": self.library.scalar_step, "plain": self.library.scalar_step}
        self.functions |= {"incremental": self.library.scalar_step_incremental, "reset": self.library.scalar_reset}
        self.functions["games"] = self.library.scalar_play_games


def new_arrays(num_games: int, seats: int) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
    """Return observations, rewards and done for so many games and seats, each beginning at a cache line."""
    observations = aligned((num_games, seats, NUM_FEATURES), np.float32)
    return observations, aligned((num_games, seats), np.float32), aligned((num_games,), np.bool_)


def compiler() -> str:
    """Return the path of the C compiler: that of the environment variable CC, else gcc.

    Raises:
        NoCompilerError: If there is none.
    """
    found = shutil.which(os.environ.get("CC", "gcc"))
    if found is None:
        raise NoCompilerError("no C compiler: install gcc (for instance apt install gcc) or name one in CC")
    return found


def compiled_library(source: Path = SOURCE, flags: tuple[str, ...] = TUNED_FLAGS) -> ctypes.CDLL:
    """Return the compiled reference, compiled anew if its source, the compiler or the processor is another.

    Raises:
        NoCompilerError: If it can't be compiled here.
    """
    program = compiler()
    sources = [path.read_bytes() for path in (source, *sorted(source.parent.glob("reference_*.h")))]
    stamp = (*sources, program, *flags, platform.machine(), processor_facts())
    digest = hashlib.sha256(repr(stamp).encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"diamant_reference_{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    library = folder / f"{source.stem}-{digest}.so"
    if not library.exists():
        _compile(program, source, flags, library)
    loaded = ctypes.CDLL(str(library))
    return _with_types(loaded) if source == SOURCE else _with_scalar_types(loaded)


def compiler_version() -> str:
    """Return the first line of what the compiler says of itself."""
    return subprocess.run([compiler(), "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def _compile(program: str, source: Path, flags: tuple[str, ...], library: Path) -> None:
    """Compile beside the place and move it there, so that no other process meets half a file."""
    unfinished = library.with_suffix(f".{os.getpid()}")
    command = [program, *flags, "-shared", "-fPIC", "-o", str(unfinished), str(source)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise NoCompilerError(f"{' '.join(command)} failed; gcc 12 or newer is needed:\n{result.stderr}")
    unfinished.replace(library)


_TABLE = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int]  # games, count, edition, players
_RESET = [*_TABLE, ctypes.c_uint64, ctypes.c_void_p]  # and seed, rows
_STEP = [*_TABLE, *[ctypes.c_void_p] * 4, ctypes.c_int]  # and actions, rows, rewards, done, auto-reset
# Count, edition, players, seed, threshold, chests.
_GAMES = [ctypes.c_int64, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p]


def _with_types(library: ctypes.CDLL) -> ctypes.CDLL:
    """Declare the functions: without this, ctypes cuts pointers to 32 bits."""
    library.reference_game_bytes.restype = library.reference_edition_bytes.restype = ctypes.c_size_t
    library.reference_prepare.argtypes, library.reference_prepare.restype = [ctypes.c_void_p] * 2, None
    library.reference_reset.argtypes, library.reference_reset.restype = _RESET, None
    for variant in VARIANTS:
        step = getattr(library, f"reference_step_{variant}")
        step.argtypes, step.restype = _STEP, None
    library.reference_play_games.argtypes, library.reference_play_games.restype = _GAMES, ctypes.c_uint64
    return library


def _with_scalar_types(library: ctypes.CDLL) -> ctypes.CDLL:
    library.scalar_game_bytes.restype = ctypes.c_size_t
    library.scalar_reset.argtypes, library.scalar_reset.restype = _RESET, None
    for step in (library.scalar_step, library.scalar_step_incremental):
        step.argtypes, step.restype = _STEP, None
    library.scalar_play_games.argtypes, library.scalar_play_games.restype = _GAMES, ctypes.c_uint64
    return library


def _printed_record(edition: Edition) -> NDArray:
    """What the C wants to know of an edition, as it is printed on the box."""
    printed = np.zeros((), _PRINTED)
    for name in _PRINTED.names or ():
        printed[name] = numbers_of(edition)[name]
    return printed
