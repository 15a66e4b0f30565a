"""Damaged and foreign files in a benchmark's folder: one line each, other runs kept."""

import json
from shutil import rmtree

import pytest

from train.benchmarking import folder
from train.benchmarking.folder import PAGE, RESULTS
from train.benchmarking.results import RESULT, write_result


@pytest.mark.parametrize(
    "damage", ["{", {"task": "../../elsewhere"}, {"family": "x"}, {"measures": {"gain": {}}}], ids=str
)
def test_damaged_run_is_reported_and_repeated(damage, enter, tmp_path):
    before = enter("--agents", "bag:11", "bag:5")[3]
    damaged = tmp_path / "runs" / "benchmark" / "runs" / "solitaire" / "bag-11" / "0" / RESULT
    row = json.loads(damaged.read_text())
    damaged.write_text(damage if isinstance(damage, str) else json.dumps(row | damage))
    status, _, errors, rows = enter("--agents", "bag:5")
    assert (status, errors.count("\n")) == (0, 1)
    assert "bag-11/0/result.json is damaged" in errors
    assert rows == {name: row for name, row in before.items() if name != "bag:11"}
    assert enter("--agents", "bag:11")[3]["bag:11"]["measures"] == before["bag:11"]["measures"]
    assert enter("--agents", "bag:11")[2] == ""


def test_kill_while_rows_are_unpacked_loses_none(enter, tmp_path, monkeypatch):
    before = enter("--agents", "bag:11", "bag:5")[3]
    path, written = tmp_path / "runs" / "benchmark", []
    rmtree(path / "runs")

    def killed(file, row):
        if written:
            raise KeyboardInterrupt
        written.append(write_result(file, row))

    with monkeypatch.context() as patch:
        patch.setattr(folder, "write_result", killed)
        assert enter("--agents", "bag:5", read=False)[0] == 130
    assert written
    assert enter("--agents", "bag:5")[3] == before


def test_result_texts_are_escaped(enter, tmp_path):
    enter("--agents", "bag:5")
    path = tmp_path / "runs" / "benchmark"
    file = path / "runs" / "solitaire" / "bag-5" / "0" / RESULT
    row = json.loads(file.read_text()) | {"algorithm": "<script>|`"}
    strange = path / "runs" / "solitaire" / "-script-" / "0" / RESULT
    strange.parent.mkdir(parents=True)
    strange.write_text(json.dumps(row))
    enter("--agents", "bag:5")
    page = (path / PAGE).read_text()
    assert "<code>&#60;script&#62;&#124;&#96;</code> |" in page
    assert "<script>" not in page


@pytest.mark.parametrize("content", ["no JSON", '{"config": {}, "versions": {}, "runs": []}'])
def test_damaged_results_file_is_refused(content, enter, tmp_path):
    enter("--agents", "bag:5")
    (tmp_path / "runs" / "benchmark" / RESULTS).write_text(content)
    status, _, errors, _ = enter("--agents", "bag:5", read=False)
    assert (status, errors.count("\n")) == (2, 1)
    assert "benchmark.json is damaged" in errors
