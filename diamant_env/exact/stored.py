"""Solved expeditions on disk, in ``$DIAMANT_CACHE_DIR`` or ``~/.cache/diamant_env``.

A file is named by a digest of all that its numbers depend on: the edition, the state, the sources of the package. It
ends in a digest of its content, so that a damaged or half-written one counts as absent and is solved anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from diamant_env.compiled import PACKAGE_STAMP
from diamant_env.exact.nodes import Expedition
from diamant_env.files import write_whole

_DIGEST_SIZE = hashlib.sha256().digest_size
_VALUES = np.dtype("<f8")


def cache_folder() -> Path:
    """Return where solutions are kept; ``$DIAMANT_CACHE_DIR`` names another place."""
    return Path(os.environ.get("DIAMANT_CACHE_DIR") or Path.home() / ".cache" / "diamant_env")


def load_values(expedition: Expedition, mode: int) -> tuple[NDArray[np.float64], float] | None:
    """Return the values, float64 (nodes,), and the error of a solution kept on disk, None if there is no sound one."""
    path = _path(expedition, mode)
    size = (expedition.boxes.size + 1) * _VALUES.itemsize
    try:
        if path.stat().st_size != size + _DIGEST_SIZE:
            return None
        content = np.fromfile(path, np.uint8)
    except OSError:
        return None
    if hashlib.sha256(content[:size].data).digest() != content[size:].tobytes():
        return None
    numbers = content[:size].view(_VALUES)
    return numbers[1:], float(numbers[0])


def save_values(expedition: Expedition, mode: int, values: NDArray[np.float64], error: float) -> None:
    """Keep a solution on disk, if it can be written: a full disk stops nobody."""
    content = np.append(error, values).astype(_VALUES).tobytes()
    with contextlib.suppress(OSError):
        write_whole(_path(expedition, mode), content + hashlib.sha256(content).digest())


def _path(expedition: Expedition, mode: int) -> Path:
    digest = hashlib.sha256(PACKAGE_STAMP.encode())
    digest.update(expedition.edition.record.tobytes())
    start = expedition.start
    for name in ("phase", "num_inside", "relics_taken", "path_relics", "path_relic_value", "path_gems", "bag"):
        digest.update(f"{name}={int(start[name])}\n".encode())
    digest.update(start["deck"].tobytes() + start["on_path"].tobytes())
    digest.update(f"mode={mode}".encode())
    return cache_folder() / f"{digest.hexdigest()[:32]}.values"
