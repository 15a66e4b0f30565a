"""Commands with a closed stdout."""

import os
import sys

import pytest

from train import ppo

TINY = [
    *("--ppo.decisions", "600", "--ppo.games", "8", "--ppo.turns", "16"),
    *("--judge.games", "100", "--judge.clone-games", "100", "--judge.curve-points", "0"),
]


@pytest.fixture
def closed_pipe(monkeypatch):
    """Replace stdout by a closed pipe in ASCII, like that of ``| head -1``."""
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w", encoding="ascii") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        yield
        stream.flush()  # as at exit: no error is left


def test_run_is_saved_when_stdout_is_closed(tmp_path, closed_pipe):
    assert ppo.main([*TINY, "--out", str(tmp_path)]) == 0
    assert (tmp_path / "default-seed0" / "results.json").stat().st_size > 100
