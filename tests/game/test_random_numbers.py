"""Random numbers of a game against SplitMix64 in plain integers."""

from collections.abc import Iterator

import numpy as np
import pytest

from diamant_env import Batch
from diamant_env.engine.loops import draw_card, draw_decision
from diamant_env.random_numbers import (
    first_draw_below,
    key_of_next_game,
    keys_of_next_games,
    keys_of_seeds,
    mix,
    random_below,
    random_bits,
)
from tests.support.play import BASE, ODD, PRINTED_AT_ONCE, Play

WORD = 2**64
GAMMA = 0x9E3779B97F4A7C15
# First outputs of the authors' splitmix64.c for seed 1234567.
PUBLISHED = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
KEYS = [0, 1, 1234567, 2**32, 2**63, WORD - 1]


def splitmix64(state: int) -> Iterator[int]:
    """Yield SplitMix64 numbers as its paper defines them."""
    while True:
        state = (state + GAMMA) % WORD
        bits = state
        bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 % WORD
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EB % WORD
        yield bits ^ bits >> 31


def number(key: int, counter: int) -> int:
    return next(splitmix64((key + counter * GAMMA) % WORD))


def test_splitmix64_reference_values():
    assert [int(mix(np.uint64(1234567), np.uint64(counter))) for counter in range(5)] == PUBLISHED
    assert [next_bits for next_bits, _ in zip(splitmix64(1234567), range(5), strict=False)] == PUBLISHED


@pytest.mark.parametrize("key", KEYS)
def test_mix_and_keys_equal_splitmix64(key):
    generator = splitmix64(key)
    for counter in range(20):
        assert int(mix(np.uint64(key), np.uint64(counter))) == next(generator)
    assert int(keys_of_seeds(np.array([key], np.uint64))[0]) == number(number(key, 0), 0)
    following = number(key ^ 0xD1B54A32D192ED03, 0)
    assert int(key_of_next_game(np.uint64(key))) == following
    assert int(keys_of_next_games(np.array([key], np.uint64))[0]) == following
    for limit in (1, 3, 8):
        assert int(first_draw_below(np.array([key], np.uint64), limit)[0]) == (number(key, 0) >> 32) * limit >> 32


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(("expedition", "turn", "stream"), [(1, 0, 0), (5, 34, 0), (1, 0, 1), (16, 127, 8), (2, 3, 4)])
def test_cards_and_seats_have_own_numbers(key, expedition, turn, stream):
    bits = number(key, (stream * 128 + expedition) * 128 + turn) >> 32
    assert random_bits(np.uint64(key), expedition, turn, stream) == bits
    if stream == 0:
        for limit in (1, 2, 31, 35, 100):
            assert random_below(np.uint64(key), expedition, turn, limit) == bits * limit // 2**32


@pytest.mark.parametrize("edition", [BASE, ODD, PRINTED_AT_ONCE], ids=lambda edition: edition.name)
def test_next_card_is_drawn_from_sorted_deck(edition):
    game = Batch(1, 3, edition).games.copy()[0]
    game["deck"][:] = Play([edition.traps[0]], edition=edition).game["deck"]
    deck = [card for card, copies in enumerate(game["deck"]) for _ in range(copies)]
    drawn = set()
    for key in range(300):
        game["key"], game["expedition"], game["turn"], game["deck_size"] = key, 2, 1, len(deck)
        before = game.tobytes()
        card = draw_card(game)
        assert card == deck[(number(key, 2 * 128 + 1) >> 32) * len(deck) // 2**32]
        assert game.tobytes() == before
        drawn.add(card)
    assert drawn == set(deck)


def test_decision_is_drawn_from_number_of_seat():
    game = Play([9], 8).game
    for seat in range(8):
        bits = int(random_bits(game.key, game.expedition, game.turn, 1 + seat))
        assert not draw_decision(game, seat, bits / 2**32)
        assert not draw_decision(game, seat, 0.0)
        assert draw_decision(game, seat, (bits + 0.001) / 2**32)
