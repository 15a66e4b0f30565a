"""Parts of a row, or all seats, at once, as vector instructions: as short loops they take up to twice as long.

Each function is NumPy, and has a compiled form that does the same. Its `count` is a constant. Arrays are contiguous,
which is checked when compiled, and long enough, which is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from diamant_env.compiled import compiled_as

_FIRST = ir.Constant(ir.IntType(32), 0)
_WIDEST = 8  # float32 numbers in a vector: with 16 the same, but a tenth slower where rows leave the caches


def copy(to, at, source, start, count):
    """Write `count` numbers of `source`, float32, from `start` on, into `to`, float32, from `at` on."""
    to[at : at + count] = source[start : start + count]


def copy_times(to, at, source, start, factors, count):
    """Do as `copy` does, each number times its factor, float32 (count,)."""
    to[at : at + count] = source[start : start + count] * factors[:count]


def convert(to, at, source, factors, count):
    """Write the first `count` numbers of `source`, int8, times their factors into `to`, float32, from `at` on."""
    to[at : at + count] = source[:count] * factors[:count]


def sum_of_products(one, other, count):
    """Return the sum of the products of the first `count` whole numbers of two arrays, as an int.

    The sum has to fit 32 bits; `count` is 1, 2, 4, 8 or 16.
    """
    return int(one[:count].astype(int) @ other[:count].astype(int))


def add_where(seats, chosen, amount):
    """Add an amount to the numbers of eight seats, int8 or int16 (8,), that have a 1 in the word `chosen`."""
    flags = np.array([chosen], np.uint64).view(np.int8)
    seats += (flags.astype(int) * int(amount)).astype(seats.dtype)


def interleave(to, at, factors, columns):
    """Write the numbers of eight seats, seat after seat, into `to`, float32, from `at` on.

    Of each seat there is one number of each column, a tuple of int8 or int16 (8,), times its factor; `factors`:
    float32 (8 * columns,).
    """
    numbers = np.stack(columns, axis=1).ravel()
    to[at : at + len(numbers)] = numbers * factors[: len(numbers)]


def over_the_others(to, numbers):
    """Write into `to`, int16 (8,), by how much each of eight numbers, int16, exceeds the highest of the others."""
    second, highest = np.sort(numbers)[-2:]
    to[:] = numbers - np.where(numbers == highest, second, highest)


def _vectors(count: int) -> Iterator[tuple[int, int]]:
    """Yield begin and width of vectors that cover `count` numbers; widths are powers of two, the last may overlap."""
    width = min(_WIDEST, 1 << count.bit_length() - 1)
    for begin in range(0, count - width + 1, width):
        yield begin, width
    if count % width:
        last = 1 << (count % width - 1).bit_length()
        yield count - last, last


class Code:
    """Writes the instructions of one call; arrays are named by their position among its arguments."""

    def __init__(self, context: Any, builder: Any, kinds: Sequence[Any], arguments: Sequence[Any]) -> None:
        self.context, self.builder, self.kinds, self.arguments = context, builder, kinds, arguments

    def _place(self, array: int, offset: int | None, begin: int, width: int) -> Any:
        """A pointer to numbers of an array: `offset` is the position of an argument, None for 0."""
        if self.kinds[array].layout != "C":
            raise TypeError(f"an array of layout {self.kinds[array].layout!r}; expected 'C', contiguous")
        data = self.context.make_array(self.kinds[array])(self.context, self.builder, self.arguments[array]).data
        first = ir.Constant(ir.IntType(64), begin)
        if offset is not None:
            first = self.builder.add(first, self.arguments[offset])
        vector = ir.VectorType(data.type.pointee, width)
        return self.builder.bitcast(self.builder.gep(data, [first]), vector.as_pointer())

    def load(self, array: int, offset: int | None, begin: int, width: int) -> Any:
        """Return `width` numbers of an array as a vector."""
        return self.builder.load(self._place(array, offset, begin, width), align=self._align(array))

    def store(self, numbers: Any, array: int, offset: int | None, begin: int) -> None:
        """Write a vector into an array."""
        self.builder.store(numbers, self._place(array, offset, begin, numbers.type.count), align=self._align(array))

    def _align(self, array: int) -> int:
        return int(self.kinds[array].dtype.bitwidth // 8)

    def total(self, numbers: Any) -> Any:
        """Return the sum of a vector's numbers: its halves are added until one is left."""
        width = numbers.type.count
        while width > 1:
            width //= 2
            lower, upper = (_mask(range(first, first + width)) for first in (0, width))
            shuffle = self.builder.shuffle_vector
            numbers = self.builder.add(shuffle(numbers, numbers, lower), shuffle(numbers, numbers, upper))
        return self.builder.extract_element(numbers, _FIRST)


def _mask(positions: Iterable[int]) -> Any:
    chosen = list(positions)
    return ir.Constant(ir.VectorType(ir.IntType(32), len(chosen)), chosen)


