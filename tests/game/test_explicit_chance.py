"""Scalar game with explicit chance, against a batch."""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest

from diamant_env import Batch, Edition, Game, Observations
from diamant_env.rewards import REWARDS
from tests.support.play import PUBLISHED, every

SMALL = Edition("small", (3, 5), ("mud",), trap_copies=2, expeditions=1)


@every(PUBLISHED)
@pytest.mark.parametrize("players", [1, 3, 8])
def test_game_equals_batch_by_seed(edition, players):
    rewards = [reward for reward in REWARDS if players > 1 or reward != "margin"]
    batches = [Batch(1, players, edition, reward) for reward in rewards]
    rng, cards = np.random.default_rng(players), 0
    for seed in range(3):
        game, paid = Game(players, edition, seed=seed), np.zeros((len(rewards), players))
        rows, *_ = [batch.reset(seed) for batch in batches]
        while True:
            waiting = None
            while game.phase == "reveal":
                waiting = game.state
                game.reveal(game.draw())
                cards += 1
            assert game.state.tobytes() == batches[0].games[0].tobytes()
            assert [game.observe(seat).tobytes() for seat in range(players)] == [row.tobytes() for row in rows[0]]
            assert game.must_decide.tolist() == batches[0].must_decide[0].tolist()
            if waiting is not None:
                resumed = Batch(1, players, edition)
                resumed.set_states([waiting])
                assert resumed.games.tobytes() == batches[0].games.tobytes()
            if game.phase == "over":
                break
            actions = np.where(game.must_decide, rng.random(players) < 0.3, 9).astype(np.int8)  # 9: ignored in camp
            game.decide(actions)
            for batch, total in zip(batches, paid, strict=True):
                rows, reward, _ = batch.step(actions[None])
                total += reward[0]
        for reward, total in zip(rewards, paid, strict=True):
            np.testing.assert_allclose(game.returns(reward), total, rtol=1e-6)
    assert cards > 3 * edition.expeditions


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
    game = Game(3, SMALL, hidden_chests=True)
    game.reveal(4)
    copies = [game.clone(), copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))]
    moved = Game(3, SMALL, hidden_chests=True)
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


def test_refused_decisions_leave_the_game_unchanged():
    game = deciding()
    before = game.state.tobytes()
    for actions in ([1, 2], [1, -1], [1, 0.0], [1], [[1, 0]], [1, None]):
        with pytest.raises(ValueError, match="action"):
            game.decide(actions)
        assert game.state.tobytes() == before


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: Game(9), ValueError),
        (lambda: Game(2, SMALL).reveal(3), ValueError),
        (lambda: Game(2, SMALL).reveal("mud"), ValueError),
        (lambda: deciding().observe(2), ValueError),
        (lambda: deciding().restore(Game(3, SMALL).state), ValueError),
        (lambda: Game(2, SMALL).decide([0, 0]), RuntimeError),
        (lambda: deciding().chance_outcomes(), RuntimeError),
    ],
)
def test_invalid_calls(call, error):
    with pytest.raises(error):
        call()
