"""How the rules are compiled: one decorator, and compiled code that is kept on disk."""

from __future__ import annotations

import functools
import hashlib
import multiprocessing
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
import numba

from diamant_env.native.numba_private import Compiler, CompileResult, NullCache, PartCompiler, dumps
from diamant_env.storage.cache import cache_folder, load, save

Function = TypeVar("Function", bound=Callable)
_SECONDS = 5  # of one core, about, to compile what a step needs


def jit(function: Function) -> Function:
    """Compile a function of scalars, records and arrays at its first call, and cache the result on disk."""
    return _compiled(function, inline=True)


def jit_apart(function: Function) -> Function:
    """Compile like `jit`, but as code that several callers share: inlined everywhere, large ones compile slowly."""
    return _compiled(function, inline=False)


def uncompiled(function: Function) -> Function:
    """Return a compiled function as Python runs it: for few calls, which are not worth compiling for."""
    return getattr(function, "py_func", function)


def _compiled(function: Function, inline: bool) -> Function:
    options: dict[str, Any] = {"error_model": "numpy", "nogil": True, "forceinline": inline, "no_cfunc_wrapper": True}
    entry: Any = numba.njit(**options)(function)
    if entry is not function:  # with the JIT off it is
        # Where compiled code calls the function, another compilation serves, which costs half as much.
        options["no_cpython_wrapper"] = True
        part: Any = numba.njit(pipeline_class=PartCompiler if inline else Compiler, **options)(function)
        entry.get_call_template, entry.get_overload = part.get_call_template, part.get_overload
        entry._cache = _CodeOnDisk(function)
    return cast(Function, entry)


class _CodeOnDisk(NullCache):
    """The compiled code of a function in the package's cache, a file for each signature.

    Numba's own cache lies beside the source files, where it outlives the package. It loads whatever its files hold,
    mixes up two signatures that two processes save at once, and sees a change in the function's own file alone.
    """

    def __init__(self, function: Callable) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._line = function.__code__.co_firstlineno
        named = "<" not in self._name and function.__closure__ is None
        self._source = _digest_of(Path(function.__code__.co_filename)) if named else None

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """Return the code for a signature, None if it is not kept."""
        target_context.refresh()
        data = load(self._file(sig, target_context.codegen())) if self._source else None
        if data is None:
            _say_that_it_compiles()
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(data.data))
        except Exception:  # what another version of a library makes of it has no limits
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code for a signature."""
        if self._source and not data.library.has_dynamic_globals:
            save(self._file(sig, data.codegen), memoryview(dumps(data._reduce())))

    def _file(self, sig: Any, codegen: Any) -> str:
        """Name the file by all that the code depends on beside the package's sources, which name the folder."""
        versions = (sys.implementation.cache_tag, numba.__version__, llvmlite.__version__)
        parts = (self._line, self._source, str(sig), codegen.magic_tuple(), versions)
        return f"{self._name}-{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}.code"


@functools.cache
def _digest_of(source: Path) -> str | None:
    """A digest of a source file, None if there is no such file."""
    try:
        return hashlib.sha256(source.read_bytes()).hexdigest()
    except OSError:
        return None


_said: list[bool] = []


def _say_that_it_compiles() -> None:
    """Tell once whoever watches why nothing happens."""
    if _said or sys.stderr is None or not sys.stderr.isatty() or multiprocessing.parent_process() is not None:
        return
    _said.append(True)
    folder = cache_folder()
    often = f"once, then kept in {folder}" if folder else "at every start: no folder to keep it, set DIAMANT_CACHE_DIR"
    print(f"diamant_env compiles its engine, about {_SECONDS} seconds: {often}", file=sys.stderr, flush=True)
