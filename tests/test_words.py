"""Eight seats as one number: the same compiled, as it stands, and by hand."""

import numpy as np
import pytest

from diamant_env.compiled import jit
from diamant_env.rules import GAME
from diamant_env.words import ALL_BITS, byte, count, set_word, word


def _around(games):
    """Read a field in the middle of a record, write it back turned around."""
    bits = word(games[0].decision)
    set_word(games[0].decision, ~bits)
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


@pytest.mark.parametrize("seats", range(256))
def test_count_and_byte_for_every_set_of_seats(seats):
    inside = [seat for seat in range(8) if seats >> seat & 1]
    bits = sum((byte(True, seat) for seat in inside), np.uint64(0))
    assert int(bits).to_bytes(8, "little") == bytes(seats >> seat & 1 for seat in range(8))
    assert count(bits) == len(inside)
    assert int(bits * ALL_BITS).to_bytes(8, "little") == bytes(255 * (seats >> seat & 1) for seat in range(8))
    assert byte(False, seats % 8) == 0
