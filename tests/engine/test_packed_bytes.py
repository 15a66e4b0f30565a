"""Eight seats or cards packed into one number: the same compiled, as it stands, and by hand."""

import numpy as np
import pytest

from diamant_env.editions import MAX_CARDS, NUM_CARDS
from diamant_env.native.compiled import jit
from diamant_env.native.packed_bytes import card_at, pack, pack_ones, packed_flag, unpack_into
from diamant_env.state import GAME


def _around(games):
    """Read a field in the middle of a record, write it back inverted."""
    bits = pack(games[0].decision, 0)
    unpack_into(games[0].decision, ~bits)
    return bits


@pytest.mark.parametrize("around", [_around, jit(_around)], ids=["as it stands", "compiled"])
def test_a_field_is_read_and_written_and_its_neighbours_stay(around):
    random = np.random.default_rng(0)
    games = np.frombuffer(random.bytes(GAME.itemsize), GAME).copy()
    before = games.copy()
    bits = around(games.view(np.recarray))
    assert int(bits) == int.from_bytes(before["decision"].tobytes(), "little")
    assert np.array_equal(games["decision"], ~before["decision"])
    same = [name for name in GAME.names if name != "decision"]
    assert all(np.array_equal(games[name], before[name]) for name in same)


def test_a_flag_is_packed_at_its_seat():
    for seat in range(8):
        assert int(packed_flag(True, seat)).to_bytes(8, "little") == bytes(place == seat for place in range(8))
        assert packed_flag(False, seat) == 0


@pytest.mark.parametrize("seats", range(1, 9))
def test_the_ones_of_a_row_alone(seats):
    rows = np.random.default_rng(seats).integers(-1, 3, (20, seats), dtype=np.int8)
    rows[3], rows[4] = 1, 0
    compiled = jit(lambda rows, i: pack_ones(rows, i))
    for i, row in enumerate(rows):
        expected = sum(1 << 8 * seat for seat in range(seats) if row[seat] == 1)
        assert int(pack_ones(rows, i)) == int(compiled(rows, i)) == expected


def _decks():
    random = np.random.default_rng(0)
    yield np.eye(NUM_CARDS, dtype=np.int8)[0]
    yield np.eye(NUM_CARDS, dtype=np.int8)[-1]
    yield np.full(NUM_CARDS, 4, np.int8)
    yield np.where(np.arange(NUM_CARDS) == 7, MAX_CARDS, 0).astype(np.int8)
    yield np.where(np.arange(NUM_CARDS) == NUM_CARDS - 1, 127, 0).astype(np.int8)
    for _ in range(50):
        kinds = random.integers(1, NUM_CARDS + 1)
        size = random.integers(1, MAX_CARDS + 1)
        yield np.bincount(random.permutation(NUM_CARDS)[:kinds][random.integers(kinds, size=size)], minlength=NUM_CARDS)


def test_the_card_at_every_position_of_a_deck():
    for deck in _decks():
        in_order = np.repeat(np.arange(NUM_CARDS), deck)
        found = [card_at(deck.astype(np.int8), position) for position in range(len(in_order))]
        assert found == in_order.tolist()
