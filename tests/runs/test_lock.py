"""One command at a time writes into a folder, and the next one says who does."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from train import best_response, ppo
from train.benchmark import Arguments, benchmark
from train.benchmarking.config import BenchmarkConfig
from train.responding.config import ResponseConfig
from train.runs.config import Config
from train.runs.run_folder import held, new_run_folder

HOLD = "import sys, time; from pathlib import Path; from train.runs.run_folder import held\n"
HOLD += "with held(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(600)\n"


@pytest.fixture
def other(tmp_path):
    """Another process that holds `tmp_path`."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen([sys.executable, "-c", HOLD, tmp_path], stdout=subprocess.PIPE, env=environment)
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_the_second_process_is_refused(tmp_path, other):
    error = f"^{tmp_path} is in use by another process: wait for it, or name another folder$"
    with pytest.raises(BlockingIOError, match=error), held(tmp_path):
        raise AssertionError("it is held twice")


def test_a_killed_process_holds_nothing(tmp_path, other):
    other.send_signal(signal.SIGKILL)
    other.wait()
    with held(tmp_path):
        assert (tmp_path / ".lock").exists()


def test_every_command_that_writes_into_a_folder_takes_it(tmp_path, other, capsys):
    """Nothing is written, and the status is 2."""
    config = Config(checkpoints=1)
    folder = new_run_folder(tmp_path / "runs", config)
    os.rename(tmp_path / ".lock", folder / ".lock")  # the lock that the other process holds is now this folder's
    before = sorted(path.name for path in folder.iterdir())
    assert ppo.main(["--resume", str(folder)]) == 2
    said = [capsys.readouterr().err]
    for text in said:
        assert f"error: {folder} is in use by" in text.splitlines()[-1]
    with pytest.raises(BlockingIOError):
        benchmark(Arguments(BenchmarkConfig(), tasks=("full-4-win",), agents=("bag:18",), out=folder))
    (folder / "config.toml").write_bytes(Path("configs/best_response.toml").read_bytes())
    with pytest.raises(BlockingIOError):
        best_response.respond(best_response.Arguments(ResponseConfig(), resume=(folder,)))
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_folder_that_can_not_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(OSError, match=f"can't write results into the folder {tmp_path / 'file'}"),
        held(tmp_path / "file"),
    ):
        pass
