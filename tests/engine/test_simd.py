"""Vector instructions do what the NumPy beside them says, for every count, and touch nothing else."""

import numpy as np
import pytest

from diamant_env.native import row_writer as rows
from diamant_env.native import simd as vectors
from diamant_env.native.compiled import jit
from diamant_env.native.emitter import vectors as covering
from diamant_env.native.packed_bytes import word
from diamant_env.observation import NUM_FEATURES, TABLE_FEATURES
from diamant_env.rules import GAME

COUNTS = [1, 3, 4, 7, 8, 17, 29, 40, 50]


def compiled(name, arguments, count):
    """Return `vectors.name` as compiled code calls it, with this constant."""
    scope = {"function": getattr(vectors, name), "COUNT": count}
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
    getattr(vectors, name)(as_it_stands, *given, count)
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
    vectors.copy(as_it_stands, at, as_it_stands, 5, count)
    compiled("copy", "to, at, source, start", count)(by_vectors, at, by_vectors, 5)
    assert np.array_equal(as_it_stands, by_vectors)
    assert np.array_equal(by_vectors[at : at + count], numbers(70)[5 : 5 + count])


def _one_three_and_eleven_numbers(to, at, factors, games, flag):
    game = games[0]
    vectors.convert_each(to, at, factors, (flag,))
    vectors.convert_each(to, at + 1, factors, (game.bag, flag, game.turn))
    some = (game.bag, game.turn, game.path_gems, game.num_inside, game.bag - game.turn, flag, game.path_relics)
    vectors.convert_each(to, at + 4, factors, (*some, game.expedition, game.chest[1], game.relics[2], game.bag))


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
    for function in (vectors.write_row, jit(lambda to, i, given: vectors.write_row(to, i, given))):
        to = np.full((3, room), 0.5, np.float32)
        function(to, 1, given)
        assert to[1].tolist() == given[:room].tolist()
        assert (to[[0, 2]] == 0.5).all()


@pytest.mark.parametrize("seats", range(9))
def test_the_rows_of_a_table(seats):
    ring, own, public = numbers(2 * TABLE_FEATURES), numbers(8 * rows.NUM_OWN), numbers(rows.NUM_PUBLIC)
    present = numbers(TABLE_FEATURES)
    arguments = (seats, ring, present, own, public)
    before = numbers(3 * 8 * NUM_FEATURES).reshape(3, 8, NUM_FEATURES)
    as_it_stands, by_vectors = before.copy(), before.copy()
    rows.write_rows(as_it_stands, 1, *arguments)
    jit(lambda to, i, seats, ring, present, own, public: rows.write_rows(to, i, seats, ring, present, own, public))(
        by_vectors, 1, *arguments
    )
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
    rows.fetch(fetched, i)
    jit(lambda to, i: rows.fetch(to, i))(fetched, i)
    assert np.array_equal(fetched, before)


@pytest.mark.parametrize("count", range(1, 100))
def test_vectors_cover_all_and_no_more(count):
    parts = list(covering(count))
    assert {at for begin, width in parts for at in range(begin, begin + width)} == set(range(count))
    assert all(width & (width - 1) == 0 for _, width in parts)


def test_what_is_not_contiguous_is_refused():
    column = numbers(64).reshape(8, 8)[:, 0]
    with pytest.raises(TypeError, match="layout 'A'; expected 'C', contiguous"):
        compiled("copy", "to, at, source, start", 4)(column, 0, numbers(8), 0)
    with pytest.raises(TypeError, match="layout 'A'; expected 'C', contiguous"):
        jit(lambda field: word(field, 0))(np.zeros((8, 2), np.int8)[:, 0])


def test_what_can_not_be_written_to_is_refused():
    frozen = np.zeros((2, 8), np.float32)
    frozen.flags.writeable = False
    with pytest.raises(TypeError, match="can't be written to"):
        compiled("copy", "to, at, source, start", 4)(frozen[0], 0, numbers(8), 0)
    with pytest.raises(TypeError, match="can't be written to"):
        jit(lambda to, given: vectors.write_row(to, 0, given))(frozen, numbers(8, np.int8))


@pytest.mark.parametrize("count", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("kinds", [(np.int8, np.int8), (np.int8, np.int16)])
def test_the_sum_of_products(kinds, count):
    one, other = numbers(count, kinds[0]), numbers(count, kinds[1])
    expected = sum(int(a) * int(b) for a, b in zip(one, other, strict=True))
    assert vectors.sum_of_products(one, other, count) == expected
    assert compiled("sum_of_products", "one, other", count)(one, other) == expected


def _two_and_five_columns(to, at, factors, one, other):
    vectors.interleave(to, at, factors, (one, other))
    vectors.interleave(to, at + 16, factors, (other, one, one, other, one))


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
    for function in (vectors.over_the_others, jit(lambda to, numbers: vectors.over_the_others(to, numbers))):
        for turned in range(8):
            to = np.zeros(8, np.int16)
            function(to, np.roll(given, turned))
            assert to.tolist() == np.roll(expected, turned).tolist()


def _add_to_two_fields(games, chosen, amount):
    vectors.add_where(games[0].left_turn, chosen, amount)
    vectors.add_where(games[0].banked, chosen, amount)


@pytest.mark.parametrize("amount", [-1, 0, 1, 77, 1500, np.int16(-100)])
@pytest.mark.parametrize("seats", [0, 1, 0b10, 0b10000000, 0b10110100, 255])
def test_an_amount_is_added_to_the_chosen_seats_alone(seats, amount):
    flags = np.array([seats >> seat & 1 for seat in range(8)])
    chosen = flags.astype(np.int8).view(np.uint64)[0]
    for add in (_add_to_two_fields, jit(_add_to_two_fields)):
        games = np.frombuffer(np.random.default_rng(seats).bytes(GAME.itemsize), GAME).copy()
        before = games.copy()
        add(games.view(np.recarray), chosen, amount)
        for name in GAME.names:
            added = (flags * int(amount)).astype(GAME[name].base) if name in ("left_turn", "banked") else 0
            assert np.array_equal(games[name], before[name] + added)
