"""Numba compilation and its on-disk cache."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

import numba
import platformdirs

Function = TypeVar("Function", bound=Callable)

numba_config: Any = numba.config
_PACKAGE = Path(__file__).parent
_COMPILED = ("*.py", "engine/*.py", "exact/**/*.py", "opponents/inputs.py")
_KEPT_VERSIONS = 4


@overload
def jit(function: Function) -> Function: ...


@overload
def jit(*, inline: bool = False, cached: bool = False) -> Callable[[Function], Function]: ...


def jit(function: Any = None, *, inline: bool = False, cached: bool = False) -> Any:
    """Compile a function with Numba at its first call; a decorator with or without arguments.

    Args:
        function: The function.
        inline: Inline it into each caller; faster if it is small, since Numba passes an array as up to 11 arguments.
        cached: Cache the code in `cache_folder`, for functions called from Python with one signature only: two
            processes that save two signatures at once can corrupt Numba's index.
    """
    if function is None:
        return functools.partial(jit, inline=inline, cached=cached)
    folder = cache_folder() if cached else None
    before, numba_config.CACHE_DIR = numba_config.CACHE_DIR, str(folder or "")
    try:
        inlined: Literal["always", "never"] = "always" if inline else "never"
        return numba.njit(error_model="numpy", inline=inlined, cache=folder is not None)(function)
    finally:
        numba_config.CACHE_DIR = before


def uncompiled(function: Function) -> Function:
    """Return the Python function behind a compiled one."""
    return getattr(function, "py_func", function)


@functools.cache
def cache_folder() -> Path | None:
    """Return the cache folder of compiled code and exact solutions, None if it can't be written.

    It is in ``NUMBA_CACHE_DIR`` or the user's cache directory, named by a digest of the compiled sources. Only the most
    recently used versions are kept.
    """
    sources = sorted(path for pattern in _COMPILED for path in _PACKAGE.glob(pattern))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    configured = numba_config.CACHE_DIR
    try:
        place = Path(configured or platformdirs.user_cache_path("diamant_env", appauthor=False)).expanduser()
        folder = place / f"diamant_env-{digest[:16]}"
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)  # race with another process
            _remove_old(place)
        with tempfile.TemporaryFile(dir=folder):
            os.utime(folder)  # it is in use
            return folder.resolve()
    except (OSError, RuntimeError):  # RuntimeError: no home directory, as of a user id without a passwd entry
        return None


def _remove_old(place: Path) -> None:
    """Remove all but the most recently used versions."""
    with contextlib.suppress(OSError):  # race with another process
        versions = sorted(place.glob("diamant_env-*"), key=lambda path: path.stat().st_mtime)
        for old in versions[:-_KEPT_VERSIONS]:
            shutil.rmtree(old, ignore_errors=True)


@functools.cache
def warn_if_uncached() -> None:
    """Warn once per process if compiled code can't be cached."""
    if cache_folder() is None:
        warnings.warn(
            "diamant_env compiles its engine at every start, for some seconds: there is no writeable cache directory; "
            "set NUMBA_CACHE_DIR to another directory",
            RuntimeWarning,
            stacklevel=3,
        )
