"""Benchmark suite: tasks, algorithms, runs, page."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from diamant_env import Edition, exact, find_edition
from diamant_env.benchmark import TASKS
from diamant_env.evaluation import evaluation
from diamant_env.evaluation.games import play
from diamant_env.opponents.network import NetworkAgent
from diamant_env.storage.results import processor
from tests.support.play import text_of
from train.benchmark import Arguments, benchmark, benchmark_runs, find_tasks, read_seeds
from train.benchmarking.algorithms import ALGORITHMS, Algorithm
from train.benchmarking.benchmark_run import RESULT, BenchmarkRun, digest_of_task
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.folder import MARL_EVAL, PAGE, RESULTS, BenchmarkFolder
from train.runs.arguments import read_config
from train.runs.run_folder import POLICY, locked

ROOT = Path(__file__).parents[2]
RESPONSE = {
    **{"seeds": 1, "checkpoints": 1, "selection_games": 100, "test_games": 100, "pools": []},
    "ppo": {"decisions": 300, "games": 8, "turns": 16, "minibatch": 64},
    "values": {"self_play": 0},
}
SMALL = {
    **{"decisions": 800, "checkpoints": 2, "games": 100, "network": {"hidden": [8]}, "response": RESPONSE},
    "exact_players": 1,
    "rows": 16,
}
CONFIG = BenchmarkConfig.model_validate(SMALL)


@pytest.fixture
def calls(monkeypatch):
    """Register an algorithm; return the list of runs that it was called for."""
    asked = []

    def agent(run):
        asked.append((run.task.name, seed := run.experiment().seed))
        return f"bag:{4 + seed % 7}", 0

    monkeypatch.setitem(ALGORITHMS, "mine", Algorithm("mine", "learned", "an entry", agent))
    return asked


def part(folder, **more):
    """Run a part of the suite that takes seconds."""
    named = {"tasks": ("expedition-2", "full-4-win"), "algorithms": ("mine",), "seeds": "2", "settings": CONFIG}
    return benchmark(Arguments(out=folder, **{**named, **more}))


def run_of(task, algorithm, folder, config=CONFIG, seed=5):
    return BenchmarkRun(TASKS[task], ALGORITHMS[algorithm], seed, folder, config)


def test_runs_are_ordered_by_seed_and_skip_unplayable_tasks(tmp_path):
    runs = [(run.task.name, run.algorithm.name, run.seed) for run in benchmark_runs(CONFIG, tmp_path, find_tasks(()))]
    kept = {(task, name) for task, name, _ in runs}
    assert ("expedition-3", "equilibrium") in kept
    assert [task for task, name in sorted(kept) if name == "hunter"] == [
        *("full-2-win", "full-4-win", "full-8-win", "small-3-win", "small-4-win")
    ]
    assert {(task, name) for task, name, seed in runs if seed == 0} == kept
    assert [seed for _, _, seed in runs] == sorted(seed for _, _, seed in runs)
    seeds = Counter((task, name) for task, name, _ in runs)
    assert [seeds[task, "ppo"] for task in ("full-4-win", "expedition-5")] == [5, 10]
    assert [seeds[task, "champion"] for task in ("full-4-win", "full-2-win", "small-3-win")] == [5, 1, 1]


@pytest.mark.parametrize(("words", "seeds"), [("3", [0, 1, 2]), ("7:8", [7]), ("4:6", [4, 5])])
def test_seeds_are_a_number_or_a_range(words, seeds, tmp_path):
    runs = benchmark_runs(CONFIG, tmp_path, find_tasks(("full-4-win",)), read_seeds(words), ("ppo",))
    assert [run.seed for run in runs if run.algorithm.name == "ppo"] == seeds
    assert {run.seed for run in runs if run.algorithm.kind == "scripted"} == {0}


def test_suite_writes_results_and_page(tmp_path, calls):
    results = part(tmp_path, settings=CONFIG.model_copy(update={"exact_players": 2}))
    assert len(results) == 2 * (2 + 2)  # two seeds of mine, one of each reference
    assert len(set(calls)) == 4
    content = json.loads((tmp_path / RESULTS).read_text())
    place = {(row["task"], row["algorithm"], row["seed"]): row for row in results}
    assert {(row["task"], row["algorithm"], row["seed"]): row for row in content["runs"]} == place
    assert content["config"]["decisions"] == 800
    assert json.loads((tmp_path / MARL_EVAL).read_text())["diamant_env"].keys() == {"expedition-2", "full-4-win"}
    page = (tmp_path / PAGE).read_text()
    for text in (
        "## expedition-2",
        "## full-4-win",
        "`mine` (2)",
        "held-out win share",
        "strongest response's gain",
    ):
        assert text in page
    protocol = re.search(r"\[protocol\]\((.*?)\)", page)[1]
    assert (tmp_path / protocol).resolve() == ROOT / "docs" / "benchmark_tasks.md"
    for row in results:
        assert row["budget"] == (800 if row["algorithm"] == "mine" else 0)
        assert row["decisions"] == 0  # an untrained agent
        assert row["measure_cpu_seconds"] > 0
        assert (row["processor"], row["threads"]) == (processor(), 1)
        assert row["instruction_set"]
        assert set(row["measures"]) == ({"held_out", "exact" if row["task"] == "expedition-2" else "gain"})
        assert row["measures"].get("gain", {}).get("no_values", "values.self_play = 0") == "values.self_play = 0"


def test_workers_do_not_change_results(tmp_path):
    def figures(workers):
        chosen = {"tasks": ("expedition-2",), "algorithms": None, "agents": ("bag:11",), "workers": workers}
        return [(row["algorithm"], row["measures"]) for row in part(tmp_path / str(workers), **chosen)]

    assert figures(1) == figures(2)


def test_interrupted_run_is_repeated(tmp_path, calls, monkeypatch):
    with monkeypatch.context() as patch:
        measure = BenchmarkRun.measure

        def interrupted(run, agent):
            if run.algorithm.name == "ev:0.75":
                raise KeyboardInterrupt
            return measure(run, agent)

        patch.setattr(BenchmarkRun, "measure", interrupted)
        with pytest.raises(KeyboardInterrupt, match="resumes"):
            part(tmp_path, tasks=("expedition-2",))
    finished = len(json.loads((tmp_path / RESULTS).read_text())["runs"])
    assert (tmp_path / PAGE).read_text().count("| `") == finished == 2
    assert len(part(tmp_path, tasks=("expedition-2",))) == 4


def test_other_settings_need_another_folder(tmp_path, calls):
    part(tmp_path, seeds="1", tasks=("expedition-2",))
    assert len(part(tmp_path, seeds="2", tasks=("expedition-2",))) == 4  # more seeds of the same settings
    assert len(part(tmp_path, algorithms=None, agents=("bag:11",), tasks=("expedition-2",))) == 3
    names = [row["algorithm"] for row in json.loads((tmp_path / RESULTS).read_text())["runs"]]
    assert sorted(set(names)) == ["bag:11", "ev:0.75", "mine", "random:0.2"]  # earlier results are kept
    with pytest.raises(ValueError, match="decisions"):
        part(tmp_path, tasks=("expedition-2",), settings=CONFIG.model_copy(update={"decisions": 900}))


def test_folder_is_locked_while_in_use(tmp_path, calls):
    with locked(tmp_path), pytest.raises(BlockingIOError, match="in use"):
        part(tmp_path)
    assert calls == []
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_response_is_selected_and_reported_in_other_games_paired_by_seed(tmp_path, monkeypatch):
    played = []

    def record(agents, *rest):
        result = play(agents, *rest)
        played.append((str(agents[0]), frozenset(result.keys.tolist())))
        return result

    monkeypatch.setattr(evaluation, "play", record)
    values = {"self_play": 100, "paths": 100, "minibatches": 2, "lambdas": [0], "hidden": [4]}
    (tmp_path / "one.toml").write_text('agents = ["cards:7"]')
    response = {**RESPONSE, "values": values, "pools": [str(tmp_path / "one.toml")]}
    config = BenchmarkConfig.model_validate({**SMALL, "response": response})
    task = TASKS["full-4-win"]._replace(edition="iello-2016/expeditions:1")

    def gain(agent, seed):
        algorithm = Algorithm("mine", "learned", "two fits", lambda _: (agent, 0), fits=2)
        played.clear()
        measured = BenchmarkRun(task, algorithm, seed, tmp_path, config)._gain(agent)
        first = measured["by"] == "value iteration"  # then its games are not repeated
        selection, reports = (played[-5:-1], played[-1:]) if first else (played[-6:-2], played[-2:])
        assert [name for name, _ in reports] == list(dict.fromkeys([measured["by"], "value iteration"]))
        names, games = zip(*selection, strict=True)
        assert names == ("value iteration", "value iteration 1", "PPO scratch 0", "cards:7")
        (selected,), (fresh,) = {*games}, {games for _, games in reports}
        assert not selected & fresh
        return selected, fresh

    games = gain("ev:0.75", 0)
    assert gain("bag:9", 0) == games
    assert not frozenset().union(*games) & frozenset().union(*gain("bag:9", 1))


def test_full_game_of_two_players_has_exact_joint_decisions(tmp_path):
    edition = Edition("repeated", (5, 5), ("mud", "wind"), trap_copies=2, expeditions=2)
    task = TASKS["full-2-win"]._replace(edition=text_of(edition))
    run = BenchmarkRun(task, ALGORITHMS["ppo"], 0, tmp_path, CONFIG.model_copy(update={"exact_players": 2}))
    measures = run.play()["measures"]
    network = NetworkAgent.load(tmp_path / POLICY)
    share = exact.guaranteed_by(network, exact.solve_two_player_win(edition)).value  # without the wrapper
    assert measures["joint"]["nash_conv"] == pytest.approx(1 - 2 * share, abs=1e-9)
    assert share < 0.5
    assert 0 < measures["minimax"]["win"]["mean"] < 0.6
    assert "joint" not in replace(run, seed=1).measure("bag:6")
    assert run.measure("minimax")["joint"]["nash_conv"] == pytest.approx(0, abs=1e-6)


def test_published_results_open(tmp_path):
    assert read_config("configs/benchmark.toml", BenchmarkConfig) == BenchmarkConfig()
    published = json.loads((ROOT / "docs" / "measured" / RESULTS).read_text())
    (tmp_path / RESULTS).write_text(json.dumps(published))
    BenchmarkFolder(tmp_path, BenchmarkConfig.model_validate(published["config"]))
    assert len(list(tmp_path.rglob(RESULT))) == len(published["runs"])


DIGESTS = {
    "expedition-2": "3f8e057565d2e830",
    "expedition-3": "49de0ec41296d54c",
    "expedition-5": "7fc505844782570b",
    "small-3-win": "7ff1e0285df5fc54",
    "small-3-score": "8675b5b5ebd5953d",
    "small-4-win": "5431515df3ccc4e9",
    "game-2-score": "55c21f8cfd338583",
    "full-2-win": "1b464b6c248c3001",
    "full-4-win": "bf6896c1c5829fc5",
    "full-8-win": "5ec81a86b6f966e3",
}


def test_no_task_has_the_tuning_deck():
    deck = Edition.load(ROOT / "configs" / "tuning_edition.toml")
    editions = [find_edition(task.edition) for task in TASKS.values()]
    assert all((edition.treasures, edition.traps) != (deck.treasures, deck.traps) for edition in editions)


def test_task_digests_are_unchanged():
    assert {name: digest_of_task(task) for name, task in TASKS.items()} == DIGESTS, (
        "a task has changed: raise BenchmarkTask.version"
    )
