"""Vector instructions do what the NumPy beside them says, for every count, and touch nothing else."""

import numpy as np
import pytest

from diamant_env.native import row_writer, simd
from diamant_env.native.compiled import jit
from diamant_env.native.emitter import vectors
from diamant_env.native.packed_bytes import pack
from diamant_env.observation import NUM_FEATURES, TABLE_FEATURES
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
@pytest.mark.parametrize(
    ("name", "arguments", "begin"),
    [
        ("copy", "to, at, source, start", lambda count: (3, numbers(70), 5)),
        ("convert", "to, at, source, factors", lambda count: (3, numbers(count, np.int8), numbers(count))),
    ],
)
def test_what_is_written(name, arguments, begin, count):
    as_it_stands, by_vectors = numbers(60), numbers(60)
    given = begin(count)
    getattr(simd, name)(as_it_stands, *given, count)
    compiled(name, arguments, count)(by_vectors, *given)
    assert np.array_equal(as_it_stands, by_vectors)
    before = numbers(60)
    assert np.array_equal(as_it_stands[:3], before[:3])
    assert np.array_equal(as_it_stands[3 + count :], before[3 + count :])
    assert not np.array_equal(as_it_stands[3 : 3 + count], before[3 : 3 + count])


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("at", [0, 1, 8, 11])
def test_what_is_copied_within_an_array_is_read_before_it_is_written(count, at):
    as_it_stands, by_vectors = numbers(70), numbers(70)
    simd.copy(as_it_stands, at, as_it_stands, 5, count)
    compiled("copy", "to, at, source, start", count)(by_vectors, at, by_vectors, 5)
    assert np.array_equal(as_it_stands, by_vectors)
    assert np.array_equal(by_vectors[at : at + count], numbers(70)[5 : 5 + count])


def _one_three_and_eleven_numbers(to, at, factors, games, flag):
    game = games[0]
    simd.convert_each(to, at, factors, (flag,))
    simd.convert_each(to, at + 1, factors, (game.bag, flag, game.turn))
    some = (game.bag, game.turn, game.path_gems, game.num_inside, game.bag - game.turn, flag, game.path_relics)
    simd.convert_each(to, at + 4, factors, (*some, game.expedition, game.chest[1], game.relics[2], game.bag))


@pytest.mark.parametrize("flag", [True, False, 2**31 - 1, -(2**31)])
def test_single_numbers_are_converted(flag):
    games, factors = np.zeros(1, GAME), numbers(20)
    games["bag"], games["turn"], games["path_gems"], games["num_inside"] = 700, -3, -32768, 8
    games["path_relics"], games["expedition"], games["chest"][0, 1], games["relics"][0, 2] = 5, 127, 32767, -128
    expected = [flag, 700, flag, -3, 700, -3, -32768, 8, 703, flag, 5, 127, 32767, -128, 700]
    times = np.concatenate([factors[:1], factors[:3], factors[:11]])
    for function in (_one_three_and_eleven_numbers, jit(_one_three_and_eleven_numbers)):
        to = numbers(30)
        function(to, 4, factors, games.view(np.recarray), flag)
        assert np.array_equal(to[4:19], np.array(expected, np.float32) * times)
        assert np.array_equal(np.delete(to, range(4, 19)), np.delete(numbers(30), range(4, 19)))


@pytest.mark.parametrize("room", range(1, 9))
@pytest.mark.parametrize("kind", [np.int8, np.int16])
def test_a_row_takes_what_it_has_room_for(kind, room):
    given = numbers(8, kind)
    for function in (simd.write_row, jit(lambda to, i, given: simd.write_row(to, i, given))):
        to = np.full((3, room), 0.5, np.float32)
        function(to, 1, given)
        assert to[1].tolist() == given[:room].tolist()
        assert (to[[0, 2]] == 0.5).all()


@pytest.mark.parametrize("seats", range(9))
def test_the_rows_of_a_table(seats):
    ring, own, public = numbers(2 * TABLE_FEATURES), numbers(8 * row_writer.NUM_OWN), numbers(row_writer.NUM_PUBLIC)
    present = numbers(TABLE_FEATURES)
    arguments = (seats, ring, present, own, public)
    before = numbers(3 * 8 * NUM_FEATURES).reshape(3, 8, NUM_FEATURES)
    as_it_stands, by_vectors = before.copy(), before.copy()
    row_writer.write_rows(as_it_stands, 1, *arguments)
    jit(
        lambda to, i, seats, ring, present, own, public: row_writer.write_rows(to, i, seats, ring, present, own, public)
    )(by_vectors, 1, *arguments)
    assert np.array_equal(as_it_stands, by_vectors)
    assert np.array_equal(by_vectors[[0, 2]], before[[0, 2]])
    assert np.array_equal(by_vectors[1, seats:], before[1, seats:])
    for seat in range(seats):
        row = by_vectors[1, seat]
        assert row[0] == ring[5 * seat] * present[0]
        assert np.array_equal(row[1:5], own[4 * seat : 4 * seat + 4])
        assert np.array_equal(row[5:40], ring[5 * seat + 5 : 5 * seat + 40] * present[5:])
        assert np.array_equal(row[40:], public)


