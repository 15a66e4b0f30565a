"""Eight small counts as the eight bytes of one number: what a rule says of every seat or card is done for all at once.

Numba's own view of such a field as another type is slow: compiled code loads and stores the eight bytes itself.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types

from diamant_env.editions import MAX_PLAYERS, MAX_TRAPS, MAX_TREASURES, NUM_CARDS
from diamant_env.native.compiled import compiled_as, jit
from diamant_env.native.emitter import Code

if (MAX_PLAYERS, MAX_TRAPS, MAX_TREASURES) != (8, 8, 16) or not 24 < NUM_CARDS <= 32:
    raise AssertionError(
        f"{MAX_PLAYERS} players, {MAX_TRAPS} traps, {MAX_TREASURES} treasures, {NUM_CARDS} cards; the compiled code is "
        "written for 8, 8, 16 and 25 to 32"
    )

ALL_BITS = np.uint64(255)
"""Times a word of 0 and 1: the bytes with 1 have all their bits."""
_ONES = np.uint64(0x0101010101010101)  # times a word: each byte becomes the sum of itself and all lower ones
_HIGH_BITS = np.uint64(0x8080808080808080)
_TOP, _SEVEN = np.uint64(56), np.uint64(7)
_SEEN_TWICE = np.uint64(8 * (32 - NUM_CARDS))  # bits of the last eight kinds that the third word has already


def word(field, at):
    """Return eight numbers of a field, int8, from `at` on, as one number (uint64), the first in its lowest byte.

    The field is contiguous, which is checked when compiled, and has that many numbers, which is not.
    """
    return field[at : at + 8].copy().view(np.uint64)[0]


def set_word(seats, bits):
    """Write the bytes of a number (uint64) into a field of eight seats, int8 (8,)."""
    seats.view(np.uint64)[0] = bits


def ones(rows, i):
    """Return the word with a 1 for each 1 in `rows[i]`, int8 (N, at most 8)."""
    flags = np.zeros(8, np.int8)
    for place in range(rows.shape[1]):
        flags[place] = rows[i, place] == 1
    return word(flags, 0)


@jit
def byte(flag, seat):
    """Return the word in which the byte of this seat is the flag, 0 or 1, and all others are 0."""
    return np.uint64(flag) << np.uint64(8 * seat)


@jit
def count(bits):
    """Return how many bytes of a word of 0 and 1 are 1, as an int."""
    return np.int64(bits % ALL_BITS)  # the sum of its bytes, since 256 is 1 modulo 255


@jit
def kinds_before(counts, position):
    """Return how many kinds of card lie wholly before a position of a deck in order, as an int.

    `counts`: copies of each kind, int8 (NUM_CARDS,), at most 127 in all; `position` is less than their sum. Without a
    loop, since where the search ends is hard to predict: four words hold the sums of all kinds up to each.
    """
    sums_0 = word(counts, 0) * _ONES
    sums_1 = word(counts, 8) * _ONES + (sums_0 >> _TOP) * _ONES
    sums_2 = word(counts, 16) * _ONES + (sums_1 >> _TOP) * _ONES
    sums_3 = (word(counts, NUM_CARDS - 8) >> _SEEN_TWICE) * _ONES + (sums_2 >> _TOP) * _ONES
    reach = (np.uint64(127) - np.uint64(position)) * _ONES  # which lifts sums beyond the position above 127
    beyond = ((sums_0 + reach) & _HIGH_BITS) >> _SEVEN
    beyond += ((sums_1 + reach) & _HIGH_BITS) >> _SEVEN
    beyond += ((sums_2 + reach) & _HIGH_BITS) >> _SEVEN
    beyond += ((sums_3 + reach) & _HIGH_BITS) >> _SEVEN
    return 32 - np.int64((beyond * _ONES) >> _TOP)


@compiled_as(word)
def _load(typing_context, field, at):
    def generate(context, builder, signature, arguments):
        eight = Code(context, builder, signature.args, arguments).load(0, 1, 0, 8)
        return builder.bitcast(eight, ir.IntType(64))

    return types.uint64(field, types.intp), generate


@compiled_as(set_word)
def _store(typing_context, seats, bits):
    def generate(context, builder, signature, arguments):
        eight = builder.bitcast(arguments[1], ir.VectorType(ir.IntType(8), 8))
        Code(context, builder, signature.args, arguments).store(eight, 0, None, 0)
        return context.get_dummy_value()

    return types.void(seats, types.uint64), generate


@compiled_as(ones)
def _ones_of_row(typing_context, rows, i):
    def generate(context, builder, signature, arguments):
        row = Code(context, builder, signature.args, arguments).load_row(0, 1)
        flags = builder.zext(builder.icmp_signed("==", row, ir.Constant(row.type, [1] * 8)), row.type)
        return builder.bitcast(flags, ir.IntType(64))

    return types.uint64(rows, types.intp), generate
