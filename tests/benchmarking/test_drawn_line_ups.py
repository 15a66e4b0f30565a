"""Finished runs are measured at tables of agents that a seed draws; a task that has changed is noticed."""

import json
import re
import shutil

import numpy as np
import pytest

from diamant_env import Batch
from train.benchmark import main
from train.benchmarking import drawn_line_ups
from train.benchmarking.folder import PAGE
from train.benchmarking.results import RESULT
from train.benchmarking.suite import TASKS, digest

DIGESTS = {
    "expedition-2": "3f8e057565d2e830",
    "expedition-3": "49de0ec41296d54c",
    "expedition-4": "b4120533aace9ce5",
    "expedition-5": "7fc505844782570b",
    "solitaire": "d3ec9c0dbfa82451",
    "full-3-win": "b82318695a30a4b7",
    "full-4-win": "bf6896c1c5829fc5",
    "full-4-score": "56fac8b194ffe8f6",
    "full-8-win": "5ec81a86b6f966e3",
    "hidden-4-win": "f8a988d544803805",
}


@pytest.fixture
def folder(tmp_path):
    quick = ["--quick", "--exact-players", "1", "--out", str(tmp_path), "--decisions", "500"]
    assert main(["--tasks", "expedition-2", "--algorithms", "a2c", *quick]) == 0

    def call(*words):
        return main(["--tasks", "expedition-2", *quick, *words])

    return tmp_path, call


def test_the_games_of_a_task_have_not_changed():
    assert {name: digest(task) for name, task in TASKS.items()} == DIGESTS, "raise Task.version with the digests"


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_the_games_of_a_digest_do_not_depend_on_how_many_are_played_at_once(task):
    def games(number):
        batch = Batch(number, task.players, task.game.played(), task.game.reward, blank_rivals=task.game.blank)
        yield batch.reset(seed=0)[:5].copy()
        for turn in range(80):
            leave = np.add.outer(np.arange(number), turn + 3 * np.arange(task.players)) % 7 == 0
            for part in batch.step(leave.astype(np.int8), auto_reset=True):
                yield np.array(part)[:5]

    for few, many in zip(games(5), games(16), strict=True):
        assert few.tobytes() == many.tobytes()


def test_another_game_has_another_digest():
    task = TASKS["full-4-win"]
    for change in ({"reward": "score"}, {"num_players": (5,)}, {"edition": "incan-gold"}, {"blank": True}):
        assert digest(task._replace(game=task.game.model_copy(update=change))) != DIGESTS["full-4-win"]


def test_what_is_finished_is_measured_at_drawn_tables(folder, monkeypatch, capsys):
    path, call = folder
    assert "`a2c` (1), not solved: 2 players, exact_players is lower" in (path / PAGE).read_text()
    assert call("--algorithms", "a2c", "--line-ups", "my seed") == 0
    content = json.loads((path / drawn_line_ups.FILE).read_text())
    assert {row["algorithm"] for row in content["runs"]} == {"a2c", "random:0.2", "ev:0.75"}
    for row in content["runs"]:
        assert row["drawn"]["low"] < row["drawn"]["mean"] < row["drawn"]["high"]
    page = (path / drawn_line_ups.PAGE).read_text()
    assert "not published before" in page
    figure = r"[\d.]+ \[[\d.]+, [\d.]+\]"
    assert re.search(rf"\| `ev:0.75` \| {figure} \| \d \| {figure} \| \d \|", page)
    monkeypatch.setattr(drawn_line_ups, "PUBLISHED", (drawn_line_ups.commitment("my seed"),))
    (path / "runs" / "expedition-2" / "a2c" / "0" / "policy.safetensors").unlink()
    capsys.readouterr()
    assert call("--algorithms", "a2c", "--line-ups", "my seed") == 0
    assert "[" not in capsys.readouterr().out  # nothing is measured twice
    again = json.loads((path / drawn_line_ups.FILE).read_text())
    assert again == {**content, "published": "published before"}
    assert call("--algorithms", "a2c", "--line-ups", "another seed") == 2
    assert "has the line-ups of the seed 'my seed': move it away" in capsys.readouterr().err
    (path / drawn_line_ups.FILE).unlink()
    assert call("--algorithms", "a2c", "--line-ups", "another seed") == 0
    assert "expedition-2 a2c 0 is left out: its policy is not kept" in capsys.readouterr().err
    other = json.loads((path / drawn_line_ups.FILE).read_text())
    assert {row["algorithm"] for row in other["runs"]} == {"random:0.2", "ev:0.75"}


def runs(path):
    return json.loads((path / drawn_line_ups.FILE).read_text())["runs"]


