"""Output of commands: after all is saved, to a closed pipe and in ASCII."""

import io
import os
import sys

import pytest

from diamant_env.commands import diamant, exact


@pytest.fixture
def nobody_reads(monkeypatch):
    """An output in ASCII that nobody reads any more, as that of ``| head -1`` is."""
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w", encoding="ascii") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        yield
        stream.flush()  # as Python does at the end: no error is left for it


@pytest.mark.parametrize(
    "arguments",
    [["evaluate", "bag:18", "--games", "40"], ["tournament", "--games", "40"], ["exact", "--lone", "iello-2016"]],
)
def test_results_are_saved_where_nobody_reads(tmp_path, nobody_reads, monkeypatch, arguments):
    row = {"edition": "iello-2016", "players": 1, "agent": "lone ±", "seconds": 1.0}
    monkeypatch.setattr(exact, "measure", lambda *arguments: [row])
    path = tmp_path / "results.json"
    assert not diamant.main([*arguments, "--out", str(path)])
    assert path.stat().st_size > 100


def test_results_are_printed_in_ascii(monkeypatch):
    """Where the output has no ± and no ×."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    assert diamant.main(["evaluate", "ev:0.75", "--against", "clones:bag", "--games", "40"]) == 0
    assert "3 ? bag" in stream.buffer.getvalue().decode("ascii")
