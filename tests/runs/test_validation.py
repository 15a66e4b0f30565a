"""Responders where the gain of a best response is known: what they find does not exceed it."""

import numpy as np
import pytest

from diamant_env import Batch
from diamant_env.judging.deviation import DeviationGame
from diamant_env.observation import NUM_FEATURES, Observations
from diamant_env.opponents import make
from train.benchmarking.benchmark_run import exploitability
from train.benchmarking.suite import TASKS
from train.responding.config import SearchConfig
from train.responding.lookahead import Blind
from train.responding.result import report
from train.responding.search import response_runs

CONFIG = SearchConfig.model_validate(
    {
        **{"seeds": 1, "checkpoints": 2, "pick_games": 200, "report_games": 1500},
        "ppo": {"decisions": 20_000, "games": 64, "turns": 16, "minibatch": 256},
        "search": {"full_games": 60, "pairs": 16, "value_pairs": 8},
    }
)


class Seen:
    """Keeps what it is shown."""

    def act(self, obs, first):
        self.flat = obs.flat
        return np.zeros(len(first), np.float32)


def test_who_is_blind_sees_what_a_table_with_blank_rivals_shows():
    tables = [Batch(40, 3, "iello-2016-fr", "score", blank_rivals=blank) for blank in (False, True)]
    rows = [table.reset(1).reshape(-1, NUM_FEATURES) for table in tables]
    random, seen = np.random.default_rng(0), Seen()
    for _ in range(25):
        Blind(seen).act(Observations(rows[0]), np.zeros(len(rows[0]), bool))
        deciding = rows[1][:, 0] > 0
        assert np.array_equal(seen.flat[deciding], rows[1][deciding])
        actions = (random.random((40, 3)) < 0.3).astype(np.int8)
        rows = [table.step(actions * table.must_decide)[0].reshape(-1, NUM_FEATURES) for table in tables]


@pytest.mark.parametrize("agent", ["random:0.3", "bag:18"])
def test_no_responder_finds_more_than_there_is(agent, tmp_path):
    """In one expedition for score, where the gain of a best response is computed exactly (docs/best_response.md)."""
    task = TASKS["expedition-2"]
    true = exploitability(make(agent), task)["exploitability"]
    game = DeviationGame(make(agent), 2, task.game.played(), "score", blank_rivals=True)
    runs = response_runs(game, CONFIG, tmp_path)
    for run in runs:
        run.finish()
    found = report(runs, game, CONFIG)
    kinds = [found.members, found.searched, [found.lookahead.summed]]
    best = [max(gains, key=lambda each: each.gain.mean).among(len(gains)) for gains in kinds]
    assert all(each.low < true for each in best)
    assert max(each.mean for each in best) > 0.5 * true
