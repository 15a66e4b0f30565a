"""Commands with a closed stdout."""

import os
import sys

from train import ppo

TINY = [
    *("--ppo.decisions", "600", "--ppo.games", "8", "--ppo.turns", "16"),
    *("--judge.games", "100", "--judge.clone-games", "100", "--judge.curve-points", "0"),
]


def test_run_is_saved_when_stdout_is_closed(tmp_path, monkeypatch):
    """Replace stdout in the test itself: pytest sets its own between fixtures and tests."""
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w", encoding="ascii") as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        assert ppo.main([*TINY, "--out", str(tmp_path)]) == 0
        stream.flush()  # as at exit: raises nothing
    assert (tmp_path / "default-seed0" / "results.json").stat().st_size > 100
