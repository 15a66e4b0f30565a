"""The commands of the benchmarks run from end to end with --quick; the figures of these tests mean nothing."""

from __future__ import annotations

import json
import os
import shutil
from types import SimpleNamespace

import pytest

from benchmarks import measure, throughput
from benchmarks.measure import alternate, rows_of


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no C compiler")
def test_throughput(tmp_path, capsys, monkeypatch):
    # The fresh processes of "costs" compile nothing. In this one, Numba would read the variable when it compiles next.
    monkeypatch.setattr(throughput, "os", SimpleNamespace(environ={**os.environ, "NUMBA_DISABLE_JIT": "1"}))
    assert throughput.main(["--quick", "--out", str(tmp_path)]) == 0
    found = json.loads((tmp_path / "results.json").read_text())
    assert {"processor", "date", "numba"} <= found["machine"].keys()
    assert "saved:" in capsys.readouterr().out
    sections = {row["section"] for row in found["rows"]}
    assert sections == {"step with observations", "rules", "costs"}
    for row in found["rows"]:
        assert row["ours"] > 0, row
        assert "rival" not in row or row["quartiles"][0] <= row["ratio"] <= row["quartiles"][1], row


def test_contenders_alternate_and_the_median_counts(monkeypatch):
    now, played = [0.0], []
    monkeypatch.setattr(measure, "perf_counter", lambda: now[0])

    def contender(name, seconds):
        def play(steps):
            played.append((name, steps))
            now[0] += steps * seconds

        return play

    rates = alternate({"a": contender("a", 0.25), "b": contender("b", 0.5)}, measure.Effort(3, 8.0))
    assert played[-6:] == [("a", 32), ("b", 16)] * 3
    assert rates == {"a": [4.0] * 3, "b": [2.0] * 3}
    (row,) = rows_of("steps", "a batch", "steps/s", {"ours": [1, 9, 2, 3, 4], "theirs": [1, 3, 1, 1, 1]})
    assert tuple(row[name] for name in ("ours", "theirs", "ratio", "quartiles")) == (3, 1, 3, (2, 3))
