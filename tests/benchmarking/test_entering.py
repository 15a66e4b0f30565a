"""External algorithms and agents in the benchmark: budgets, failures, resumption."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from stable_baselines3 import PPO

from diamant_env import NUM_FEATURES
from diamant_env.opponents.network import NetworkAgent
from diamant_env.sb3 import DiamantVecEnv
from train import benchmark
from train.benchmarking.folder import PAGE, RESULTS
from train.benchmarking.playing import ERROR
from train.runs.config import Config
from train.runs.run_folder import save_policy

TINY = [
    *("--decisions", "300", "--games", "100", "--seeds", "1", "--exact-players", "1", "--network.hidden", "8"),
    *("--response.ppo.decisions", "300", "--response.selection-games", "100", "--response.test-games", "100"),
    *("--response.values.self-play", "0", "--response.pools"),
]
MODULE = '''
"""Algorithms of a user."""
import numpy as np
from diamant_env import Observations

def bag(obs, first=None):
    return obs["bag"] >= 9

def breaks(obs):
    raise ZeroDivisionError("in my agent")

class Patient:
    def act(self, obs, first):
        return np.zeros(len(first), np.float32)

def spend(task, number):
    batch, spent = task.batch(10), 0
    batch.reset(seed=0)
    while spent < number:
        spent += int(batch.must_decide.sum())
        batch.step(np.ones((10, task.players), np.int8), auto_reset=True)
    return spent

def train(task, budget, seed, folder):
    return bag, spend(task, budget // 2)

def curved(task, budget, seed, folder):
    """Leaves with fewer gems as it learns."""
    spent = 0
    for part in range(1, 4):
        spent += spend(task, part * budget // 3 - spent)
        task.checkpoint(f"bag:{12 - 3 * part}", spent)
    if not (folder / "learned").exists():
        (folder / "learned").touch()
        raise ZeroDivisionError("cut\\noff")
    return "bag:3", spent

def greedy(task, budget, seed, folder):
    return "bag:9", spend(task, 2 * budget)

def elsewhere(task, budget, seed, folder):
    return Patient(), 0

def nothing(task, budget, seed, folder):
    spend(task, 10)

def three(task, budget, seed):
    return bag, 0

number = 3
'''


@pytest.fixture
def enter(tmp_path, monkeypatch, capsys):
    """Call the command beside a user's module; return status, stdout, stderr and the runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my_module.py").write_text(MODULE)
    sys.modules.pop("my_module", None)

    def call(*words, task="expedition-2"):
        status = benchmark.main(["--tasks", task, *TINY, *words])
        captured = capsys.readouterr()
        file = tmp_path / "runs" / "benchmark" / RESULTS
        rows = json.loads(file.read_text())["runs"] if file.is_file() else []
        return status, captured.out, captured.err, {row["algorithm"]: row for row in rows}

    yield call
    sys.modules.pop("my_module", None)


def test_functions_enter_with_counted_budget(enter, tmp_path):
    names = [f"my_module:{name}" for name in ("train", "greedy", "elsewhere")]
    status, output, _, rows = enter("--algorithms", *names)
    assert status == 0
    assert [line for line in output.splitlines() if line.startswith("[")] == [
        f"[{number}/5] expedition-2 {name} 0 …" for number, name in enumerate([*names, "random:0.2", "ev:0.75"], 1)
    ]
    mine, greedy, elsewhere = (rows[name] for name in names)
    assert 150 <= mine["decisions"] < 170
    assert 600 <= greedy["decisions"] < 620
    assert elsewhere["decisions"] == 0
    assert {row["budget"] for row in (mine, greedy, elsewhere)} == {300}
    score = mine["measures"]["held_out"]["score"]["mean"]
    assert f"\nexpedition-2 my_module:train (1): held-out score (gems) {score:.2f} ± " in output
    assert mine["measures"] == greedy["measures"]  # the same agent in the same games
    assert re.search(r"of fixed agents: \d+ CPU seconds\. ", (tmp_path / "runs" / "benchmark" / PAGE).read_text())


