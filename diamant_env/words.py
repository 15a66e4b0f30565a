"""Eight seats as the eight bytes of one number: what a rule says of every seat is done for all at once.

Numba's own view of such a field as another type is slow: compiled code loads and stores the eight bytes itself.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from diamant_env.compiled import jit

ALL_BITS = np.uint64(255)
"""Times a word of 0 and 1: the bytes with 1 have all their bits."""


def word(seats):
    """Return a field of eight seats, int8 (8,), as one number (uint64), seat 0 in its lowest byte."""
    return seats.view(np.uint64)[0]


def set_word(seats, bits):
    """Write the bytes of a number (uint64) into a field of eight seats, int8 (8,)."""
    seats.view(np.uint64)[0] = bits


@jit
def byte(flag, seat):
    """Return the word in which the byte of this seat is the flag, 0 or 1, and all others are 0."""
    return np.uint64(flag) << np.uint64(8 * seat)


@jit
def count(bits):
    """Return how many bytes of a word of 0 and 1 are 1, as an int."""
    return np.int64(bits % ALL_BITS)  # the sum of its bytes, since 256 is 1 modulo 255


def _pointer(context, builder, array_type, array):
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(data, ir.IntType(64).as_pointer())


@intrinsic
def _load(typing_context, seats):
    def generate(context, builder, signature, arguments):
        return builder.load(_pointer(context, builder, signature.args[0], arguments[0]), align=1)

    return types.uint64(seats), generate


@intrinsic
def _store(typing_context, seats, bits):
    def generate(context, builder, signature, arguments):
        pointer = _pointer(context, builder, signature.args[0], arguments[0])
        builder.store(arguments[1], pointer, align=1)
        return context.get_dummy_value()

    return types.void(seats, types.uint64), generate


@overload(word)
def _compiled_word(seats):
    return lambda seats: _load(seats)


@overload(set_word)
def _compiled_set_word(seats, bits):
    return lambda seats, bits: _store(seats, bits)
