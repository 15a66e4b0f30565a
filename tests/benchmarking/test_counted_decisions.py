"""Counted decisions of a task's environments, copies and other processes included."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from diamant_env import NUM_FEATURES, Batch, Observations, columns
from diamant_env.observation import RIVALS
from diamant_env.opponents.network import NetworkAgent
from diamant_env.sb3 import DiamantVecEnv, GymnasiumVecEnv
from train.algorithms.counting import CountedBatch, CountedVecEnv, Meter
from train.benchmarking.algorithms import ALGORITHMS
from train.benchmarking.benchmark_run import BenchmarkRun
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.entry import EntryTask
from train.benchmarking.suite import TASKS

SMALL = BenchmarkConfig(
    decisions=800,
    checkpoints=2,
    ppo=BenchmarkConfig().ppo.model_copy(update={"games": 8, "turns": 16}),
    network={"hidden": [8]},
)
BUDGET = 1000
ABOUT_RIVALS = columns(*(field.name for field in RIVALS))


@pytest.fixture
def task(tmp_path):
    """Return a function that makes the task passed to a user's function."""

    def given(name="full-4-score"):
        found, meter = TASKS[name], Meter(tmp_path / "spent")
        game = found.game
        edition = game.judged_edition()
        return EntryTask(name, found.players, edition, game.reward, game.blank, BUDGET, game, meter, print)

    return given


def test_meter_counts_from_0_after_clear(tmp_path):
    meter = Meter(tmp_path)
    meter.add(3)
    meter.clear()
    meter.add(2)
    assert meter.spent() == 2


def test_batch_counts_seats_inside(task):
    mine = task()
    batch, rng, expected = mine.batch(20), np.random.default_rng(0), 0
    batch.reset(seed=1)
    for turn in range(40):
        expected += int(batch.must_decide.sum())
        actions = (rng.random((20, 4)) < 0.3).astype(np.int8)
        batch.step(actions, auto_reset=True) if turn % 2 else batch.play(actions)
        assert mine.left == BUDGET - expected
    with pytest.raises(ValueError, match="action 2 of seat"):
        batch.step(np.full((20, 4), 2, np.int8))
    assert mine.left == BUDGET - expected < 0


@pytest.mark.parametrize("opponents", [(), "bag:11"])
def test_vec_env_counts_learner_rows_inside(task, opponents):
    mine = task()
    env = mine.vec_env(16, opponents)
    seen, expected = env.reset(), 0
    assert len(seen) == (16 if opponents else 64)
    for _ in range(30):
        expected += int((seen[:, 0] == 1).sum())
        seen, _, _, _ = env.step(np.random.default_rng(expected).integers(0, 2, len(seen)))
        assert mine.left == BUDGET - expected


@pytest.mark.parametrize("name", ["full-4-score", "expedition-3"])
def test_pettingzoo_counts_agents_inside(task, name):
    mine = task(name)
    env, expected = mine.parallel_env(), 0
    batch = Batch(1, mine.players, mine.edition, mine.reward, blank_rivals=mine.blank)
    seen, infos = env.reset(seed=3)
    rows = batch.reset(seed=3)
    while env.agents:
        assert np.array_equal(np.stack(list(seen.values())), rows[0])  # blank_rivals included
        expected += sum(info["active"] for info in infos.values())
        actions = {agent: int(seat == expected % mine.players) for seat, agent in enumerate(env.agents)}
        rows, paid, _ = batch.step(np.array([list(actions.values())], np.int8))
        seen, rewards, _, _, infos = env.step(actions)
        assert list(rewards.values()) == paid[0].tolist()
        assert mine.left == BUDGET - expected
    assert expected > 5


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("name", ["full-3-win", "expedition-2"])
def test_gymnasium_counts_steps(task, name, mode):
    mine = task(name)
    one, many = mine.gym_env("bag:11"), mine.gym_vec(3, "bag:11", autoreset_mode=mode)
    seen, _ = one.reset(seed=1)
    rows, _ = many.reset(seed=1)
    expected, over, waiting = 0, False, np.zeros(3, bool)
    assert np.array_equal(rows[0], seen)
    for turn in range(40):
        if over:
            seen, _ = one.reset()
        if mode == AutoresetMode.DISABLED and waiting.any():
            rows, _ = many.reset(options={"reset_mask": waiting})
            waiting[:] = False
        expected += 1 + 3 - int(waiting.sum())
        seen, _, over, _, _ = one.step(turn % 5 == 4)
        rows, _, ended, _, infos = many.step(np.full(3, turn % 5 == 4, np.int64))
        waiting = ended.copy() if mode != AutoresetMode.SAME_STEP else waiting
        assert mine.left == BUDGET - expected
        for flat in (seen[None], rows, *(row[None] for row in infos.get("final_obs", ()) if row is not None)):
            assert not (mine.blank and flat[:, ABOUT_RIVALS].any())
    if mode == AutoresetMode.SAME_STEP:
        assert GymnasiumVecEnv(many).reset().shape == (3, NUM_FEATURES)


