"""Scalar game with explicit chance."""

import copy
import pickle
from fractions import Fraction

import pytest

from diamant_env import Batch, Edition, Game, Observations

SMALL = Edition("small", (3, 5), ("mud",), trap_copies=2, expeditions=1)


def test_batch_draws_the_card_for_which_a_game_waits():
    game, batch = Game(3, seed=5), Batch(1, 3)
    batch.set_states([game.state])
    game.reveal(game.draw())
    assert batch.games[0].tobytes() == game.state.tobytes()


def test_chance_outcomes_equal_deck():
    game = Game(2, SMALL)
    assert game.chance_outcomes() == [(2, 0.25), (4, 0.25), (16, 0.5)]
    game.reveal(16)
    game.decide([0, 0])
    assert [Fraction(chance).limit_denominator(9) for _, chance in game.chance_outcomes()] == [Fraction(1, 3)] * 3
    game.reveal(16)
    assert game.phase == "over"
    assert game.state.bust_card == 16
    assert game.returns("win").tolist() == [0.5, 0.5]


def test_copies_are_independent():
    game = Game(3, SMALL.replace(hidden_chests=True))
    game.reveal(4)
    copies = [game.clone(), copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))]
    moved = Game(3, game.edition)
    moved.restore(game.state)
    for other in (*copies, moved):
        before = game.state.tobytes()
        assert other.state.tobytes() == before
        other.decide([1, 0, 0])
        assert other.returns().tolist() == [3, 0, 0]
        assert game.state.tobytes() == before
        assert other.edition == game.edition
        assert Observations(other.observe(1))["rival_chest"].tolist() == [0] * 7  # hidden: it is 3
        assert Observations(other.observe(0))["chest"] == 3
    with pytest.raises(ValueError, match="read-only"):
        game.state["bag"] = 3


def test_state_from_batch_of_editions():
    batch = Batch(2, 3, ["iello-2016", "everdeck"])
    batch.reset(seed=7)
    game = Game(3, "everdeck")
    game.restore(batch.games[1])
    assert game.state.edition == 0
    assert game.observe(2).tobytes() == batch.observe()[1, 2].tobytes()
    with pytest.raises(ValueError, match="deck"):
        game.restore(batch.games[:1])


def deciding() -> Game:
    game = Game(2, SMALL)
    game.reveal(2)
    return game


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: Game(9), ValueError),
        (lambda: Game(2, SMALL).reveal(3), ValueError),
        (lambda: Game(2, SMALL).reveal("mud"), ValueError),
        (lambda: deciding().observe(2), ValueError),
        (lambda: deciding().restore(Game(3, SMALL).state), ValueError),
        (lambda: deciding().decide([1, 2]), ValueError),
        (lambda: deciding().decide([1]), ValueError),
        (lambda: Game(2, SMALL).decide([0, 0]), RuntimeError),
        (lambda: deciding().chance_outcomes(), RuntimeError),
    ],
)
def test_invalid_calls(call, error):
    with pytest.raises(error):
        call()
