"""Kernels: what compiled code does in a call, written as LLVM's instructions on vectors beside its NumPy twin."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

from llvmlite import ir
from numba import types

from diamant_env.native.numba_private import cgutils, register_intrinsic

FLOAT, INT16, INT32, INT64 = ir.FloatType(), ir.IntType(16), ir.IntType(32), ir.IntType(64)
_FIRST = ir.Constant(INT32, 0)
_WIDEST = 8  # float32 numbers in a vector: with 16 no faster, and slower where rows leave the caches


@dataclass(frozen=True)
class Argument:
    """An argument of a call: its type in Numba's terms and its value in LLVM's."""

    kind: Any
    value: Any


def kernel(function: Callable, returns: Any = types.void, constants: Iterable[str] = ()) -> Callable:
    """Make a definition what compiled code does where it calls a function; in Python the function stays as it is.

    The definition gets an `Emitter` and the function's parameters: an `Argument` for an array or a tuple, LLVM's value
    for a number, an int for one of the `constants`. It returns LLVM's value of the result, if there is one.
    """
    parameters = list(inspect.signature(function).parameters)

    def register(definition: Callable) -> Callable:
        def intrinsic(typing_context: Any, *kinds: Any) -> Any:
            signature = returns(
                *[_passed_as(kind, name in constants) for name, kind in zip(parameters, kinds, strict=True)]
            )

            def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
                given = [_given(kind, value) for kind, value in zip(signature.args, values, strict=True)]
                result = definition(Emitter(context, builder), *given)
                return context.get_dummy_value() if result is None else result

            return signature, generate

        register_intrinsic(function, intrinsic, parameters)
        return definition

    return register


def _passed_as(kind: Any, constant: bool) -> Any:
    """The type as which an argument is passed: whole numbers as int64, but for uint64 and constants."""
    if constant or not isinstance(kind, types.Integer | types.Boolean) or kind == types.uint64:
        return kind
    return types.intp


def _given(kind: Any, value: Any) -> Any:
    if isinstance(kind, types.IntegerLiteral):
        return kind.literal_value
    return value if isinstance(kind, types.Integer) else Argument(kind, value)


def vectors(count: int) -> Iterator[tuple[int, int]]:
    """Yield begin and width of vectors that cover `count` numbers; widths are powers of two, the last may overlap."""
    width = min(_WIDEST, 1 << count.bit_length() - 1)
    for begin in range(0, count - width + 1, width):
        yield begin, width
    if count % width:
        last = 1 << (count % width - 1).bit_length()
        yield count - last, last


def mask(positions: Iterable[int]) -> Any:
    """Return which lanes of two vectors a shuffle takes."""
    chosen = list(positions)
    return ir.Constant(ir.VectorType(INT32, len(chosen)), chosen)


class Emitter:
    """Writes the instructions of one call. Arrays are contiguous, which is checked when compiled."""

    def __init__(self, context: Any, builder: Any) -> None:
        self.context, self.builder = context, builder

    def load(self, array: Argument, width: int, begin: int = 0, at: Any = None) -> Any:
        """Return `width` numbers of an array from `at + begin` on, as a vector."""
        return self.builder.load(self._pointer(array, width, begin, at), align=_bytes(array))

    def store(self, numbers: Any, array: Argument, begin: int = 0, at: Any = None) -> None:
        """Write a vector into an array from `at + begin` on."""
        _require_writeable(array)
        self.builder.store(numbers, self._pointer(array, numbers.type.count, begin, at), align=_bytes(array))

    def load_row(self, array: Argument, row: Any) -> Any:
        """Return a row of at most eight numbers as a vector of eight, 0 where there are none."""
        pointer, there = self._row(array, row)
        eight = pointer.type.pointee
        return self._masked("load", eight, eight, [pointer, _alignment(array), there, eight(None)])

    def store_row(self, numbers: Any, array: Argument, row: Any) -> None:
        """Write a vector of eight numbers into a row of at most eight."""
        _require_writeable(array)
        pointer, there = self._row(array, row)
        self._masked("store", numbers.type, ir.VoidType(), [numbers, pointer, _alignment(array), there])

    def array(self, argument: Argument) -> Any:
        """Return Numba's view of an array: its `data` and `shape`."""
        return self.context.make_array(argument.kind)(self.context, self.builder, argument.value)

    def unpack(self, argument: Argument) -> list[Argument]:
        """Return the members of a tuple."""
        values = cgutils.unpack_tuple(self.builder, argument.value)
        return [Argument(kind, value) for kind, value in zip(argument.kind, values, strict=True)]

    def to_floats(self, numbers: Any) -> Any:
        """Return a vector of whole numbers as one of float32."""
        return self.builder.sitofp(numbers, ir.VectorType(FLOAT, numbers.type.count))

    def times(self, number: Any, factor: int) -> Any:
        """Return a number times a constant."""
        return self.builder.mul(number, ir.Constant(number.type, factor))

    def total(self, numbers: Any) -> Any:
        """Return the sum of a vector's numbers: its halves are added until one is left."""
        width = numbers.type.count
        while width > 1:
            width //= 2
            lower, upper = (mask(range(first, first + width)) for first in (0, width))
            shuffle = self.builder.shuffle_vector
            numbers = self.builder.add(shuffle(numbers, numbers, lower), shuffle(numbers, numbers, upper))
        return self.builder.extract_element(numbers, _FIRST)

    def _pointer(self, array: Argument, width: int, begin: int, at: Any) -> Any:
        """Return a pointer to `width` numbers; `at` is LLVM's value or None for 0."""
        if array.kind.layout != "C":
            raise TypeError(f"an array of layout {array.kind.layout!r}; expected 'C', contiguous")
        if at is None and isinstance(array.kind, types.NestedArray) and begin + width > prod(array.kind.shape):
            raise TypeError(f"numbers {begin} to {begin + width - 1} of an array of shape {array.kind.shape}")
        data = self.array(array).data
        first = ir.Constant(INT64, begin)
        first = first if at is None else self.builder.add(first, at)
        vector = ir.VectorType(data.type.pointee, width)
        return self.builder.bitcast(self.builder.gep(data, [first]), vector.as_pointer())

    def _row(self, array: Argument, row: Any) -> tuple[Any, Any]:
        """Return a pointer to a row, and which of eight numbers are there."""
        length = self.builder.extract_value(self.array(array).shape, 1)
        eight = ir.VectorType(INT64, 8)
        one = self.builder.insert_element(ir.Constant(eight, ir.Undefined), length, _FIRST)
        lengths = self.builder.shuffle_vector(one, one, mask([0] * 8))
        there = self.builder.icmp_signed(">", lengths, ir.Constant(eight, list(range(8))))
        return self._pointer(array, 8, 0, self.builder.mul(row, length)), there

    def _masked(self, what: str, vector: Any, result: Any, arguments: list[Any]) -> Any:
        """Call LLVM's `llvm.masked.load` or `store`."""
        kind = f"v{vector.count}{vector.element.intrinsic_name}"
        signature = ir.FunctionType(result, [argument.type for argument in arguments])
        name = f"llvm.masked.{what}.{kind}.p0{kind}"
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, signature, name), arguments)


def _bytes(array: Argument) -> int:
    return int(array.kind.dtype.bitwidth // 8)


def _alignment(array: Argument) -> Any:
    return ir.Constant(INT32, _bytes(array))


def _require_writeable(array: Argument) -> None:
    if not array.kind.mutable:
        raise TypeError("an array that can't be written to; expected a writeable one")
