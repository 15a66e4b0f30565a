"""Learned responders against exact best responses."""

import pytest

from diamant_env.judging.deviation import DeviationGame
from diamant_env.opponents import make
from train.benchmarking.benchmark_run import exploitability
from train.benchmarking.suite import TASKS
from train.responding.config import SearchConfig
from train.responding.result import report
from train.responding.search import response_runs

CONFIG = SearchConfig.model_validate(
    {
        **{"seeds": 1, "checkpoints": 2, "pick_games": 200, "report_games": 1500},
        "ppo": {"decisions": 20_000, "games": 64, "turns": 16, "minibatch": 256},
        "search": {"full_games": 60, "pairs": 16, "value_pairs": 8},
    }
)


@pytest.mark.parametrize("agent", ["bag:18"])
def test_responders_stay_below_exact_best_response(agent, tmp_path):
    task = TASKS["expedition-2"]
    true = exploitability(make(agent), task)["exploitability"]
    game = DeviationGame(make(agent), 2, task.game.played(), "score")
    runs = response_runs(game, CONFIG, tmp_path)
    for run in runs:
        run.finish()
    found = report(runs, game, CONFIG)
    kinds = [found.members, found.searched, [found.lookahead.summed]]
    best = [max(gains, key=lambda each: each.gain.mean).among(len(gains)) for gains in kinds]
    assert all(each.low < true for each in best)
    assert max(each.mean for each in best) > 0.5 * true
