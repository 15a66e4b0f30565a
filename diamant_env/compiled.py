"""How the rules are compiled: one decorator."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable)


def _package_stamp() -> str:
    """A digest of all source files of the package."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


_STAMP = _package_stamp()


def jit(function: Function) -> Function:
    """Compile a function of scalars, records and arrays at its first call, and cache the result on disk."""
    return _compiled(function, inline=True)


def jit_apart(function: Function) -> Function:
    """Compile like `jit`, but as code that several callers share: inlined everywhere, large ones compile slowly."""
    return _compiled(function, inline=False)


def _compiled(function: Function, inline: bool) -> Function:
    dispatcher = numba.njit(cache=True, error_model="numpy", nogil=True, forceinline=inline)(function)
    # Numba looks only at the file of the function itself, so a change to a rule that it calls would go unseen.
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if cache_file is not None:
        cache_file._source_stamp = _STAMP
    return cast(Function, dispatcher)
