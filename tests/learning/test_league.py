"""Seating in training; snapshots with logit noise and feature dropout."""

import numpy as np

from diamant_env import EDITIONS, Batch, Observations
from diamant_env.observation import NUM_FEATURES, SLICES
from diamant_env.opponents import EMPTY
from diamant_env.opponents.network import NetworkAgent
from train.league import BLIND_SPOTS, League, tables_of
from train.runs.config import Config, OpponentsConfig

PLAYERS = np.tile([3, 4, 8], 1000)


def league(**config):
    return League(OpponentsConfig(**config), PLAYERS, np.random.SeedSequence(0))


def network(seed):
    weights = np.random.default_rng(seed).normal(size=(2, NUM_FEATURES)).astype(np.float32)
    return NetworkAgent([(weights, np.zeros(2, np.float32))], name=str(seed))


def test_editions_alternate_at_each_table_size():
    game = {"num_players": [3, 4, 4], "editions": ["everdeck", "incan-gold"]}
    players, editions = tables_of(Config.model_validate({"game": game, "ppo": {"games": 12}}))
    assert players.tolist() == [3] * 4 + [4] * 8
    assert [edition.name for edition in editions] == ["everdeck", "incan-gold"] * 6
    assert tables_of(Config())[1] == [EDITIONS["iello-2016"]] * 750


def test_seat_shares_equal_configuration():
    found = league(learner=0.5)
    present = np.arange(8) < PLAYERS[:, None]
    seats = found.seating[present]
    others = present.sum() - len(PLAYERS)
    learning = ((found.seating == EMPTY) & present).sum() - len(PLAYERS)
    assert abs(learning / others - 0.5) < 0.02
    assert ((found.seating == EMPTY) & present).any(axis=1).all()
    assert set(np.unique(seats)) == {EMPTY, *range(len(found.snapshots))}


def test_snapshots_replace_old_ones():
    found = league(learner=0.5, snapshot_places=3)
    names = []
    for number in range(20):
        found.add_snapshot(network(number), number)
        names.append([each.network.name for each in found.snapshots])
    assert names[0] == ["0", "0", "0"]
    assert names[2] == ["0", "1", "2"]
    assert all(str(number) in now for number, now in enumerate(names))
    assert len(set(names[-1])) == 3


def seen_by(found, observations):
    return found.snapshots[0].act(Observations(observations), np.zeros(len(observations), bool))


def test_blind_seat_ignores_its_blind_spots():
    rows = Batch(200, 4).reset(0)[:, 0]
    other = rows.copy()
    for fields in BLIND_SPOTS:
        for field in fields:
            other[:, SLICES[field]] += 1
    for feature_dropout, same in ((1.0, True), (0.0, False)):
        found = league(learner=0.0, feature_dropout=feature_dropout)
        found.add_snapshot(network(1), 0)
        assert np.array_equal(seen_by(found, rows), seen_by(found, other)) is same


def test_seats_have_own_logit_noise():
    found = league(learner=0.0, snapshot_places=2, logit_noise=1.0, feature_dropout=0.5)
    found.add_snapshot(network(1), 0)
    rows = np.repeat(Batch(1, 4).reset(0)[:, 0], 50, axis=0)
    leave = seen_by(found, rows)
    other = found.snapshots[1].act(Observations(rows), np.zeros(50, bool))
    assert not (leave == other).any()
    rows[::2, 0] = 0  # they need not decide
    np.testing.assert_array_equal(seen_by(found, rows)[1::2], leave[1::2])
