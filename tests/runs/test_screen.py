"""What is printed: after all is saved, in ASCII where it must be, and without an error where nobody reads it."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from diamant_env.commands import diamant, exact
from diamant_env.commands.terminal import say
from diamant_env.opponents.registry import DATA
from diamant_env.storage.plain import plain
from train import ppo

ROOT = Path(__file__).parents[2]
TINY = [
    *("--ppo.decisions", "600", "--ppo.games", "8", "--ppo.turns", "16"),
    *("--judge.games", "100", "--judge.clone-games", "100", "--judge.curve-points", "0"),
]


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        ("0.312 ± 0.004, 3 × é …", "ascii", "0.312 +- 0.004, 3 x e ..."),
        ("0.312 ± 0.004, 3 × é …", "latin-1", "0.312 ± 0.004, 3 × é ..."),
        ("0.312 ± 0.004, 3 × é …", "utf-8", "0.312 ± 0.004, 3 × é …"),
        ("\udce9 \u65e5", "ascii", "? ?"),
        ("\udce9", "utf-8", "?"),
    ],
)
def test_what_an_encoding_lacks_is_paraphrased(text, encoding, expected):
    assert plain(text, encoding) == expected


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


def test_a_judged_run_is_saved_where_nobody_reads(tmp_path, nobody_reads):
    assert ppo.main([*TINY, "--out", str(tmp_path)]) == 0
    assert (tmp_path / "default-seed0" / "results.json").stat().st_size > 100


def test_an_output_that_is_full_loses_nothing(monkeypatch, capsys):
    with open("/dev/full", "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        say("first")
        say("second")
    assert capsys.readouterr().err == "can't print: [Errno 28] No space left on device\n"


def test_results_are_printed_in_ascii(monkeypatch):
    """Where the output has no ±, no × and no lines for boxes."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    assert diamant.main(["evaluate", "ev:0.75", "--against", "clones:bag", "--games", "40"]) == 0
    text = stream.buffer.getvalue().decode("ascii")
    assert "3 x bag" in text
    assert "+-" in text
    assert "?" not in text


def test_a_name_that_ascii_does_not_have(tmp_path):
    """A policy in a folder with an accent, watched at an ASCII terminal."""
    policy = tmp_path / "é" / "policy.safetensors"
    policy.parent.mkdir()
    policy.write_bytes((DATA / "champion.safetensors").read_bytes())
    words = ["watch", policy, "bag:18", "--seed", "1", "--record", tmp_path / "game.txt"]
    command = [sys.executable, "-m", "diamant_env", *words]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "80"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    assert done.stderr == b""
    assert "e/policy.safetensors" in done.stdout.decode("ascii")
    assert str(policy) in (tmp_path / "game.txt").read_text(encoding="utf-8")
