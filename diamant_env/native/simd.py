"""Parts of a row, or all seats, at once, as vector instructions: as short loops they take up to twice as long.

Each function is NumPy, and has a compiled form that does the same. Its `count` is a constant. Arrays are contiguous,
which is checked when compiled, and long enough, which is not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from diamant_env.native.compiled import compiled_as
from diamant_env.native.emitter import Code, mask, vectors


def copy(to, at, source, start, count):
    """Write `count` numbers of `source`, float32, from `start` on, into `to`, float32, from `at` on.

    Both may be the same array: all are read before any is written.
    """
    to[at : at + count] = source[start : start + count]


def convert(to, at, source, factors, count):
    """Write the first `count` numbers of `source`, int8, times their factors into `to`, float32, from `at` on."""
    to[at : at + count] = source[:count] * factors[:count]


def convert_each(to, at, factors, numbers):
    """Write a tuple of whole numbers, signed and of at most 32 bits, times their factors into `to` from `at` on."""
    to[at : at + len(numbers)] = np.array(numbers, np.float32) * factors[: len(numbers)]


def sum_of_products(one, other, count):
    """Return the sum of the products of the first `count` whole numbers of two arrays, as an int.

    The sum has to fit 32 bits; `count` is 1, 2, 4, 8 or 16.
    """
    return int(one[:count].astype(int) @ other[:count].astype(int))


def add_where(seats, chosen, amount):
    """Add an amount to the numbers of eight seats, int8 or int16 (8,), that have a 1 in the word `chosen`."""
    flags = np.array([chosen], np.uint64).view(np.int8)
    seats += (flags.astype(int) * int(amount)).astype(seats.dtype)


def write_row(to, i, numbers):
    """Write eight whole numbers, int8 or int16 (8,), into `to[i]`, float32 (N, at most 8): those that have room."""
    for place in range(to.shape[1]):
        to[i, place] = numbers[place]


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


@compiled_as(copy)
def _copy(typing_context, to, at, source, start, count):
    def generate(context, builder, signature, arguments):
        code = Code(context, builder, signature.args, arguments)
        parts = [(begin, code.load(2, 3, begin, width)) for begin, width in vectors(count.literal_value)]
        for begin, part in parts:
            code.store(part, 0, 1, begin)
        return context.get_dummy_value()

    return types.void(to, types.intp, source, types.intp, count), generate


@compiled_as(convert)
def _convert(typing_context, to, at, source, factors, count):
    def generate(context, builder, signature, arguments):
        code = Code(context, builder, signature.args, arguments)
        for begin, width in vectors(count.literal_value):
            numbers = builder.sitofp(code.load(2, None, begin, width), ir.VectorType(ir.FloatType(), width))
            code.store(builder.fmul(numbers, code.load(3, None, begin, width)), 0, 1, begin)
        return context.get_dummy_value()

    return types.void(to, types.intp, source, factors, count), generate


@compiled_as(convert_each)
def _convert_each(typing_context, to, at, factors, numbers):
    def generate(context, builder, signature, arguments):
        code = Code(context, builder, signature.args, arguments)
        parts = cgutils.unpack_tuple(builder, arguments[3])
        for begin, width in vectors(len(parts)):
            some = ir.Constant(ir.VectorType(ir.IntType(32), width), ir.Undefined)
            for place in range(width):
                number = context.cast(builder, parts[begin + place], numbers[begin + place], types.int32)
                some = builder.insert_element(some, number, ir.Constant(ir.IntType(32), place))
            converted = builder.sitofp(some, ir.VectorType(ir.FloatType(), width))
            code.store(builder.fmul(converted, code.load(2, None, begin, width)), 0, 1, begin)
        return context.get_dummy_value()

    return types.void(to, types.intp, factors, numbers), generate


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
        amounts = code.spread(builder.trunc(arguments[2], number))
        masks = builder.sub(ir.Constant(eight, [0] * 8), flags)  # all bits where there is a 1
        code.store(builder.add(before, builder.and_(masks, amounts)), 0, None, 0)
        return context.get_dummy_value()

    return types.void(seats, types.uint64, types.int64), generate


@compiled_as(write_row)
def _write_row(typing_context, to, i, numbers):
    def generate(context, builder, signature, arguments):
        code = Code(context, builder, signature.args, arguments)
        eight = ir.VectorType(ir.FloatType(), 8)
        code.store_row(builder.sitofp(code.load(2, None, 0, 8), eight), 0, 1)
        return context.get_dummy_value()

    return types.void(to, types.intp, numbers), generate


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
            both = mask(range(2 * parts[0].type.count))
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts = [builder.shuffle_vector(first, second, both) for first, second in pairs]
        for begin in range(0, 8 * len(columns), 8):
            chosen = mask(8 * (place % len(columns)) + place // len(columns) for place in range(begin, begin + 8))
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
            return builder.shuffle_vector(vector, vector, mask((lane + by) % 8 for lane in range(8)))

        def higher(one: Any, other: Any) -> Any:
            return builder.select(builder.icmp_signed(">", one, other), one, other)

        next_one = turned(own, 1)
        next_two = higher(next_one, turned(next_one, 1))
        next_four = higher(next_two, turned(next_two, 2))
        code.store(builder.sub(own, higher(next_four, turned(next_four, 3))), 0, None, 0)
        return context.get_dummy_value()

    return types.void(to, numbers), generate