def _play(env):
    env.reset(seed=0)
    env.step(np.zeros((5, 4), np.int8))


def test_copies_and_child_processes_count(task):
    mine = task()
    batch = mine.batch(5)
    batch.reset(seed=0)
    for other in (batch, copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))):
        _play(other)
    before = len(list(batch.meter.folder.iterdir()))
    child = multiprocessing.get_context("fork").Process(target=_play, args=[batch])
    child.start()
    child.join()
    assert child.exitcode == 0
    assert len(list(batch.meter.folder.iterdir())) == before + 1  # one file per process: no lost updates
    _play(pickle.loads(pickle.dumps(mine)).batch(5))
    assert mine.left == BUDGET - 5 * 20
    again = copy.deepcopy(mine.parallel_env())
    again.reset(seed=0)
    again.step(dict.fromkeys(again.agents, 0))
    assert mine.left == BUDGET - 5 * 20 - 4


def counting(monkeypatch, stop=None):
    """Count the decisions of learning seats independently of the meter; return a list of counts per turn.

    Turn number `stop` is interrupted.
    """
    made, play, step = [], DiamantVecEnv.play, Batch.step

    def counted(self, actions):
        if isinstance(self, CountedVecEnv):  # not the warm-up of the engine
            interrupted = len(made) == stop
            made.append(0 if interrupted else int(np.count_nonzero(self.batch.must_decide.reshape(-1)[self.rows])))
            if interrupted:
                raise KeyboardInterrupt
        return play(self, actions)

    def counted_step(self, *arrays, **how):
        if isinstance(self, CountedBatch):
            made.append(int(np.count_nonzero(self.must_decide)))
        return step(self, *arrays, **how)

    monkeypatch.setattr(DiamantVecEnv, "play", counted)
    monkeypatch.setattr(Batch, "step", counted_step)
    return made


LEARNED = [name for name, algorithm in ALGORITHMS.items() if algorithm.kind == "learned"]


@pytest.mark.parametrize("name", LEARNED)
def test_learner_is_counted_and_deterministic_and_gives_an_agent(name, tmp_path, monkeypatch):
    if name == "maskable-ppo":
        pytest.importorskip("sb3_contrib")
    task, made = TASKS["full-3-win"], counting(monkeypatch)
    runs = [
        BenchmarkRun(task, ALGORITHMS[name], seed, tmp_path / place, SMALL)
        for place, seed in zip("abc", (5, 5, 6), strict=True)
    ]
    agent = runs[0].algorithm.agent(runs[0])
    assert SMALL.decisions <= runs[0].meter.spent() == sum(made) < SMALL.decisions + 24 * 16  # one rollout more
    assert isinstance(agent, NetworkAgent)
    rows = Batch(50, 3, task.game.judged_edition()).reset(1).reshape(150, -1)
    leave = agent.act(Observations(rows), np.ones(150, bool))
    assert leave.shape == (150,)
    assert ((leave >= 0) & (leave <= 1)).all()
    again, other = (run.algorithm.agent(run) for run in runs[1:])
    assert np.array_equal(agent.layers[0][0], again.layers[0][0])
    assert not np.array_equal(agent.layers[0][0], other.layers[0][0])


def test_resumed_run_counts_repeated_decisions(tmp_path, monkeypatch):
    made = counting(monkeypatch, stop=40)
    run = BenchmarkRun(TASKS["full-3-win"], ALGORITHMS["ppo"], 0, tmp_path, SMALL)
    with pytest.raises(KeyboardInterrupt):
        run.algorithm.agent(run)
    assert run.meter.spent() == sum(made) > 0
    (_, kept), *_ = run.checkpoints()
    assert kept.is_file()
    run.algorithm.agent(run)
    last, _ = run.checkpoints()[-1]
    assert run.meter.spent() == sum(made) > last >= SMALL.decisions
