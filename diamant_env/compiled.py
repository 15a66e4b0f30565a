"""How the rules are compiled: one decorator, and a cache on disk that no damaged file can poison."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import types
from numba.core.caching import IndexDataCacheFile
from numba.core.typing.templates import infer, infer_global, make_intrinsic_template

Function = TypeVar("Function", bound=Callable)


def _package_stamp() -> str:
    """A digest of all source files of the package."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


PACKAGE_STAMP = _package_stamp()
_DIGEST_SIZE = hashlib.sha256().digest_size


def jit(function: Function) -> Function:
    """Compile a function of scalars, records and arrays at its first call, and cache the result on disk."""
    return _compiled(function, inline=True)


def jit_apart(function: Function) -> Function:
    """Compile like `jit`, but as code that several callers share: inlined everywhere, large ones compile slowly."""
    return _compiled(function, inline=False)


def compiled_as(function: Callable) -> Callable[[Callable], Callable]:
    """Make a definition, in the form of Numba's intrinsics, what compiled code does where it calls a function.

    In Python the function stays as it is. `numba.extending.overload` would do the same, but compiles a function around
    each intrinsic, which takes a third of a second for all.
    """

    def register(definition: Callable) -> Callable:
        template = make_intrinsic_template(function, definition, function.__name__, prefer_literal=True)
        infer_global(function, types.Function(infer(template)))
        return definition

    return register


def _compiled(function: Function, inline: bool) -> Function:
    options: dict[str, Any] = {"error_model": "numpy", "nogil": True, "forceinline": inline}
    try:
        dispatcher = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # there is no place to write a cache to
        return cast(Function, numba.njit(**options)(function))
    cache = getattr(dispatcher, "_cache", None)
    if cache is not None:  # None with the JIT off
        cache._cache_file = CheckedCacheFile(cache._cache_path, cache._impl.filename_base, PACKAGE_STAMP)
    return cast(Function, dispatcher)


class CheckedCacheFile(IndexDataCacheFile):
    """Numba's files of one function, with digests: what is damaged counts as absent and is compiled anew.

    Numba itself loads whatever the files hold, and looks only at the source file of the function itself, so that a
    change to a rule that it calls would go unseen: hence the stamp of all sources.
    """

    def _dump(self, obj: Any) -> bytes:
        data = super()._dump(obj)
        return data + hashlib.sha256(data).digest()

    def _load_index(self) -> dict:
        try:
            return super()._load_index()
        except Exception:  # what unpickling garbage may raise has no limits
            return {}

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        data, digest = content[:-_DIGEST_SIZE], content[-_DIGEST_SIZE:]
        return super()._load_data(name) if hashlib.sha256(data).digest() == digest else None

    def save(self, key: Any, data: Any) -> None:
        """Save compiled code, if it can be written: a full disk stops no game."""
        try:
            super().save(key, data)
        except OSError:
            return
