"""All that is used of Numba's private parts, for which `pyproject.toml` sets a ceiling to its version."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.serialize import dumps
from numba.core.typing.templates import infer, infer_global, make_intrinsic_template

__all__ = ["CompileResult", "Compiler", "NullCache", "PartCompiler", "cgutils", "dumps", "register_intrinsic"]


class _Part(JITCodeLibrary):
    """A function's code in LLVM's terms, which its callers inline: of its own it has no machine code.

    What `jit_apart` compiles has some, since LLVM makes the observation's loop slower (by 2 %) if it never has.
    """

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no machine code to point to."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> _Part:
        """What `set_env` is called on."""
        return self

    def set_env(self, env_name: str, env: Any) -> None:
        """Do nothing: only code that works with Python objects reads its environment."""


class PartCompiler(Compiler):
    """Compiles a function that is inlined wherever it is called."""

    def define_pipelines(self) -> Any:
        """Compile into a `_Part`."""
        if self.state.library is None:
            self.state.library = _Part(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super().define_pipelines()


def register_intrinsic(function: Callable, intrinsic: Callable, parameters: list[str]) -> None:
    """Make compiled code do what an intrinsic says where it calls a function, whose parameters are named.

    `numba.extending.overload` would do the same, but compiles a function around each intrinsic, which takes a third of
    a second for all.
    """
    names = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in ("typing_context", *parameters)]
    intrinsic.__signature__ = inspect.Signature(names)  # type: ignore[attr-defined]
    template = make_intrinsic_template(function, intrinsic, function.__name__, prefer_literal=True)
    infer_global(function, types.Function(infer(template)))
