"""The benchmark: its tasks, its algorithms, its runs, its page."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from diamant_env import Batch, Observations
from diamant_env.opponents.inputs import INPUTS
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.pools import load_pool
from train.algorithms import stable_baselines as sb3
from train.algorithms.counting import CountedVecEnv, Meter
from train.benchmark import Arguments, benchmark, benchmark_runs
from train.benchmarking.algorithms import ALGORITHMS, REFERENCES, Algorithm, algorithm_table, find_algorithms
from train.benchmarking.benchmark_run import BenchmarkRun
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.folder import PAGE, RESULTS
from train.benchmarking.reporting.pictures import PLANE
from train.benchmarking.results import RESULT
from train.benchmarking.suite import TASKS, find_tasks
from train.runs.config import read_config

ROOT = Path(__file__).parents[2]
RESPONSE = {
    **{"seeds": 1, "checkpoints": 1, "pick_games": 100, "report_games": 100, "pools": []},
    "ppo": {"decisions": 300, "games": 8, "turns": 16, "minibatch": 64},
    "search": {"games": 0},
}
SMALL = {
    **{"decisions": 800, "checkpoints": 2, "games": 100, "network": {"hidden": [8]}, "response": RESPONSE},
    "ppo": {**BenchmarkConfig().ppo.model_dump(), "games": 8, "turns": 16},
}
CONFIG = BenchmarkConfig.model_validate(SMALL)
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
    named = {"tasks": ("solitaire", "full-3-win"), "algorithms": ("mine",), "seeds": 2, "settings": CONFIG}
    return benchmark(Arguments(out=folder, **{**named, **more}))


def run_of(task, algorithm, folder, config=CONFIG, seed=5):
    return BenchmarkRun(TASKS[task], ALGORITHMS[algorithm], seed, folder, config)


def test_the_suite_is_ten_tasks():
    expeditions = [f"expedition-{players}" for players in range(2, 6)]
    full = ["full-3-win", "full-4-win", "full-4-score", "full-8-win", "hidden-4-win"]
    assert list(TASKS) == [*expeditions, "solitaire", *full]
    assert {name for name, task in TASKS.items() if task.seeds == 5} == {*expeditions, "full-4-win"}
    for task in TASKS.values():
        edition = task.game.played()
        assert task.game.blank == (task.family == "expedition")
        assert edition.hidden_chests == (task.name == "hidden-4-win")
        assert edition.expeditions == (1 if task.family == "expedition" else 5)
        assert task.family == (task.game.reward if task.players > 1 and edition.expeditions > 1 else task.family)


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
    meter, config = Meter(tmp_path / "spent"), run_of("full-4-win", "a2c", tmp_path).experiment()
    sb3.learn(make_model, config, meter, tmp_path)
    assert CONFIG.decisions <= meter.spent() < CONFIG.decisions + sb3.ROWS


@pytest.mark.parametrize("blank", [True, False])
def test_a_library_sees_what_our_networks_compute_from(blank, tmp_path):
    env = CountedVecEnv(Meter(tmp_path), TASKS["full-3-win"].game, 20)
    inputs = INPUTS[CONFIG.network.inputs]
    shown = sb3.Transformed(env, inputs, blank)
    assert shown.observation_space == inputs.space
    rows = shown.reset()
    for turn in range(40):
        flat = env.observations()
        deciding = flat[:, 0] == 1
        assert np.array_equal(rows[deciding], inputs(flat)[deciding])
        assert np.array_equal(rows[~deciding], 0 * rows[~deciding] if blank else inputs(flat)[~deciding])
        rows, _, done, infos = shown.step(np.full(60, turn % 3 == 2))
        assert all(("terminal_observation" in info) == over for info, over in zip(infos, done, strict=True))
        last = [info["terminal_observation"].shape for info in infos if "terminal_observation" in info]
        assert set(last) <= {(inputs.width,)}


@pytest.mark.parametrize("name", ["ppo", "fictitious", "a2c"])
def test_learners_keep_policies_for_the_curve(name, tmp_path):
    run = run_of("expedition-2", name, tmp_path)
    run.algorithm.agent(run)
    (first, path), *_ = run.checkpoints()
    assert CONFIG.decisions / 2 <= first < CONFIG.decisions
    assert NetworkAgent.load(path).inputs == CONFIG.network.inputs


def test_tasks_and_algorithms_are_found_by_name_kind_and_text():
    assert [task.name for task in find_tasks(("expedition", "full-3-win"))] == [
        "expedition-2", "expedition-3", "expedition-4", "expedition-5", "full-3-win",
    ]  # fmt: skip
    assert [each.name for each in find_algorithms(("shipped",))] == ["champion", "hunter"]
    assert [each.name for each in find_algorithms(("scripted",))] == list(REFERENCES)
    assert [each.kind for each in find_algorithms((), ("bag:11",))] == ["agent"]
    assert [each.name for each in find_algorithms(())] == list(ALGORITHMS)
    assert all(name in algorithm_table() for name in ALGORITHMS)


def test_every_algorithm_plays_what_it_can_the_first_seed_of_all_first(tmp_path):
    runs = [(run.task.name, run.algorithm.name, run.seed) for run in benchmark_runs(CONFIG, tmp_path, find_tasks(()))]
    kept = {(task, name) for task, name, _ in runs}
    assert ("expedition-3", "equilibrium") in kept
    assert ("expedition-3", "difference") not in kept
    assert ("solitaire", "league") not in kept
    assert [task for task, name in sorted(kept) if name == "lone"] == ["solitaire"]
    assert {(task, name) for task, name, seed in runs if seed == 0} == kept
    assert [seed for _, _, seed in runs] == sorted(seed for _, _, seed in runs)
    seeds = {task: sum(row[:2] == (task, "ppo") for row in runs) for task in ("full-4-win", "full-8-win")}
    assert seeds == {"full-4-win": 5, "full-8-win": 3}


def test_a_part_is_played_into_one_file_and_one_page(tmp_path, calls):
    results = part(tmp_path)
    assert len(results) == 2 * (2 + 2)  # two seeds of mine, one of each reference
    assert len(set(calls)) == 4
    content = json.loads((tmp_path / RESULTS).read_text())
    place = {(row["task"], row["algorithm"], row["seed"]): row for row in results}
    assert {(row["task"], row["algorithm"], row["seed"]): row for row in content["runs"]} == place
    assert content["config"]["decisions"] == 800
    page = (tmp_path / PAGE).read_text()
    for text in ("## solitaire", "## full-3-win", "`mine` (2)", "wins from strangers", "strongest responder's gain"):
        assert text in page
    assert (tmp_path / PLANE).stat().st_size > 5_000
    assert f"]({PLANE})" in page
    assert "- **wins from strangers**: " in page
    protocol = re.search(r"\[protocol\]\((.*?)\)", page)[1]
    assert (tmp_path / protocol).resolve() == ROOT / "docs" / "benchmark.md"
    for row in results:
        assert row["budget"] == (800 if row["algorithm"] == "mine" else 0)
        assert row["decisions"] == 0  # mine plays none
        assert row["measure_cpu_seconds"] > 0
        assert set(row["measures"]) == ({"score"} if row["task"] == "solitaire" else {"held_out", "gain"})


def test_runs_are_played_by_several_processes(tmp_path):
    def figures(folder, workers):
        chosen = {"tasks": ("solitaire",), "algorithms": ("a2c",), "agents": ("bag:11",)}
        rows = part(folder, workers=workers, **chosen)
        return [(row["algorithm"], row["seed"], row["measures"]) for row in rows]

    assert figures(tmp_path / "1", 1) == figures(tmp_path / "2", 2)


def test_the_figures_alone_fill_a_folder(tmp_path, calls):
    before = part(tmp_path / "old", seeds=1)
    (tmp_path / "new").mkdir()
    shutil.copy(tmp_path / "old" / RESULTS, tmp_path / "new")
    calls.clear()
    assert part(tmp_path / "new", seeds=1) == before
    assert calls == []
    assert len(part(tmp_path / "new", seeds=2)) == len(before) + 2


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
    for damage in ("", "{", '{"task": "full-3-win"}', json.dumps({**whole, "measures": None}), json.dumps([1])):
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
    assert len(part(tmp_path, algorithms=None, agents=("bag:11",), tasks=("solitaire",))) == 3
    names = [row["algorithm"] for row in json.loads((tmp_path / RESULTS).read_text())["runs"]]
    assert sorted(set(names)) == ["bag:11", "ev:0.75", "mine", "random:0.2"]  # the page has all that is there
    with pytest.raises(ValueError, match="has runs of another decisions; give another folder by --out"):
        part(tmp_path, tasks=("solitaire",), settings=CONFIG.model_copy(update={"decisions": 900}))


def test_the_strongest_responder_is_reported(tmp_path, calls):
    result = run_of("full-3-win", "mine", tmp_path).play()
    assert result["measures"]["gain"]["by"] == "PPO scratch 0"
    pools = BenchmarkConfig.model_validate({**SMALL, "response": {**RESPONSE, "pools": ["pool"]}})
    result = run_of("full-3-win", "ev:0.75", tmp_path / "ev", pools).play()
    assert result["measures"]["gain"]["by"] in load_pool("pool")


def test_the_protocol_is_what_the_file_says():
    assert read_config("configs/benchmark.toml", BenchmarkConfig) == BenchmarkConfig()


def test_the_quick_settings_are_the_protocol_but_for_sizes():
    quick = flat(read_config("configs/benchmark_quick.toml", BenchmarkConfig).model_dump())
    changed = {key for key, value in flat(BenchmarkConfig().model_dump()).items() if quick[key] != value}
    sizes = {"decisions", "checkpoints", "exact_players", "tree_iterations", "games", "ppo.games"}
    response = {"ppo.decisions", "pick_games", "report_games", "search.games", "search.full_games", "search.fit_games"}
    assert changed == sizes | {f"response.{key}" for key in response}


def flat(tree, path=""):
    """Return a tree of dictionaries as one, by dotted keys."""
    return {
        key: value
        for name, each in tree.items()
        for key, value in (flat(each, f"{path}{name}.") if isinstance(each, dict) else {f"{path}{name}": each}).items()
    }


def test_the_folders_of_runs_stay_where_they_were(tmp_path):
    part, agents = (find_tasks(("full-3-win",)), 1), ("bag:11", "mixture:5,15")
    found = benchmark_runs(BenchmarkConfig(), tmp_path, *part, ("maskable-ppo", "mirror-descent"), agents)
    names = ["maskable-ppo", "mirror-descent", "random-0.2", "ev-0.75", "bag-11", "mixture-5-15"]
    assert [run.folder for run in found] == [tmp_path / "runs" / "full-3-win" / name / "0" for name in names]
