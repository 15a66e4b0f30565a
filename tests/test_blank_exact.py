"""What plays blank games is what `diamant_env.exact` exploits: the same rows, and gains below the exact one."""

import numpy as np
import pytest

from diamant_env.observation import NUM_FEATURES
from train.arena import seeds_for
from train.blank import new_batch
from train.cell import exploitability
from train.gains import Match, gains
from train.suite import TASKS

exact = pytest.importorskip("diamant_env.exact")


class Collector:
    """Remembers every row that it is shown."""

    def __init__(self):
        self.rows = []

    def act(self, obs, first):
        self.rows.append(obs.flat.copy())
        return np.zeros(len(first), np.float32)


def test_rows_of_the_games_are_rows_of_the_nodes():
    """Every row of a seat that must decide, in games of random decisions, is among those that `policy_of` shows."""
    task = TASKS["expedition-2"]
    edition = task.game.played()
    laid_out = exact.lay_out(exact.start_of_expedition(edition, 2), edition, merge_traps=False)
    collector = Collector()
    shown = set()
    collector.rows = Hashes(shown)
    exact.policy_of(collector, laid_out)
    batch = new_batch(300, 2, edition, "score")
    observations, random = batch.reset(3), np.random.default_rng(0)
    met = set()
    while not batch.over.all():
        met |= {row.tobytes() for row in observations[batch.must_decide & ~batch.over[:, None]]}
        observations, _, _ = batch.step((random.random((300, 2)) < 0.15).astype(np.int8))
    assert len(met) > 300
    assert {hash(row) for row in met} <= shown


class Hashes:
    """Stands for a list of arrays of rows, (rows, NUM_FEATURES), and keeps a number for each row."""

    def __init__(self, into):
        self.into = into

    def append(self, rows):
        assert rows.shape[1] == NUM_FEATURES
        self.into.update(hash(row.tobytes()) for row in rows)


def test_nobody_gains_more_than_the_exact_best_response():
    task = TASKS["expedition-2"]
    truth = exploitability("bag:10", task)["exploitability"]
    match = Match("bag:10", 2, task.game.played(), "score")
    found = gains(["ev:0.75", "ev-others-stay:0.2", "bag:5", "cards:7"], match, 20_000, seeds_for(0, "exact"))
    assert all(gain.among(4).low < truth for gain in found)
    assert max(gain.gain.mean for gain in found) > 0.3 * truth


def test_an_agent_with_a_memory_has_no_exact_figure():
    assert "decides by more than what it sees" in exploitability("mixture", TASKS["expedition-2"])["refused"]
