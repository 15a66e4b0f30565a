"""Environments of a task, and the decisions of the learning algorithms."""

import numpy as np
import pytest

from diamant_env import Batch, Observations, find_edition
from diamant_env.benchmark import TASKS
from diamant_env.opponents.network import NetworkAgent
from diamant_env.sb3 import DiamantVecEnv
from train.algorithms import response_oracles
from train.benchmarking.algorithms import ALGORITHMS
from train.benchmarking.benchmark_run import BenchmarkRun
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.entry import EntryTask
from train.runs.run_folder import LAST

SMALL = BenchmarkConfig(decisions=800, rows=24, checkpoints=2, network={"hidden": [8]})


def test_environments_have_the_game_of_the_task():
    for task in (TASKS["expedition-3"], TASKS["full-4-win"]):
        entry = EntryTask.of(task, print)
        single, many = entry.gym_env("bag:11")._games.batch, entry.gym_vec(3, "bag:11")._games.batch
        for batch in (entry.batch(3), entry.vec_env(3).batch, entry.parallel_env()._batch, single, many):
            assert batch.editions == (find_edition(task.edition),)
            assert set(batch.num_players) == {task.players}
            assert batch.reward == task.reward


@pytest.fixture
def made(monkeypatch):
    """Count the decisions of learning rows, and of the last distillation, by other means than the learners."""
    counts, play, distilled = [], DiamantVecEnv.play, response_oracles.distilled

    def counted(self, actions):
        if len(self.rows) > 2:  # not the warm-up of the engine
            counts.append(int(np.count_nonzero(self.batch.must_decide.reshape(-1)[self.rows])))
        return play(self, actions)

    def counted_too(population, config, decisions, folder=None):
        network, played = distilled(population, config, decisions, folder)
        if folder:  # not for a checkpoint
            counts.append(played)
        return network, played

    monkeypatch.setattr(DiamantVecEnv, "play", counted)
    monkeypatch.setattr(response_oracles, "distilled", counted_too)
    return counts


LEARNED = [name for name, algorithm in ALGORITHMS.items() if algorithm.kind == "learned"]


@pytest.mark.parametrize("name", LEARNED)
def test_learner_is_counted_and_deterministic_and_gives_an_agent(name, tmp_path, made):
    if name == "maskable-ppo":
        pytest.importorskip("sb3_contrib")
    task = TASKS["small-3-win"]
    runs = [
        BenchmarkRun(task, ALGORITHMS[name], seed, tmp_path / place, SMALL)
        for place, seed in zip("abc", (5, 5, 6), strict=True)
    ]
    agent, decisions = runs[0].algorithm.agent(runs[0])
    assert SMALL.decisions <= decisions == sum(made) < SMALL.decisions + SMALL.rows  # one turn more
    assert isinstance(agent, NetworkAgent)
    rows = Batch(50, 3, task.edition).reset(1).reshape(150, -1)
    leave = agent.act(Observations(rows), np.ones(150, bool))
    assert leave.shape == (150,)
    assert ((leave >= 0) & (leave <= 1)).all()
    again, other = (run.algorithm.agent(run)[0] for run in runs[1:])
    assert np.array_equal(agent.layers[0][0], again.layers[0][0])
    assert not np.array_equal(agent.layers[0][0], other.layers[0][0])


@pytest.mark.parametrize("name", LEARNED)
def test_last_iterate_is_saved_beside_averaged_weights(name, tmp_path):
    config = SMALL.model_copy(update={"decisions": 20_000})
    run = BenchmarkRun(TASKS["small-3-win"], ALGORITHMS[name], 0, tmp_path, config)
    averaged, last = run.algorithm.agent(run)[0].layers[0][0], NetworkAgent.load(run.training / LAST).layers[0][0]
    assert 0 < np.abs(averaged - last).max() < 1
