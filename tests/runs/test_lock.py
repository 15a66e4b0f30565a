"""Lock of a folder that a command writes into."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from train.benchmark import Arguments, benchmark
from train.benchmarking.config import BenchmarkConfig
from train.runs.run_folder import locked

HOLD = "import sys, time; from pathlib import Path; from train.runs.run_folder import locked\n"
HOLD += "with locked(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(600)\n"


@pytest.fixture
def other(tmp_path):
    """Start another process that holds the lock of `tmp_path`."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen([sys.executable, "-c", HOLD, tmp_path], stdout=subprocess.PIPE, env=environment)
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_folder_is_locked_until_process_ends(tmp_path, other):
    with pytest.raises(BlockingIOError, match="is in use by another process"):
        benchmark(Arguments(BenchmarkConfig(), tasks=("full-4-win",), agents=("bag:18",), out=tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]
    other.kill()
    other.wait()
    with locked(tmp_path):
        assert (tmp_path / ".lock").exists()
