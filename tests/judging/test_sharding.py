"""Games in shards against unsharded play."""

from __future__ import annotations

import numpy as np

from diamant_env.judging import sharding
from diamant_env.judging.games import play, seeds_for
from diamant_env.judging.lineups import deal

AGENTS = ("mixture:5,15", "ev:0.75", "bag:6", "random:0.3", "traps:3")


def test_one_shard_equals_unsharded_play():
    seating = deal(10, 3, 5, np.random.default_rng(0))
    whole = play(AGENTS, seating, 57, seeds_for(0, "test"))
    played = sharding.play_sharded(AGENTS, seating, 57, seeds_for(0, "test"))
    for name in ("seating", "shares", "scores", "keys"):
        np.testing.assert_array_equal(getattr(played, name), getattr(whole, name))


def test_shards_play_every_game_once(monkeypatch):
    monkeypatch.setattr(sharding, "TABLES", 4)
    seating = deal(10, 3, 5, np.random.default_rng(0))
    ended = []
    progress = type("Bar", (), {"update": lambda self, games: ended.append(games)})()
    played = sharding.play_sharded(AGENTS, seating, 57, seeds_for(0, "test"), progress=progress)
    assert ended == [4 * 6, 3 * 6 + 5, 2 * 5]
    assert len(np.unique(played.keys)) == 57
    np.testing.assert_allclose(played.shares.sum(axis=1), 1)
    first = play(AGENTS, seating[:4], 24, seeds_for(0, "test").spawn(3)[0])
    np.testing.assert_array_equal(played.scores[np.arange(57) % 10 < 4], first.scores)
