"""A run's state in one file; opening the file runs no code from it.

A state is a tree of dictionaries whose leaves are arrays and what JSON knows. The file is a safetensors file: it has
each array by its path, such as ``model/optimizer/3/exp_avg``; the metadata hold the rest as one JSON text, with a
digest of the whole content, so that damage is always noticed.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from diamant_env.storage.files import write_whole
from diamant_env.storage.reading import read_bytes
from train.runs.config import Run

CHECKPOINT = "checkpoint.safetensors"
_FORMAT = "diamant-checkpoint-1"
_LARGEST = 1 << 28  # bytes; a run has some megabytes
State = dict[str, Any]


def save_checkpoint(folder: Path, config: Run, state: State) -> None:
    """Write the state of a run with its configuration, whole or not at all."""
    arrays, rest = _split({"config": config.model_dump(mode="json"), **state})
    text = json.dumps(rest)
    about = {"format": _FORMAT, "sha256": _digest(text, arrays), "state": text}
    # One text, since the library writes several in no particular order.
    write_whole(folder / CHECKPOINT, save(arrays, {"diamant": json.dumps(about)}))


def load_checkpoint(folder: Path, config: Run) -> State | None:
    """Return the last saved state of a run, or None if it was killed before the first.

    The state is undamaged; `check_like` says whether this run can go on with it.

    Raises:
        ValueError: If the file is damaged or belongs to another configuration.
    """
    path = folder / CHECKPOINT
    if not path.is_file():
        return None
    try:
        state = _read(read_bytes(path, _LARGEST))
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: {error or type(error).__name__}") from None
    try:
        saved = type(config).model_validate(state.pop("config", None))  # keys that are new since have their defaults
    except ValueError:
        saved = None
    if saved != config:
        raise ValueError(f"{path} belongs to another configuration than the one in {folder}, which was changed since")
    return state


def check_like(found: Any, like: Any, path: str = "") -> None:
    """Check that a loaded state has the keys, types, dtypes, shapes and texts of another one.

    An array without rows in `like` allows any number of rows, a list any list, a whole number any that is at least 0.

    Raises:
        ValueError: If it differs; the message names the place, what is there and what is expected.
    """
    if isinstance(like, dict) and isinstance(found, dict):
        here = f"{path}/" if path else ""
        if lacking := sorted(like.keys() - found.keys()):
            raise ValueError(f"the key {here + lacking[0]} is missing")
        if unknown := sorted(found.keys() - like.keys()):
            raise ValueError(f"unknown key {here + unknown[0]}")
        for key, value in like.items():
            check_like(found[key], value, here + key)
    elif isinstance(like, np.ndarray) and isinstance(found, np.ndarray):
        free = like.shape[:1] == (0,) and found.ndim == like.ndim
        if found.dtype != like.dtype or found.shape[free:] != like.shape[free:]:
            raise ValueError(f"{path} is {found.dtype} {found.shape}; {like.dtype} {like.shape} is expected")
        if found.dtype.kind == "f" and not np.isfinite(found).all():
            raise ValueError(f"{path} holds what is no finite number")
    else:
        other = type(found) is not type(like) or (isinstance(like, str) and found != like)
        if other or (type(like) is int and found < 0):
            raise ValueError(f"{path} is {_shown(found)}; {_shown(like)} is expected")


def _split(state: State) -> tuple[dict[str, NDArray], State]:
    """Return the arrays by their paths, and the rest."""
    arrays: dict[str, NDArray] = {}
    rest: State = {}
    for key, value in state.items():
        if isinstance(value, dict):
            below, rest[key] = _split(value)
            arrays |= {f"{key}/{path}": array for path, array in below.items()}
        elif isinstance(value, np.ndarray):
            arrays[key] = np.array(value, order="C")
        else:
            rest[key] = value
    return arrays, rest


def _read(content: bytes) -> State:
    """Return the state in a file; any of several errors if it is damaged."""
    arrays = {path: array.copy() for path, array in load(content).items()}  # the library's are read-only
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    about = json.loads(header["__metadata__"]["diamant"])
    if about["format"] != _FORMAT:
        raise ValueError(f"its format is {about['format']!r}; this version reads {_FORMAT}")
    if about["sha256"] != _digest(about["state"], arrays):
        raise ValueError("its content does not have the digest that it names")
    state = json.loads(about["state"])
    for path, array in arrays.items():
        *parents, name = path.split("/")
        branch = state
        for parent in parents:
            branch = branch.setdefault(parent, {})
        if branch.setdefault(name, array) is not array:
            raise ValueError(f"{path} is there twice")
    return state


def _digest(text: str, arrays: dict[str, NDArray]) -> str:
    digest = hashlib.sha256(text.encode())
    for path, array in sorted(arrays.items()):
        digest.update(f"\n{path} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _shown(value: Any) -> str:
    """Return a short value as an error shows it, of a long one its type."""
    shown = repr(value)
    return shown if len(shown) <= 40 and not isinstance(value, np.ndarray) else f"of type {type(value).__name__}"
