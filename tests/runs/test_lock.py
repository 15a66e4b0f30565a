"""Lock of a folder that a command writes into."""

import pytest

from train.benchmark import Arguments, benchmark
from train.benchmarking.config import BenchmarkConfig
from train.runs.run_folder import locked


def test_folder_is_locked_while_in_use(tmp_path, monkeypatch):
    monkeypatch.setattr("train.benchmark.play_all", lambda *_: pytest.fail("plays in a locked folder"))
    arguments = Arguments(BenchmarkConfig(), tasks=("full-4-win",), agents=("bag:18",), out=tmp_path)
    with locked(tmp_path), pytest.raises(BlockingIOError, match="is in use by another process"):
        benchmark(arguments)
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]
    with locked(tmp_path):
        assert (tmp_path / ".lock").exists()
