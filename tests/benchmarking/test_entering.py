"""Algorithms and agents from outside enter the benchmark; what is wrong with one is one line, and nothing is lost."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from stable_baselines3 import PPO

from diamant_env import Observations
from diamant_env.opponents.network import NetworkAgent
from diamant_env.sb3 import DiamantVecEnv
from tests.support.entries import MODULE, TINY
from train.algorithms.counting import Meter
from train.benchmarking.benchmark_run import exploitability
from train.benchmarking.entry import EntryTask
from train.benchmarking.folder import PAGE, RESULTS
from train.benchmarking.playing import ERROR
from train.benchmarking.suite import TASKS
from train.runs.config import Config
from train.runs.run_folder import save_policy

ROOT = Path(__file__).parents[2]


def test_functions_enter_and_what_they_spend_is_on_the_page(enter, tmp_path):
    names = [f"my_module:{name}" for name in ("train", "greedy", "elsewhere")]
    status, said, _, rows = enter("--algorithms", *names)
    assert status == 0
    assert [line for line in said.splitlines() if line.startswith("[")] == [
        f"[{number}/5] solitaire {name} 0 …" for number, name in enumerate([*names, "random:0.2", "ev:0.75"], 1)
    ]
    mine, greedy, elsewhere = (rows[name] for name in names)
    assert 150 <= mine["decisions"] < 160
    assert 600 <= greedy["decisions"] < 610
    assert elsewhere["decisions"] == 0
    assert {row["budget"] for row in (mine, greedy, elsewhere)} == {300}
    assert mine["measures"] == greedy["measures"]  # the same agent in the same games
    page = (tmp_path / "runs" / "benchmark" / PAGE).read_text()
    for name, mark in zip(names, ("50% of the budget", "100% over budget", "no decision was counted"), strict=True):
        assert f"| `{name}` (1), {mark} |" in page


def test_a_checkpoint_is_a_point_of_the_curve_also_after_an_interruption(enter, tmp_path):
    status, _, errors, rows = enter("--algorithms", "my_module:curved")
    assert (status, "my_module:curved" in rows) == (2, False)
    assert "my_module:curved 0 failed: ZeroDivisionError: cut off" in errors
    assert re.search(r"benchmark: .*300/300 .* decisions/s\]", errors)
    status, _, _, rows = enter("--algorithms", "my_module:curved", "--agents", "bag:9", "bag:6")
    assert status == 0
    first, second = rows["my_module:curved"]["measures"]["curve"]
    assert 100 <= first["decisions"] < 110
    assert 200 <= second["decisions"] < 210
    scores = [rows[name]["measures"]["score"]["mean"] for name in ("bag:9", "bag:6")]
    assert [first["score"], second["score"]] == pytest.approx(scores)  # the same games
    assert "](benchmark-curves-solitaire.png)" in (tmp_path / "runs" / "benchmark" / PAGE).read_text()


def test_agents_enter_without_training(enter, tmp_path):
    rng = np.random.default_rng(0)
    layers = [
        (rng.normal(size=shape).astype(np.float32), np.zeros(shape[0], np.float32)) for shape in ((4, 90), (2, 4))
    ]
    save_policy(tmp_path / "mine.safetensors", NetworkAgent(layers, "relu", inputs="raw-1"), Config(), 0)
    entered = {"bag:11", "mine.safetensors", "my_module:Patient", "my_module:bag"}
    status, _, errors, rows = enter("--agents", *sorted(entered), task="full-3-win")
    assert (status, errors) == (0, "")
    assert set(rows) == entered | {"random:0.2", "ev:0.75"}
    assert {rows[name]["kind"] for name in entered} == {"agent"}
    assert {(row["decisions"], row["budget"]) for row in rows.values()} == {(0, 0)}
    scores = {name: rows[name]["measures"]["held_out"]["score"]["mean"] for name in entered}
    assert scores["bag:11"] > scores["my_module:Patient"]
    assert rows["mine.safetensors"]["version"]
    assert rows["my_module:Patient"]["version"] == rows["my_module:bag"]["version"]


def test_an_agent_is_not_played_into_the_folder_of_another(enter, tmp_path):
    before = enter("--agents", "my_module:bag")[3]
    folder = tmp_path / "runs" / "benchmark" / "runs" / "solitaire" / "my_module-bag" / "0"
    result = json.loads((folder / "result.json").read_text())
    (folder / "result.json").write_text(json.dumps({**result, "algorithm": "my_module-bag"}))
    status, _, errors, rows = enter("--agents", "my_module:bag")
    assert (status, set(rows)) == (2, before.keys() - {"my_module:bag"} | {"my_module-bag"})
    assert "has another run, solitaire my_module-bag 0; give another folder by --out" in errors


REFUSED = {
    "nowhere_at_all:train": "algorithm 'nowhere_at_all:train': there is no module nowhere_at_all",
    "broken:train": "algorithm 'broken:train': the module broken can't be imported: ModuleNotFoundError",
    "wrong:train": "algorithm 'wrong:train': the module wrong can't be imported: SyntaxError",
    "script:train": "algorithm 'script:train': the module script can't be imported: SystemExit()",
    "my_module:nobody": "algorithm 'my_module:nobody': the module my_module has no nobody",
    "my_module:number": "'my_module:number' is of type int; a function of (task, budget, seed, folder) is needed",
    "my_module:three": "takes (task, budget, seed); a function of (task, budget, seed, folder) is needed",
    "sarsa": "unknown algorithm 'sarsa'; algorithms: ppo, league",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_algorithm_is_refused_before_anything_is_played(name, enter, tmp_path):
    status, said, errors, rows = enter("--algorithms", name)
    assert (status, said, rows) == (2, "", {})
    assert errors.count("\n") == 1
    assert REFUSED[name] in errors
    assert not (tmp_path / "runs").exists()


def test_what_is_no_agent_is_refused_before_anything_is_played(enter, tmp_path):
    for text, reason in (
        ("nobody", "unknown agent 'nobody'"),
        ("my_module:number", "plays nothing; allowed:"),
        ("search:4:text:my_module:words", "answers in words, and a run would ask it a million times"),
        ("champion", "champion plays none of these tasks: solitaire"),
        ("a2c", "unknown agent 'a2c'"),
    ):
        status, _, errors, _ = enter("--agents", text)
        assert (status, errors.count("\n")) == (2, 1)
        assert reason in errors
    assert not (tmp_path / "runs").exists()


def test_a_run_that_fails_is_one_line_and_the_others_are_played(enter, tmp_path):
    names = [f"my_module:{name}" for name in ("nothing", "nan", "fails", "ends", "train")]
    status, _, errors, rows = enter("--algorithms", *names, "--agents", "my_module:breaks")
    assert status == 2
    assert errors.splitlines()[-1] == ("python -m train.benchmark: error: 5 of 8 runs failed, as the lines above say")
    failed = [line for line in errors.splitlines() if " failed: " in line]
    folder = Path("runs", "benchmark", "runs", "solitaire")
    for line, name, reason in zip(
        failed,
        [*names[:4], "my_module:breaks"],
        [
            "my_module:nothing returned an object of type NoneType, which is no agent",
            "not_a_number returned nan for row 0; a probability of LEAVE is between 0 and 1",
            "while learning",
            "my_module:ends ended by SystemExit(3) instead of returning an agent",
            "in my agent",
        ],
        strict=True,
    ):
        path = folder / name.replace(":", "-") / "0" / ERROR
        assert line.startswith(f"solitaire {name} 0 failed: ")
        assert reason in line
        assert line.endswith(f"(traceback: {path})")
        assert "Traceback" in (tmp_path / path).read_text()
    assert set(rows) == {"my_module:train", "random:0.2", "ev:0.75"}


NO_POLICY = {
    "nothing": "returned an object of type NoneType, which is no agent",
    "nan": "returned nan for row 0; a probability of LEAVE is between 0 and 1",
    "columns": "must return 256 probabilities of LEAVE, one per row, not shape (256, 2)",
    "draws": "answers the same observations differently: it decides by more than what it sees; return the probability "
    "of LEAVE, not a drawn decision",
    "remembers": "mixture:5,15 answers the same observations differently",
    "sees_chests": "looks at the rivals' chests",
}


def test_what_can_not_be_measured_is_refused_before_the_budget_is_spent(enter, tmp_path):
    words = ["--decisions", "100_000", "--exact-players", "2"]
    algorithms = [f"my_module:{name}" for name in NO_POLICY]
    status, _, errors, rows = enter("--algorithms", *algorithms, *words, task="expedition-2")
    assert (status, set(rows)) == (2, {"random:0.2", "ev:0.75"})
    failed = [line for line in errors.splitlines() if " failed: " in line]
    assert len(failed) == len(NO_POLICY)
    for line, (name, reason) in zip(failed, NO_POLICY.items(), strict=True):
        assert line.startswith(f"expedition-2 my_module:{name} 0 failed: my_module:{name} returned ")
        assert reason in line
        folder = tmp_path / "runs" / "benchmark" / "runs" / "expedition-2" / f"my_module-{name}" / "0"
        assert [path.name for path in folder.iterdir()] == [ERROR]


def test_what_draws_is_measured_where_nothing_is_solved(enter):
    status, _, errors, rows = enter("--algorithms", "my_module:draws", "my_module:remembers")
    assert (status, "failed" in errors) == (0, False)
    assert rows["my_module:draws"]["decisions"] >= 300  # those of the trial are not counted: it leaves at once
    assert rows["my_module:draws"]["decisions"] < 310


def test_the_example_of_the_guide_improves_with_the_budget(tmp_path):
    text = (ROOT / "docs" / "enter.md").read_text()
    names = {}
    exec(re.search(r"```python\n(# my_module.py.*?)```", text, re.DOTALL)[1], names)

    def nash_conv(budget):
        meter = Meter(tmp_path / str(budget))
        task = EntryTask.of(TASKS["expedition-2"], budget, meter)
        agent = names["train"](task, budget, 0, tmp_path)
        assert budget <= meter.spent() <= budget + 64
        return exploitability(agent, TASKS["expedition-2"])["nash_conv"]

    found = [nash_conv(budget) for budget in (5_000, 20_000, 100_000, 500_000)]
    assert found == sorted(found, reverse=True)
    assert found[1] > 1.5 > 0.8 > found[3]


def test_the_guide_returns_the_probability_of_a_model_of_stable_baselines3():
    text = (ROOT / "docs" / "enter.md").read_text()
    code = re.search(r"```python\n(def leave\(obs\):.*?)```", text, re.DOTALL)[1]
    env = DiamantVecEnv(4)
    names = {"model": PPO("MlpPolicy", env, n_steps=8, device="cpu", seed=0)}
    exec(code, names)
    obs = Observations(np.repeat(env.reset(), 2_000, axis=0))
    leave = names["leave"](obs)
    drawn = names["model"].predict(obs.flat)[0]
    assert leave.shape == (32_000,)
    assert drawn.mean() == pytest.approx(leave.mean(), abs=0.02)


def test_what_was_spent_before_a_run_failed_counts_if_something_was_kept(enter, tmp_path):
    spent = {}
    for name in ("fails", "forgets"):
        folder = tmp_path / "runs" / "benchmark" / "runs" / "solitaire" / f"my_module-{name}" / "0"
        for _ in range(2):
            enter("--algorithms", f"my_module:{name}")
            spent.setdefault(name, []).append(Meter(folder / "spent").spent())
    assert spent == {"fails": [60, 120], "forgets": [60, 60]}  # in the second run of one, the first has its part


def test_a_changed_module_is_not_taken_for_what_was_played(enter, tmp_path):
    before = enter("--algorithms", "my_module:train")
    assert enter("--algorithms", "my_module:train")[3] == before[3]
    (tmp_path / "my_module.py").write_text(MODULE.replace(">= 9", ">= 10"))
    status, said, errors, rows = enter("--algorithms", "my_module:train")
    assert (status, said, rows) == (2, "", before[3])
    assert "solitaire/my_module-train/0 was played by another version of my_module:train; remove that folder" in errors


@pytest.mark.parametrize("option", ["--tasks", "--algorithms", "--agents"])
def test_an_option_that_names_nothing_does_not_play_everything(option, enter, tmp_path):
    status, _, errors, _ = enter(option)
    assert (status, errors.count("\n")) == (2, 1)
    assert f"{option} names nothing; leave it out for the default" in errors
    assert not (tmp_path / "runs").exists()


def test_a_file_names_no_module(enter, tmp_path):
    (tmp_path / "config.toml").write_text('algorithms = ["my_module:train"]\n')
    status, _, errors, _ = enter("--config", "config.toml")
    assert status == 2
    assert "config.toml: algorithms in a file; they are given by --algorithms" in errors


def test_an_interrupt_that_a_library_turns_into_an_error_still_ends_the_command(enter, tmp_path):
    status, said, errors, _ = enter("--algorithms", "my_module:swallows", "my_module:train")
    assert (status, said.count("\n")) == (130, 1)
    assert "stopped; the page of what is done is runs/benchmark/benchmark.md; the same command goes on" in errors


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM])
def test_what_is_done_is_on_the_page_when_the_command_is_ended(ended_by, tmp_path):
    (tmp_path / "my_module.py").write_text(MODULE)
    command = [sys.executable, "-m", "train.benchmark", "--tasks", "solitaire", *TINY]
    command += ["--algorithms", "my_module:train", "my_module:waits"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while "waits" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(ended_by)
        _, errors = process.communicate(timeout=600)
    folder = tmp_path / "runs" / "benchmark"
    assert "| `my_module:train` (1), " in (folder / PAGE).read_text()
    assert len(json.loads((folder / RESULTS).read_text())["runs"]) == 1
    assert process.returncode == 130
    assert "stopped; the page of what is done is runs/benchmark/benchmark.md; the same command goes on" in errors
    assert "Traceback" not in errors