@pytest.mark.parametrize("i", [0, 1, 2, 1000])
def test_fetching_rows_changes_nothing_even_beyond_the_end(i):
    before = numbers(2 * 3 * NUM_FEATURES).reshape(2, 3, NUM_FEATURES)
    fetched = before.copy()
    row_writer.prefetch(fetched, i)
    jit(lambda to, i: row_writer.prefetch(to, i))(fetched, i)
    assert np.array_equal(fetched, before)


@pytest.mark.parametrize("count", range(1, 100))
def test_vectors_cover_all_and_no_more(count):
    parts = list(vectors(count))
    assert {at for begin, width in parts for at in range(begin, begin + width)} == set(range(count))
    assert all(width & (width - 1) == 0 for _, width in parts)


def test_what_is_not_contiguous_is_refused():
    column = numbers(64).reshape(8, 8)[:, 0]
    with pytest.raises(TypeError, match="layout 'A'; expected 'C', contiguous"):
        compiled("copy", "to, at, source, start", 4)(column, 0, numbers(8), 0)
    with pytest.raises(TypeError, match="layout 'A'; expected 'C', contiguous"):
        jit(lambda field: pack(field, 0))(np.zeros((8, 2), np.int8)[:, 0])


def test_what_can_not_be_written_to_is_refused():
    frozen = np.zeros((2, 8), np.float32)
    frozen.flags.writeable = False
    with pytest.raises(TypeError, match="can't be written to"):
        compiled("copy", "to, at, source, start", 4)(frozen[0], 0, numbers(8), 0)
    with pytest.raises(TypeError, match="can't be written to"):
        jit(lambda to, given: simd.write_row(to, 0, given))(frozen, numbers(8, np.int8))


@pytest.mark.parametrize("count", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("kinds", [(np.int8, np.int8), (np.int8, np.int16)])
def test_the_dot_product(kinds, count):
    one, other = numbers(count, kinds[0]), numbers(count, kinds[1])
    expected = sum(int(a) * int(b) for a, b in zip(one, other, strict=True))
    assert simd.dot(one, other, count) == expected
    assert compiled("dot", "one, other", count)(one, other) == expected


def _two_and_five_columns(to, at, factors, one, other):
    simd.interleave(to, at, factors, (one, other))
    simd.interleave(to, at + 16, factors, (other, one, one, other, one))


def test_columns_are_interleaved_seat_by_seat():
    one, other, factors = numbers(8, np.int8), numbers(8, np.int16), numbers(40)
    as_it_stands, by_vectors, before = numbers(60), numbers(60), numbers(60)
    _two_and_five_columns(as_it_stands, 3, factors, one, other)
    jit(_two_and_five_columns)(by_vectors, 3, factors, one, other)
    assert np.array_equal(as_it_stands, by_vectors)
    pairs = zip([one[0], other[0], one[1], other[1]], factors[:4], strict=True)
    assert as_it_stands[3:7].tolist() == [number * factor for number, factor in pairs]
    assert as_it_stands[19 + 5 * 6 + 3] == other[6] * factors[5 * 6 + 3]
    assert np.array_equal(as_it_stands[[0, 1, 2, 59]], before[[0, 1, 2, 59]])


@pytest.mark.parametrize(
    "given", [[7, 3, 0, 0, 0, 0, 0, 0], [5, 2, 5, 1, 0, 0, 0, 0], range(8), [-3] * 8, [0, 900, 4, 1, 1, 8, 3, 899]]
)
def test_the_lead_over_the_others(given):
    given = np.array(given, np.int16)
    expected = [own - max(np.delete(given, seat)) for seat, own in enumerate(given)]
    for function in (simd.lead_over_others, jit(lambda to, numbers: simd.lead_over_others(to, numbers))):
        for turned in range(8):
            to = np.zeros(8, np.int16)
            function(to, np.roll(given, turned))
            assert to.tolist() == np.roll(expected, turned).tolist()


def test_what_is_longer_than_a_field_of_a_record_is_refused():
    with pytest.raises(TypeError, match="numbers 0 to 15 of an array of shape"):
        jit(lambda games: simd.dot(games[0].inside, games[0].deck, 16))(np.zeros(1, GAME).view(np.recarray))
