"""What is damaged in a benchmark's folder is one line, and the other runs are kept."""

import json

import pytest

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


@pytest.mark.parametrize("content", [None, "{}", "[]", "no JSON"])
def test_versions_that_are_gone_are_written_anew(content, enter, tmp_path):
    enter("--agents", "bag:5")
    path = tmp_path / "runs" / "benchmark" / "versions.json"
    before = path.read_text()
    path.unlink() if content is None else path.write_text(content)
    assert enter("--agents", "bag:5")[0] == 0
    assert path.read_text() == before
