"""A table's rows, written from the parts that its seats share, which stay in registers for all rows."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from diamant_env.native.aligned import LINE
from diamant_env.native.emitter import INT32, Emitter, kernel, mask, vectors
from diamant_env.native.numba_private import cgutils
from diamant_env.observation import NUM_FEATURES, NUM_OWN, NUM_PUBLIC, OWN_AT, SEAT_FEATURES, TABLE_FEATURES


def write_rows(rows, i, seats, ring, present, own, public):
    """Write what the first `seats` seats of a table see into `rows[i]`, float32 (seats or more, NUM_FEATURES).

    Args:
        rows: float32 (N, seats or more, NUM_FEATURES).
        i: Which of the N tables.
        seats: How many rows.
        ring: float32 (2 * TABLE_FEATURES,), what rivals see of each seat, twice around the table.
        present: float32 (TABLE_FEATURES,), the factors of a row's share of the ring.
        own: float32 (seats * NUM_OWN,), what each seat alone sees of itself.
        public: float32 (NUM_PUBLIC,), the features that all seats share.
    """
    for seat in range(seats):
        row = rows[i, seat]
        row[:TABLE_FEATURES] = ring[seat * SEAT_FEATURES :][:TABLE_FEATURES] * present
        row[OWN_AT : OWN_AT + NUM_OWN] = own[seat * NUM_OWN :][:NUM_OWN]
        row[TABLE_FEATURES:] = public


def prefetch(rows, i):
    """Fetch the memory of `rows[i]`, float32 (N, seats, NUM_FEATURES), into the caches; nothing in Python.

    `i` may lie beyond the end.
    """


@kernel(write_rows)
def _write_rows(emit, rows, i, seats, ring, present, own, public):
    builder = emit.builder
    factors = [emit.load(present, width, begin) for begin, width in vectors(TABLE_FEATURES)]
    shared = [emit.load(public, width, begin) for begin, width in vectors(NUM_PUBLIC)]
    seats_per_table = builder.extract_value(emit.array(rows).shape, 1)
    first = emit.times(builder.mul(i, seats_per_table), NUM_FEATURES)
    with cgutils.for_range(builder, seats) as loop:
        row = builder.add(first, emit.times(loop.index, NUM_FEATURES))
        share = emit.times(loop.index, SEAT_FEATURES)
        parts = [emit.load(ring, width, begin, at=share) for begin, width in vectors(TABLE_FEATURES)]
        parts = [builder.fmul(part, factor) for part, factor in zip(parts, factors, strict=True)]
        alone = emit.load(own, NUM_OWN, at=emit.times(loop.index, NUM_OWN))
        parts[0] = _replaced(builder, parts[0], OWN_AT, alone)
        for part, (begin, _) in zip(parts, vectors(TABLE_FEATURES), strict=True):
            emit.store(part, rows, begin, at=row)
        for part, (begin, _) in zip(shared, vectors(NUM_PUBLIC), strict=True):
            emit.store(part, rows, TABLE_FEATURES + begin, at=row)


@kernel(prefetch)
def _prefetch(emit: Emitter, rows, i):
    builder, array = emit.builder, emit.array(rows)
    size = emit.times(builder.extract_value(array.shape, 1), NUM_FEATURES * rows.kind.dtype.bitwidth // 8)
    byte = ir.IntType(8).as_pointer()
    first = builder.gep(builder.bitcast(array.data, byte), [builder.mul(i, size)])
    signature = ir.FunctionType(ir.VoidType(), [byte, INT32, INT32, INT32])
    instruction = cgutils.get_or_insert_function(builder.module, signature, "llvm.prefetch.p0i8")
    to_write, to_all_caches, data = (ir.Constant(INT32, number) for number in (1, 3, 1))
    zero, line = (ir.Constant(size.type, number) for number in (0, LINE))
    with cgutils.for_range_slice(builder, zero, size, line) as (at, _):
        builder.call(instruction, [builder.gep(first, [at]), to_write, to_all_caches, data])


def _replaced(builder: Any, vector: Any, at: int, others: Any) -> Any:
    """Return a vector with its numbers from `at` on replaced by those of another one."""
    width, number = vector.type.count, others.type.count
    undefined = ir.Constant(others.type, ir.Undefined)
    wide = builder.shuffle_vector(others, undefined, mask(min(place, number - 1) for place in range(width)))
    chosen = [width + place - at if at <= place < at + number else place for place in range(width)]
    return builder.shuffle_vector(vector, wide, mask(chosen))
