"""Eight int8 numbers packed into one uint64: SIMD within a register, for cards and decisions.

Numba's own view of such a field as another type is slow, so compiled code loads and stores the eight bytes itself.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types

from diamant_env.editions import MAX_PLAYERS, MAX_TRAPS, MAX_TREASURES, NUM_CARDS
from diamant_env.native.compiled import jit
from diamant_env.native.emitter import INT64, kernel

if (MAX_PLAYERS, MAX_TRAPS, MAX_TREASURES) != (8, 8, 16) or not 24 < NUM_CARDS <= 32:
    raise AssertionError(
        f"{MAX_PLAYERS} players, {MAX_TRAPS} traps, {MAX_TREASURES} treasures, {NUM_CARDS} cards; the compiled code is "
        "written for 8, 8, 16 and 25 to 32"
    )

_PREFIX_SUMS = np.uint64(0x0101010101010101)  # times eight bytes: each becomes the sum of itself and all lower ones
_HIGH_BITS = np.uint64(0x8080808080808080)
_TOP, _SEVEN = np.uint64(56), np.uint64(7)
_OVERLAP = np.uint64(8 * (32 - NUM_CARDS))  # bits of the last eight cards that the third load has already


def pack(field, at):
    """Return eight numbers of a field, int8, from `at` on, packed into a uint64, the first in its lowest byte."""
    return field[at : at + 8].copy().view(np.uint64)[0]


def unpack_into(seats, packed):
    """Write the eight bytes of a uint64 into a field of eight seats, int8 (8,)."""
    seats.view(np.uint64)[0] = packed


def pack_ones(rows, i):
    """Return where `rows[i]`, int8 (N, at most 8), is 1, packed into a uint64: 1 there, 0 elsewhere."""
    flags = np.zeros(8, np.int8)
    for place in range(rows.shape[1]):
        flags[place] = rows[i, place] == 1
    return pack(flags, 0)


@jit
def packed_flag(flag, seat):
    """Return a flag, 0 or 1, packed at the place of a seat, with 0 at the others."""
    return np.uint64(flag) << np.uint64(8 * seat)


@jit
def card_at(deck, position):
    """Return which card lies at a position of a deck that is sorted by card.

    A branchless search, since where a loop ends is hard to predict: prefix sums of the counts, compared with the
    position eight at a time.

    Args:
        deck: int8 (NUM_CARDS,), copies of each card, at most 127 in all.
        position: Less than the number of cards in the deck.
    """
    sums_0 = pack(deck, 0) * _PREFIX_SUMS
    sums_1 = pack(deck, 8) * _PREFIX_SUMS + (sums_0 >> _TOP) * _PREFIX_SUMS
    sums_2 = pack(deck, 16) * _PREFIX_SUMS + (sums_1 >> _TOP) * _PREFIX_SUMS
    sums_3 = (pack(deck, NUM_CARDS - 8) >> _OVERLAP) * _PREFIX_SUMS + (sums_2 >> _TOP) * _PREFIX_SUMS
    reach = (np.uint64(127) - np.uint64(position)) * _PREFIX_SUMS  # lifts sums beyond the position above 127
    beyond = ((sums_0 + reach) & _HIGH_BITS) >> _SEVEN
    beyond += ((sums_1 + reach) & _HIGH_BITS) >> _SEVEN
    beyond += ((sums_2 + reach) & _HIGH_BITS) >> _SEVEN
    beyond += ((sums_3 + reach) & _HIGH_BITS) >> _SEVEN
    return 32 - np.int64((beyond * _PREFIX_SUMS) >> _TOP)


@kernel(pack, returns=types.uint64)
def _pack(emit, field, at):
    return emit.builder.bitcast(emit.load(field, 8, at=at), INT64)


@kernel(unpack_into)
def _unpack_into(emit, seats, packed):
    emit.store(emit.builder.bitcast(packed, ir.VectorType(ir.IntType(8), 8)), seats)


@kernel(pack_ones, returns=types.uint64)
def _pack_ones(emit, rows, i):
    row = emit.load_row(rows, i)
    is_one = emit.builder.icmp_signed("==", row, ir.Constant(row.type, [1] * 8))
    return emit.builder.bitcast(emit.builder.zext(is_one, row.type), INT64)