def test_a_run_that_cannot_be_measured_does_not_stop_the_others(folder, capsys):
    path, call = folder
    assert call("--agents", "ev:0.75", "bag:11", "bag:12") == 0
    file = path / "runs" / "expedition-2" / "bag-11" / "0" / RESULT
    file.write_text(file.read_text().replace('"task_version": 1', '"task_version": 0'))
    (path / "runs" / "expedition-2" / "bag-12").rename(path / "runs" / "expedition-2" / "bag-twelve")
    capsys.readouterr()
    assert call("--line-ups", "my seed") == 0
    assert "bag-11/0 was played by another version of the task" in capsys.readouterr().err
    assert {row["algorithm"] for row in runs(path)} == {"a2c", "ev:0.75", "random:0.2", "bag:12"}
    (path / drawn_line_ups.FILE).write_text('{"seed": "my seed", "runs": 3}')
    assert call("--line-ups", "my seed") == 2
    assert "line-ups.json is damaged: remove it" in capsys.readouterr().err


def test_every_finished_run_of_the_folder_is_measured(folder, capsys):
    path, call = folder
    results = path / "runs" / "expedition-2"
    assert call("--agents", "bag:11") == 0
    shutil.copytree(results / "a2c", results / "mine-train")  # as a function of one's own leaves it, without its module
    file = results / "mine-train" / "0" / RESULT
    file.write_text(file.read_text().replace('"a2c"', '"mine:train"').replace('"version": ""', '"version": "0123"'))
    assert call("--line-ups", "my seed") == 0
    rows = {row["algorithm"]: row for row in json.loads((path / drawn_line_ups.FILE).read_text())["runs"]}
    assert set(rows) == {"a2c", "bag:11", "ev:0.75", "mine:train", "random:0.2"}
    assert rows["mine:train"]["drawn"] == rows["a2c"]["drawn"]
    file.write_text(file.read_text().replace('"version": "0123"', '"version": "0123", "agent": "bag:12"'))
    (results / "mine-train" / "0" / "policy.safetensors").unlink()  # its function returned a text
    (path / drawn_line_ups.FILE).unlink()
    assert call("--line-ups", "another seed") == 0
    assert {"mine:train", "a2c"} <= {row["algorithm"] for row in runs(path)}
    (path / drawn_line_ups.FILE).unlink()
    assert call("--agents", "bag:11", "--line-ups", "a third") == 0  # or those that are asked for
    rows = json.loads((path / drawn_line_ups.FILE).read_text())["runs"]
    assert {row["algorithm"] for row in rows} == {"bag:11", "ev:0.75", "random:0.2"}


def test_nothing_finished_has_no_line_ups(folder, capsys):
    assert folder[1]("--agents", "bag:11", "--out", str(folder[0] / "empty"), "--line-ups", "my seed") == 2
    assert "has no finished run whose agent is there" in capsys.readouterr().err


def test_the_page_has_ranks_over_seeds():
    def row(algorithm, seed, drawn, held_out):
        kinds = {"drawn": drawn, "held_out": held_out}
        figures = {kind: {"mean": mean, "low": mean - 0.1, "high": mean + 0.1} for kind, mean in kinds.items()}
        return {"task": "full-3-win", "algorithm": algorithm, "seed": seed, **figures}

    runs = [row("one", 0, 0.3, 0.6), row("two", 0, 0.4, 0.4), row("two", 1, 0.6, 0.6), row("three", 0, 0.2, 0.2)]
    content = {"seed": "s", "commitment": "c", "published": "published before", "agents": ["bag:5"], "runs": runs}
    page = drawn_line_ups.line_ups_text(content, "## ")
    assert "Another rank than in the held-out pool: 2 of 3." in page
    assert "| `one` | 0.300 [0.200, 0.400] | 2 | 0.600 [0.500, 0.700] | 1 |" in page
    assert "| `two` | 0.500 [-0.775, 1.775] | 1 | 0.500 [-0.775, 1.775] | 2 |" in page  # 12.71 · 0.1 and 0.1


def test_what_is_published_are_hashes():
    assert drawn_line_ups.PUBLISHED
    assert len(set(drawn_line_ups.PUBLISHED)) == len(drawn_line_ups.PUBLISHED)
    assert all(re.fullmatch("[0-9a-f]{64}", each) for each in drawn_line_ups.PUBLISHED)


def test_an_empty_seed_plays_nothing(folder, capsys):
    path, call = folder
    assert call("--agents", "bag:11", "--line-ups", "") == 2
    assert "the seed of the line-ups is empty" in capsys.readouterr().err
    assert not (path / "runs" / "expedition-2" / "bag-11").exists()


def test_a_run_of_another_version_of_the_task_is_not_taken_for_todays(folder, capsys):
    path, call = folder
    file = path / "runs" / "expedition-2" / "a2c" / "0" / RESULT
    file.write_text(file.read_text().replace(DIGESTS["expedition-2"], "0123456789abcdef"))
    assert call("--algorithms", "a2c") == 2
    assert "was played by another digest; remove that folder or give another one by --out" in capsys.readouterr().err
