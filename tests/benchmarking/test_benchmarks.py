"""Smoke test of the speed benchmarks with --quick; its figures mean nothing."""

from __future__ import annotations

import json
import os
from types import SimpleNamespace

from benchmarks import throughput


def test_throughput(tmp_path, capsys, monkeypatch):
    # Uncompiled in the processes of "costs" only: Numba would read a variable of this process at its next compilation.
    monkeypatch.setattr(throughput, "os", SimpleNamespace(environ={**os.environ, "NUMBA_DISABLE_JIT": "1"}))
    assert throughput.main(["--quick", "--out", str(tmp_path)]) == 0
    found = json.loads((tmp_path / "results.json").read_text())
    assert {"processor", "date", "numba"} <= found["machine"].keys()
    assert "saved:" in capsys.readouterr().out
    sections = {row["section"] for row in found["rows"]}
    assert sections == {"step with observations", "rules", "environments", "costs"}
    for row in found["rows"]:
        assert row["ours"] > 0, row
        assert "rival" not in row or row["quartiles"][0] <= row["ratio"] <= row["quartiles"][1], row
