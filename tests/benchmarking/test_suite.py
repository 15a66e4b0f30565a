"""The benchmark: its tasks, its algorithms, its runs, its page."""

import json

import numpy as np
import pytest

from diamant_env import Batch, Observations
from diamant_env.opponents.network import NetworkAgent
from train.algorithms import stable_baselines as sb3
from train.algorithms.counting import Meter
from train.benchmark import RESULTS, Arguments, benchmark, benchmark_runs
from train.benchmarking.algorithms import ALGORITHMS, Algorithm, algorithm_table, find_algorithms
from train.benchmarking.benchmark_run import RESULT, BenchmarkRun
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.page import PAGE, PICTURE
from train.benchmarking.suite import TASKS, find_tasks
from train.runs.config import read_config

SMALL = ("decisions=800", "games=100", "response.report_games=100", "ppo.games=8", "ppo.turns=16", "network.hidden=[8]")
CONFIG = BenchmarkConfig(
    decisions=800, games=100, network={"hidden": (8,)}, ppo={"games": 8, "turns": 16}, response={"report_games": 100}
)
LEARNED = [name for name, algorithm in ALGORITHMS.items() if algorithm.kind == "learned"]


@pytest.fixture
def calls(monkeypatch):
    """An algorithm of one's own, added in one place, and the runs that it was asked for."""
    asked = []

    def agent(run):
        asked.append((run.task.name, seed := run.experiment().seed))
        return f"bag:{4 + seed % 7}"

    monkeypatch.setitem(ALGORITHMS, "mine", Algorithm("mine", "learned", "one's own", agent))
    return asked


def part(folder, **more):
    """A part of the suite that takes seconds."""
    named = {"tasks": ("solitaire", "full-3-win"), "algorithms": ("mine",), "seeds": 2, "set": SMALL}
    return benchmark(Arguments(out=folder, **{**named, **more}))


def run_of(task, algorithm, folder, config=CONFIG, seed=5):
    return BenchmarkRun(TASKS[task], ALGORITHMS[algorithm], seed, folder, config)


def test_the_tasks_are_those_of_the_suite():
    full = [f"full-{players}-{reward}" for players in range(3, 9) for reward in ("win", "score", "margin")]
    assert list(TASKS) == ["solitaire", *(f"expedition-{players}" for players in range(2, 6)), *full]
    for task in TASKS.values():
        edition = task.game.played()
        assert task.game.blank == (task.family == "expedition")
        assert edition.expeditions == (1 if task.family == "expedition" else 5)
        assert (
            Batch(1, task.players, edition, task.game.reward, blank_rivals=task.game.blank).reset(0).shape[1]
            == task.players
        )


@pytest.mark.parametrize("name", LEARNED)
def test_each_learner_gives_an_agent_that_plays(name, tmp_path):
    if name == "maskable-ppo":
        pytest.importorskip("sb3_contrib")
    task = TASKS["full-3-win"]
    learn = ALGORITHMS[name].agent
    agent = learn(run_of(task.name, name, tmp_path))
    assert isinstance(agent, NetworkAgent)
    rows = Batch(50, 3, task.game.played()).reset(1).reshape(150, -1)
    leave = agent.act(Observations(rows), np.ones(150, bool))
    assert leave.shape == (150,)
    assert ((leave >= 0) & (leave <= 1)).all()
    again, other = (learn(run_of(task.name, name, tmp_path / str(seed), seed=seed)) for seed in (5, 6))
    assert np.array_equal(agent.layers[0][0], again.layers[0][0])
    assert not np.array_equal(agent.layers[0][0], other.layers[0][0])


@pytest.mark.parametrize("make_model", [sb3.a2c, sb3.dqn])
def test_a_library_stops_when_its_decisions_are_used_up(make_model, tmp_path):
    meter = Meter(tmp_path)
    sb3.learn(make_model, run_of("full-4-win", "a2c", None).experiment(), meter)
    assert CONFIG.decisions <= meter.spent() < CONFIG.decisions + sb3.ROWS


def test_tasks_and_algorithms_are_found_by_name_kind_and_text():
    assert [task.name for task in find_tasks(("expedition", "full-3-win"))] == [
        "expedition-2", "expedition-3", "expedition-4", "expedition-5", "full-3-win",
    ]  # fmt: skip
    assert [each.name for each in find_algorithms(("exact",))] == ["equilibrium", "difference", "lone"]
    assert len(find_algorithms(("scripted",))) == 18
    assert [each.kind for each in find_algorithms((), ("bag:11",))] == ["agent"]
    assert [each.name for each in find_algorithms(())] == list(ALGORITHMS)
    assert all(name in algorithm_table() for name in ALGORITHMS)


