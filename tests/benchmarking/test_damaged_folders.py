"""What is damaged in a benchmark's folder is one line, and the other runs are kept."""

import json
import shutil

import pytest

from train.benchmarking.folder import PAGE
from train.benchmarking.results import RESULT


def test_a_damaged_run_is_named_and_the_others_are_kept(enter, tmp_path):
    _, _, _, before = enter("--agents", "bag:11", "bag:5")
    damaged = tmp_path / "runs" / "benchmark" / "runs" / "solitaire" / "bag-11" / "0" / RESULT
    damaged.write_text(damaged.read_text()[:-20])
    status, _, errors, rows = enter("--agents", "bag:5")
    assert (status, errors.count("\n")) == (0, 1)
    assert "bag-11/0/result.json is damaged: it is left out of the page, and its run is played anew when" in errors
    assert rows == {name: row for name, row in before.items() if name != "bag:11"}
    _, _, errors, rows = enter("--agents", "bag:11")
    assert "is damaged" in errors
    assert rows["bag:11"]["measures"] == before["bag:11"]["measures"]
    assert enter("--agents", "bag:11")[2] == ""


DAMAGE = (
    {"seed": "0"},
    {"decisions": None},
    {"task": "../../elsewhere"},
    {"measures": {}},
    {"measures": {"score": {"mean": "high"}}},
    {"measures": {"held_out": {}}},
    {"measures": {"exact": {"exploitability": 1.0, "nash_conv": "low", "value": 5.0}}},
)


@pytest.mark.parametrize("part", DAMAGE, ids=str)
def test_figures_of_another_kind_are_damage_too(part, enter, tmp_path):
    _, _, _, before = enter("--agents", "bag:5")
    damaged = tmp_path / "runs" / "benchmark" / "runs" / "solitaire" / "bag-5" / "0" / RESULT
    damaged.write_text(json.dumps(json.loads(damaged.read_text()) | part))
    status, _, errors, rows = enter("--agents", "bag:5")
    assert (status, errors.count("\n")) == (0, 1)
    assert "bag-5/0/result.json is damaged" in errors
    assert rows["bag:5"]["measures"] == before["bag:5"]["measures"]


def test_a_run_that_was_copied_to_another_seed_counts_once(enter, tmp_path):
    _, _, _, before = enter("--algorithms", "my_module:train")
    runs = tmp_path / "runs" / "benchmark" / "runs" / "solitaire"
    for copied in ("my_module-train/1", "aaa/0"):  # one beside the run, and one that is found before it
        shutil.copytree(runs / "my_module-train" / "0", runs / copied)
    status, _, errors, rows = enter("--algorithms", "my_module:train")
    assert (status, errors.count("\n"), rows) == (0, 2, before)
    for copied in ("my_module-train/1", "aaa/0"):
        own = "runs/benchmark/runs/solitaire/my_module-train/0"
        line = f"runs/benchmark/runs/solitaire/{copied} has the same run as {own}: it is left out of the page\n"
        assert line in errors
    page = (tmp_path / "runs" / "benchmark" / PAGE).read_text()
    assert "| `my_module:train` (1), " in page
    status, _, errors, _ = enter("--algorithms", "my_module:train", "--seeds", "2")
    assert status == 2
    assert "my_module-train/1 has another run, solitaire my_module:train 0; give another folder by --out" in errors


def test_line_ups_measure_a_copied_run_once(enter, tmp_path):
    enter("--agents", "bag:11", task="full-3-win")
    runs = tmp_path / "runs" / "benchmark" / "runs" / "full-3-win"
    shutil.copytree(runs / "bag-11" / "0", runs / "bag-11" / "1")
    _, said, _, _ = enter("--line-ups", "a seed", task="full-3-win")
    assert said.count("full-3-win bag:11") == 1


NAMES = {
    "<script>alert(1)</script>": "<code>&#60;script&#62;alert(1)&#60;/script&#62;</code>",
    "x` <img src=y> `": "<code>x&#96; &#60;img src=y&#62; &#96;</code>",
    "a|b": "<code>a&#124;b</code>",
    "a\n\n# b": "<code>a # b</code>",
    "runs/mine_1": "`runs/mine_1`",
}


@pytest.mark.parametrize("name", NAMES, ids=str)
def test_a_name_is_text_on_the_page(name, enter, tmp_path):
    enter("--agents", "bag:5", task="full-3-win")
    folder = tmp_path / "runs" / "benchmark"
    damaged = folder / "runs" / "full-3-win" / "bag-5" / "0" / RESULT
    row = json.loads(damaged.read_text()) | {"algorithm": name, "kind": "learned"}
    damaged.write_text(json.dumps(row))
    enter("--agents", "random:0.2", task="full-3-win")
    page = (folder / PAGE).read_text()
    assert page.count(f"\n| {NAMES[name]} (1) | ") == 1
    assert "<script>" not in page
    assert "<img" not in page


def test_a_reason_is_text_on_the_page(enter, tmp_path):
    enter("--agents", "bag:5")
    folder = tmp_path / "runs" / "benchmark"
    result = folder / "runs" / "solitaire" / "bag-5" / "0" / RESULT
    row = json.loads(result.read_text())
    row["measures"]["exact"] = {"refused": "<lambda> answers differently | at times"}
    result.write_text(json.dumps(row))
    enter("--agents", "bag:5")
    page = (folder / PAGE).read_text()
    assert "not solved: &#60;lambda&#62; answers differently &#124; at times |" in page


@pytest.mark.parametrize("content", [None, "{}", "[]", "no JSON"])
def test_versions_that_are_gone_are_written_anew(content, enter, tmp_path):
    enter("--agents", "bag:5")
    path = tmp_path / "runs" / "benchmark" / "versions.json"
    before = path.read_text()
    path.unlink() if content is None else path.write_text(content)
    assert enter("--agents", "bag:5")[0] == 0
    assert path.read_text() == before
