"""Solved expeditions on disk, in the package's cache.

A file is named by a digest of all that its numbers depend on beside the sources of the package: the edition, the state.
What is damaged or half-written counts as absent and is solved anew.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.exact.tree import ExpeditionTree
from diamant_env.storage import cache

_VALUES = np.dtype("<f8")


def load_values(tree: ExpeditionTree, mode: int) -> tuple[NDArray[np.float64], float] | None:
    """Return the values, float64 (nodes,), and the error of a solution kept on disk, None if there is no sound one."""
    content = cache.load(_name(tree, mode))
    if content is None or content.size != (tree.boxes.size + 1) * _VALUES.itemsize:
        return None
    numbers = content.view(_VALUES)
    return numbers[1:], float(numbers[0])


def save_values(tree: ExpeditionTree, mode: int, values: NDArray[np.float64], error: float) -> None:
    """Keep a solution on disk, if it can be written: a full disk stops nobody."""
    cache.save(_name(tree, mode), np.array([error], _VALUES).data, values.astype(_VALUES, copy=False).data)


def _name(tree: ExpeditionTree, mode: int) -> str:
    digest = hashlib.sha256(numbers_of(tree.edition).tobytes())
    start = tree.start
    for name in ("phase", "num_inside", "relics_taken", "path_relics", "path_relic_value", "path_gems", "bag"):
        digest.update(f"{name}={int(start[name])}\n".encode())
    digest.update(start["deck"].tobytes() + start["on_path"].tobytes())
    digest.update(f"mode={mode}".encode())
    return f"{digest.hexdigest()[:32]}.values"