def test_who_can_not_play_a_task_is_left_out(tmp_path):
    kept = {(run.task.name, run.algorithm.name) for run in benchmark_runs(BenchmarkConfig(seeds=1), tmp_path)}
    assert ("expedition-2", "catch-up:16,0.5") not in kept  # it needs to see chests
    assert ("full-3-win", "catch-up:16,0.5") in kept
    assert ("expedition-3", "equilibrium") in kept
    assert ("expedition-3", "difference") not in kept
    assert ("solitaire", "league") not in kept
    assert ("full-3-score", "ppo-score") not in kept
    assert [task for task, name in sorted(kept) if name == "lone"] == ["solitaire"]


def test_a_part_is_played_into_one_file_and_one_page(tmp_path, calls):
    results = part(tmp_path)
    assert len(results) == 2 * (2 + 2)  # two seeds of mine, one of each reference
    assert len(set(calls)) == 4
    content = json.loads((tmp_path / RESULTS).read_text())
    place = {(row["task"], row["algorithm"], row["seed"]): row for row in results}
    assert {(row["task"], row["algorithm"], row["seed"]): row for row in content["runs"]} == place
    assert content["config"]["decisions"] == 800
    assert set(content["aggregates"]) == {"all", "solitaire", "win"}
    page = (tmp_path / PAGE).read_text()
    for text in ("## solitaire", "## full-3-win", "`mine`", "held-out", "largest gain found", "its lower end, 95 %"):
        assert text in page
    assert (tmp_path / PICTURE).stat().st_size > 5_000
    for row in results:
        measures = row["measures"]
        assert row["budget"] == (800 if row["algorithm"] == "mine" else 0)
        assert row["decisions"] == 0  # mine plays none
        assert row["measure_seconds"] > 0
        if row["task"] == "full-3-win":
            assert row["points"] == measures["held_out"]["win"]["mean"]
            assert measures["gain"]["at_least"]["low"] < measures["gain"]["at_least"]["mean"]
        else:
            assert row["points"] == measures["self_play_score"]["mean"]


def test_finished_runs_are_skipped_and_damaged_ones_played_again(tmp_path, calls, monkeypatch):
    before = part(tmp_path)
    asked = list(calls)
    calls.clear()
    with monkeypatch.context() as patch:  # nothing is measured again
        patch.setattr(BenchmarkRun, "measure", None)
        assert part(tmp_path) == before
    assert calls == []
    file = tmp_path / "runs" / "full-3-win" / "mine" / "1" / RESULT
    whole = json.loads(file.read_text())
    for damage in ("", "{", '{"task": "full-3-win"}', json.dumps({**whole, "points": None}), json.dumps([1])):
        calls.clear()
        file.write_text(damage)
        again = part(tmp_path)
        assert calls == [asked[-1]]
        assert [row["measures"] for row in again] == [row["measures"] for row in before]


def test_a_run_that_was_cut_off_is_played_again(tmp_path, calls, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(BenchmarkRun, "measure", lambda *args: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            part(tmp_path)
    assert json.loads((tmp_path / RESULTS).read_text())["runs"] == []
    assert len(part(tmp_path, tasks=("solitaire",))) == 4


def test_other_settings_want_another_folder(tmp_path, calls):
    part(tmp_path, seeds=1, tasks=("solitaire",))
    assert len(part(tmp_path, seeds=2, tasks=("solitaire",))) == 4  # another part may be played into the same one
    assert len(part(tmp_path, algorithms=(), agents=("bag:11",), tasks=("solitaire",))) == 3
    names = [row["algorithm"] for row in json.loads((tmp_path / RESULTS).read_text())["runs"]]
    assert sorted(set(names)) == ["bag:11", "ev:0.75", "mine", "random:0.2"]  # the page has all that is there
    with pytest.raises(ValueError, match="has runs of another decisions; give another folder by --out"):
        part(tmp_path, tasks=("solitaire",), set=(*SMALL, "decisions=900"))


def test_a_response_can_be_learned_in_each_run(tmp_path, calls):
    ppo = {"decisions": 800, "games": 20, "turns": 16, "minibatch": 128}
    few = {"seeds": 1, "checkpoints": 2, "pick_games": 100, "report_games": 100, "pools": (), "network": CONFIG.network}
    few["search"] = {"games": 0}
    config = CONFIG.model_copy(update={"respond": True, "response": type(CONFIG.response)(**few, ppo=ppo)})
    result = run_of("full-3-win", "mine", tmp_path, config).play()
    assert result["measures"]["gain"]["searched"] == 1
    assert result["measures"]["gain"]["by"] == "PPO scratch 0"


def test_the_protocol_is_what_the_file_says():
    assert read_config("configs/benchmark.toml", BenchmarkConfig) == BenchmarkConfig()


def test_the_folders_of_runs_stay_where_they_were(tmp_path):
    config, agents = BenchmarkConfig(tasks=("full-3-win",), seeds=1), ("bag:11", "mixture:5,15")
    found = benchmark_runs(config, tmp_path, ("follow:3,14", "ppo-score"), agents)
    names = ["follow-3-14", "ppo-score", "random-0.2", "ev-0.75", "bag-11", "mixture-5-15"]
    assert [run.folder for run in found] == [tmp_path / "runs" / "full-3-win" / name / "0" for name in names]