@compiled_as(copy)
def _copy(typing_context, to, at, source, start, count):
    def generate(context, builder, signature, arguments):
        code = Code(context, builder, signature.args, arguments)
        for begin, width in _vectors(count.literal_value):
            code.store(code.load(2, 3, begin, width), 0, 1, begin)
        return context.get_dummy_value()

    return types.void(to, types.intp, source, types.intp, count), generate


@compiled_as(copy_times)
def _copy_times(typing_context, to, at, source, start, factors, count):
    def generate(context, builder, signature, arguments):
        code = Code(context, builder, signature.args, arguments)
        for begin, width in _vectors(count.literal_value):
            product = builder.fmul(code.load(2, 3, begin, width), code.load(4, None, begin, width))
            code.store(product, 0, 1, begin)
        return context.get_dummy_value()

    return types.void(to, types.intp, source, types.intp, factors, count), generate


@compiled_as(convert)
def _convert(typing_context, to, at, source, factors, count):
    def generate(context, builder, signature, arguments):
        code = Code(context, builder, signature.args, arguments)
        for begin, width in _vectors(count.literal_value):
            numbers = builder.sitofp(code.load(2, None, begin, width), ir.VectorType(ir.FloatType(), width))
            code.store(builder.fmul(numbers, code.load(3, None, begin, width)), 0, 1, begin)
        return context.get_dummy_value()

    return types.void(to, types.intp, source, factors, count), generate


@compiled_as(sum_of_products)
def _sum_of_products(typing_context, one, other, count):
    def generate(context, builder, signature, arguments):
        code = Code(context, builder, signature.args, arguments)
        wide = ir.VectorType(ir.IntType(32), count.literal_value)
        assert wide.count & (wide.count - 1) == 0, "halves are added until one number is left"
        factors = (builder.sext(code.load(array, None, 0, wide.count), wide) for array in (0, 1))
        return builder.sext(code.total(builder.mul(*factors)), ir.IntType(64))

    return types.int64(one, other, count), generate


@compiled_as(add_where)
def _add_where(typing_context, seats, chosen, amount):
    def generate(context, builder, signature, arguments):
        code = Code(context, builder, signature.args, arguments)
        before = code.load(0, None, 0, 8)
        number, eight = before.type.element, before.type
        flags = builder.bitcast(arguments[1], ir.VectorType(ir.IntType(8), 8))
        flags = flags if number.width == 8 else builder.zext(flags, eight)
        one = builder.insert_element(ir.Constant(eight, ir.Undefined), builder.trunc(arguments[2], number), _FIRST)
        amounts = builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), 8), [0] * 8))
        masks = builder.sub(ir.Constant(eight, [0] * 8), flags)  # all bits where there is a 1
        code.store(builder.add(before, builder.and_(masks, amounts)), 0, None, 0)
        return context.get_dummy_value()

    return types.void(seats, types.uint64, types.int64), generate


@compiled_as(interleave)
def _interleave(typing_context, to, at, factors, columns):
    def generate(context, builder, signature, arguments):
        arrays = [*arguments[:3], *cgutils.unpack_tuple(builder, arguments[3])]
        code = Code(context, builder, [to, at, factors, *columns], arrays)
        number, none = ir.IntType(16), ir.Constant(ir.VectorType(ir.IntType(16), 8), ir.Undefined)
        parts = [code.load(3 + column, None, 0, 8) for column in range(len(columns))]
        parts = [part if part.type.element == number else builder.sext(part, none.type) for part in parts]
        parts += [none] * (-len(parts) % 8)
        while len(parts) > 1:  # one after the other in one vector, from which each result takes its eight
            both = _mask(range(2 * parts[0].type.count))
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts = [builder.shuffle_vector(first, second, both) for first, second in pairs]
        for begin in range(0, 8 * len(columns), 8):
            chosen = _mask(8 * (place % len(columns)) + place // len(columns) for place in range(begin, begin + 8))
            eight = builder.shuffle_vector(parts[0], ir.Constant(parts[0].type, ir.Undefined), chosen)
            numbers = builder.sitofp(eight, ir.VectorType(ir.FloatType(), 8))
            code.store(builder.fmul(numbers, code.load(2, None, begin, 8)), 0, 1, begin)
        return context.get_dummy_value()

    return types.void(to, types.intp, factors, columns), generate


@compiled_as(over_the_others)
def _over_the_others(typing_context, to, numbers):
    def generate(context, builder, signature, arguments):
        code = Code(context, builder, signature.args, arguments)
        own = code.load(1, None, 0, 8)

        def turned(vector: Any, by: int) -> Any:
            return builder.shuffle_vector(vector, vector, _mask((lane + by) % 8 for lane in range(8)))

        def higher(one: Any, other: Any) -> Any:
            return builder.select(builder.icmp_signed(">", one, other), one, other)

        next_one = turned(own, 1)
        next_two = higher(next_one, turned(next_one, 1))
        next_four = higher(next_two, turned(next_two, 2))
        code.store(builder.sub(own, higher(next_four, turned(next_four, 3))), 0, None, 0)
        return context.get_dummy_value()

    return types.void(to, numbers), generate
