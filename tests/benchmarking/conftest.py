"""Fixture that calls the benchmark's command in an empty folder beside a user's module."""

import json
import sys

import pytest

from tests.support.entries import MODULE, TINY
from train import benchmark
from train.benchmarking.folder import RESULTS


@pytest.fixture
def enter(tmp_path, monkeypatch, capsys):
    """Call the command beside a user's module; return status, stdout, stderr and the runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my_module.py").write_text(MODULE)
    sys.modules.pop("my_module", None)

    def call(*words, task="expedition-2", read=True):
        status = benchmark.main(["--tasks", task, *TINY, *words])
        captured = capsys.readouterr()
        file = tmp_path / "runs" / "benchmark" / RESULTS
        rows = json.loads(file.read_text())["runs"] if read and file.is_file() else []
        return status, captured.out, captured.err, {row["algorithm"]: row for row in rows}

    yield call
    sys.modules.pop("my_module", None)
