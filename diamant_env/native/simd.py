"""Vector instructions for the observation: as short loops these take up to twice as long.

Each function is NumPy and has a kernel that does the same. `count` is a constant. Arrays are contiguous; that they are
long enough is checked where the compiler knows their length, and by the tests elsewhere.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types

from diamant_env.native.emitter import INT16, INT32, INT64, kernel, mask, vectors


def copy(to, at, source, start, count):
    """Write `count` numbers of `source`, float32, from `start` on, into `to`, float32, from `at` on.

    Both may be the same array: all are read before any is written.
    """
    to[at : at + count] = source[start : start + count]


def convert(to, at, source, factors, count):
    """Write the first `count` numbers of `source`, int8, times their factors into `to`, float32, from `at` on."""
    to[at : at + count] = source[:count] * factors[:count]


def convert_each(to, at, factors, numbers):
    """Write a tuple of signed numbers of at most 32 bits, times their factors, into `to`, float32, from `at` on."""
    to[at : at + len(numbers)] = np.array(numbers, np.float32) * factors[: len(numbers)]


def dot(one, other, count):
    """Return the dot product of the first `count` whole numbers of two arrays; it fits 32 bits."""
    return int(one[:count].astype(int) @ other[:count].astype(int))


def write_row(to, i, numbers):
    """Write eight numbers, int8 or int16 (8,), into `to[i]`, float32 (N, at most 8): those that have room."""
    for place in range(to.shape[1]):
        to[i, place] = numbers[place]


def interleave(to, at, factors, columns):
    """Write the numbers of eight seats, seat after seat, into `to`, float32, from `at` on.

    Each seat has one number of each column, a tuple of int8 or int16 (8,), times its factor; `factors`: float32
    (8 * columns,).
    """
    numbers = np.stack(columns, axis=1).ravel()
    to[at : at + len(numbers)] = numbers * factors[: len(numbers)]


def lead_over_others(to, numbers):
    """Write into `to`, int16 (8,), by how much each of eight numbers, int16, exceeds the highest of the others."""
    second, highest = np.sort(numbers)[-2:]
    to[:] = numbers - np.where(numbers == highest, second, highest)


@kernel(copy, constants=("count",))
def _copy(emit, to, at, source, start, count):
    parts = [(begin, emit.load(source, width, begin, at=start)) for begin, width in vectors(count)]
    for begin, part in parts:
        emit.store(part, to, begin, at=at)


@kernel(convert, constants=("count",))
def _convert(emit, to, at, source, factors, count):
    for begin, width in vectors(count):
        numbers = emit.to_floats(emit.load(source, width, begin))
        emit.store(emit.builder.fmul(numbers, emit.load(factors, width, begin)), to, begin, at=at)


@kernel(convert_each)
def _convert_each(emit, to, at, factors, numbers):
    parts = emit.unpack(numbers)
    for begin, width in vectors(len(parts)):
        some = ir.Constant(ir.VectorType(INT32, width), ir.Undefined)
        for place, part in enumerate(parts[begin : begin + width]):
            number = emit.context.cast(emit.builder, part.value, part.kind, types.int32)
            some = emit.builder.insert_element(some, number, ir.Constant(INT32, place))
        emit.store(emit.builder.fmul(emit.to_floats(some), emit.load(factors, width, begin)), to, begin, at=at)


@kernel(dot, returns=types.int64, constants=("count",))
def _dot(emit, one, other, count):
    assert count & (count - 1) == 0, "halves are added until one number is left"
    wide = ir.VectorType(INT32, count)
    factors = (emit.builder.sext(emit.load(array, count), wide) for array in (one, other))
    return emit.builder.sext(emit.total(emit.builder.mul(*factors)), INT64)


@kernel(write_row)
def _write_row(emit, to, i, numbers):
    emit.store_row(emit.to_floats(emit.load(numbers, 8)), to, i)


@kernel(interleave)
def _interleave(emit, to, at, factors, columns):
    columns = emit.unpack(columns)
    undefined = ir.Constant(ir.VectorType(INT16, 8), ir.Undefined)
    parts = [emit.load(column, 8) for column in columns]
    parts = [part if part.type.element == INT16 else emit.builder.sext(part, undefined.type) for part in parts]
    parts += [undefined] * (-len(parts) % 8)
    while len(parts) > 1:  # all columns in one vector, one after the other
        both = mask(range(2 * parts[0].type.count))
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [emit.builder.shuffle_vector(first, second, both) for first, second in pairs]
    for begin in range(0, 8 * len(columns), 8):
        places = range(begin, begin + 8)
        chosen = mask(8 * (place % len(columns)) + place // len(columns) for place in places)
        eight = emit.builder.shuffle_vector(parts[0], ir.Constant(parts[0].type, ir.Undefined), chosen)
        emit.store(emit.builder.fmul(emit.to_floats(eight), emit.load(factors, 8, begin)), to, begin, at=at)


@kernel(lead_over_others)
def _lead_over_others(emit, to, numbers):
    own = emit.load(numbers, 8)

    def rotated(vector, by):
        return emit.builder.shuffle_vector(vector, vector, mask((lane + by) % 8 for lane in range(8)))

    def higher(one, other):
        return emit.builder.select(emit.builder.icmp_signed(">", one, other), one, other)

    next_one = rotated(own, 1)
    next_two = higher(next_one, rotated(next_one, 1))
    next_four = higher(next_two, rotated(next_two, 2))
    emit.store(emit.builder.sub(own, higher(next_four, rotated(next_four, 3))), to)
