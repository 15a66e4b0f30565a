"""Vector instructions read before they write, and refuse arrays that they are not made for.

That they write what the NumPy beside them says is tested where they are used: compiled, `test_at_a_glance` compares
each row and each reward with the oracle, and `test_compiled` with what is written uncompiled.
"""

import numpy as np
import pytest

from diamant_env.native import row_writer, simd
from diamant_env.native.compiled import jit
from diamant_env.native.packed_bytes import pack
from diamant_env.observation import NUM_FEATURES
from diamant_env.state import GAME

COUNTS = [1, 3, 4, 7, 8, 17, 29, 40, 50]


def compiled(name, arguments, count):
    """Return `simd.NAME` as compiled code calls it, with this constant."""
    scope = {"function": getattr(simd, name), "COUNT": count}
    exec(f"def call({arguments}):\n    return function({arguments}, COUNT)", scope)
    return jit(scope["call"])


def numbers(size, kind=np.float32):
    random = np.random.default_rng(size)
    if kind == np.float32:
        return random.normal(size=size).astype(kind)
    return random.integers(np.iinfo(kind).min, np.iinfo(kind).max, size, dtype=kind, endpoint=True)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("at", [0, 1, 8, 11])
def test_what_is_copied_within_an_array_is_read_before_it_is_written(count, at):
    as_it_stands, by_vectors = numbers(70), numbers(70)
    simd.copy(as_it_stands, at, as_it_stands, 5, count)
    compiled("copy", "to, at, source, start", count)(by_vectors, at, by_vectors, 5)
    assert np.array_equal(as_it_stands, by_vectors)
    assert np.array_equal(by_vectors[at : at + count], numbers(70)[5 : 5 + count])


@pytest.mark.parametrize("i", [0, 1, 2, 1000])
def test_fetching_rows_changes_nothing_even_beyond_the_end(i):
    before = numbers(2 * 3 * NUM_FEATURES).reshape(2, 3, NUM_FEATURES)
    fetched = before.copy()
    row_writer.prefetch(fetched, i)
    jit(lambda to, i: row_writer.prefetch(to, i))(fetched, i)
    assert np.array_equal(fetched, before)


def test_what_is_not_contiguous_or_can_not_be_written_to_or_is_too_short_is_refused():
    frozen, column = np.zeros((2, 8), np.float32), np.zeros((8, 2), np.int8)[:, 0]
    frozen.flags.writeable = False
    for call, *given in (
        (compiled("copy", "to, at, source, start", 4), numbers(64).reshape(8, 8)[:, 0], 0, numbers(8), 0),
        (jit(lambda field: pack(field, 0)), column),
    ):
        with pytest.raises(TypeError, match="layout 'A'; expected 'C', contiguous"):
            call(*given)
    for call, *given in (
        (compiled("copy", "to, at, source, start", 4), frozen[0], 0, numbers(8), 0),
        (jit(lambda to, given: simd.write_row(to, 0, given)), frozen, numbers(8, np.int8)),
    ):
        with pytest.raises(TypeError, match="can't be written to"):
            call(*given)
    with pytest.raises(TypeError, match="numbers 0 to 15 of an array of shape"):
        jit(lambda games: simd.dot(games[0].inside, games[0].deck, 16))(np.zeros(1, GAME).view(np.recarray))
