"""A table's rows, written from the parts that its seats share, which are loaded into registers once for all rows."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from diamant_env.native.aligned import LINE
from diamant_env.native.compiled import compiled_as
from diamant_env.native.emitter import Code, mask, vectors
from diamant_env.observation import NUM_FEATURES, SEAT_FEATURES, SLICES, TABLE_FEATURES

NUM_PUBLIC = NUM_FEATURES - TABLE_FEATURES
NUM_OWN = SEAT_FEATURES - 1  # all about the observer but whether it is inside, which the ring has
_OWN_AT = SLICES["chest"].start


def write_rows(rows, i, seats, ring, present, own, public):
    """Write what the first `seats` seats of a table see into `rows[i]`, float32 (seats or more, NUM_FEATURES).

    Args:
        rows: float32 (N, seats or more, NUM_FEATURES).
        i: Which of the N tables.
        seats: How many rows.
        ring: float32 (2 * TABLE_FEATURES,), what rivals see of each seat, twice around the table.
        present: float32 (TABLE_FEATURES,), by what a row's share of the ring is multiplied.
        own: float32 (seats * NUM_OWN,), what each seat alone sees of itself.
        public: float32 (NUM_PUBLIC,), what all see.
    """
    for seat in range(seats):
        row = rows[i, seat]
        row[:TABLE_FEATURES] = ring[seat * SEAT_FEATURES :][:TABLE_FEATURES] * present
        row[_OWN_AT : _OWN_AT + NUM_OWN] = own[seat * NUM_OWN :][:NUM_OWN]
        row[TABLE_FEATURES:] = public


def fetch(rows, i):
    """Let the processor fetch the memory of `rows[i]`, float32 (N, seats, NUM_FEATURES), before it is written there.

    To Python this is nothing. `i` may lie beyond the end.
    """


_ROWS, _I, _SEATS, _RING, _PRESENT, _OWN, _PUBLIC = range(7)  # the arguments


@compiled_as(write_rows)
def _write_rows(typing_context, rows, i, seats, ring, present, own, public):
    def generate(context, builder, signature, arguments):
        code = Code(context, builder, signature.args, arguments)
        factors = [code.load(_PRESENT, None, begin, width) for begin, width in vectors(TABLE_FEATURES)]
        shared = [code.load(_PUBLIC, None, begin, width) for begin, width in vectors(NUM_PUBLIC)]
        shape = context.make_array(rows)(context, builder, arguments[_ROWS]).shape
        first = _times(builder, builder.mul(arguments[_I], builder.extract_value(shape, 1)), NUM_FEATURES)
        with cgutils.for_range(builder, arguments[_SEATS]) as loop:
            row = builder.add(first, _times(builder, loop.index, NUM_FEATURES))
            share = _times(builder, loop.index, SEAT_FEATURES)
            parts = [code.load(_RING, share, begin, width) for begin, width in vectors(TABLE_FEATURES)]
            parts = [builder.fmul(part, factor) for part, factor in zip(parts, factors, strict=True)]
            alone = code.load(_OWN, _times(builder, loop.index, NUM_OWN), 0, NUM_OWN)
            parts[0] = _replaced(builder, parts[0], _OWN_AT, alone)
            for part, (begin, _) in zip(parts, vectors(TABLE_FEATURES), strict=True):
                code.store(part, _ROWS, row, begin)
            for part, (begin, _) in zip(shared, vectors(NUM_PUBLIC), strict=True):
                code.store(part, _ROWS, row, TABLE_FEATURES + begin)
        return context.get_dummy_value()

    return types.void(rows, types.intp, types.intp, ring, present, own, public), generate


@compiled_as(fetch)
def _fetch(typing_context, rows, i):
    def generate(context, builder, signature, arguments):
        array = context.make_array(rows)(context, builder, arguments[_ROWS])
        size = _times(builder, builder.extract_value(array.shape, 1), NUM_FEATURES * rows.dtype.bitwidth // 8)
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        first = builder.gep(builder.bitcast(array.data, byte), [builder.mul(arguments[_I], size)])
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        to_write, to_all_caches, data = (ir.Constant(word, number) for number in (1, 3, 1))
        none, line = (ir.Constant(size.type, number) for number in (0, LINE))
        with cgutils.for_range_slice(builder, none, size, line) as (at, _):
            builder.call(prefetch, [builder.gep(first, [at]), to_write, to_all_caches, data])
        return context.get_dummy_value()

    return types.void(rows, types.intp), generate


def _times(builder: Any, number: Any, factor: int) -> Any:
    return builder.mul(number, ir.Constant(number.type, factor))


def _replaced(builder: Any, vector: Any, at: int, others: Any) -> Any:
    """Return a vector with its numbers from `at` on replaced by those of another one."""
    width, number = vector.type.count, others.type.count
    undefined = ir.Constant(others.type, ir.Undefined)
    wide = builder.shuffle_vector(others, undefined, mask(min(place, number - 1) for place in range(width)))
    chosen = [width + place - at if at <= place < at + number else place for place in range(width)]
    return builder.shuffle_vector(vector, wide, mask(chosen))