def test_checkpoints_survive_interruption(enter, tmp_path):
    exact = "--exact-players", "2"
    status, _, errors, rows = enter("--algorithms", "my_module:curved", *exact)
    assert (status, "my_module:curved" in rows) == (2, False)
    assert "my_module:curved 0 failed: ZeroDivisionError: cut off" in errors
    status, _, _, rows = enter("--algorithms", "my_module:curved", "--agents", "bag:9", "bag:6", *exact)
    assert status == 0
    first, second = rows["my_module:curved"]["measures"]["curve"]
    assert 100 <= first["decisions"] < 120
    assert 200 <= second["decisions"] < 220
    figures = [rows[name]["measures"]["exact"]["nash_conv"] for name in ("bag:9", "bag:6")]
    assert [first["nash_conv"], second["nash_conv"]] == pytest.approx(figures)
    assert "](benchmark-curves-nash_conv.png)" in (tmp_path / "runs" / "benchmark" / PAGE).read_text()


def test_agents_enter_without_training(enter, tmp_path):
    rng = np.random.default_rng(0)
    layers = [
        (rng.normal(size=shape).astype(np.float32), np.zeros(shape[0], np.float32))
        for shape in ((4, NUM_FEATURES), (2, 4))
    ]
    save_policy(tmp_path / "mine.safetensors", NetworkAgent(layers, "relu", inputs="raw-1"), Config(), 0)
    PPO("MlpPolicy", DiamantVecEnv(1, 4), n_steps=2, batch_size=8, device="cpu").save(tmp_path / "ppo.zip")
    entered = {"bag:11", "mine.safetensors", "ppo.zip", "my_module:Patient", "my_module:bag"}
    status, _, errors, rows = enter("--agents", *sorted(entered), task="full-4-win")
    assert (status, errors) == (0, "")
    assert set(rows) == entered | {"random:0.2", "ev:0.75"}
    assert {rows[name]["kind"] for name in entered} == {"agent"}
    assert {(row["decisions"], row["budget"]) for row in rows.values()} == {(0, 0)}
    scores = {name: rows[name]["measures"]["held_out"]["score"]["mean"] for name in entered}
    assert scores["bag:11"] > scores["my_module:Patient"]
    assert rows["mine.safetensors"]["version"]
    assert rows["ppo.zip"]["version"]
    assert rows["my_module:Patient"]["version"] == rows["my_module:bag"]["version"]


def test_example_enters(enter):
    names = "examples.reinforce:train", "examples.reinforce:cautious"
    status, _, errors, rows = enter("--algorithms", names[0], "--agents", names[1])
    assert (status, errors) == (0, "")
    assert rows[names[0]]["decisions"] >= 300
    assert rows[names[1]]["kind"] == "agent"


REFUSED = [
    "--algorithms nowhere_at_all:train",
    "--algorithms my_module:number",
    "--algorithms my_module:three",
    "--agents champion",
    "--agents catch-up",
    "--agents",
    *(f"--seeds {wrong}" for wrong in ("0", "8:7", "1,2")),
]


@pytest.mark.parametrize("words", REFUSED)
def test_invalid_entry_is_refused_at_once(words, enter, tmp_path):
    status, output, errors, _ = enter(*words.split())
    assert (status, output, errors.count("\n")) == (2, "", 1)
    assert not (tmp_path / "runs").exists()


def test_failing_run_is_one_line_and_others_run(enter, tmp_path):
    *functions, agent = names = [f"my_module:{name}" for name in ("nothing", "curved", "breaks")]
    status, _, errors, rows = enter("--algorithms", *functions, "my_module:train", "--agents", agent)
    assert status == 2
    *failed, _ = errors.splitlines()
    for line, name in zip(failed, names, strict=True):
        path = Path("runs", "benchmark", "runs", "expedition-2", name.replace(":", "-"), "0", ERROR)
        assert f"{name} 0 failed: " in line
        assert "Traceback" in (tmp_path / path).read_text()
    assert set(rows) == {"my_module:train", "random:0.2", "ev:0.75"}


def test_changed_module_is_refused(enter, tmp_path):
    before = enter("--algorithms", "my_module:train")
    assert enter("--algorithms", "my_module:train")[3] == before[3]
    (tmp_path / "my_module.py").write_text(MODULE.replace(">= 9", ">= 10"))
    status, output, errors, rows = enter("--algorithms", "my_module:train")
    assert (status, output, rows) == (2, "", before[3])
    assert "my_module:train" in errors
