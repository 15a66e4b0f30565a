"""Exit of commands: one line for an expected error, 130 after Ctrl-C, silence on a closed pipe; help and symbols."""

import errno
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from diamant_env.commands import diamant
from diamant_env.commands.terminal import run_command
from diamant_env.editions import EDITIONS, RESEARCH
from diamant_env.opponents.registry import FAMILIES, SHIPPED, SOLVED

ROOT = Path(__file__).parents[2]


def exit_status(error: BaseException) -> int:
    def run() -> None:
        raise error

    return run_command("python -m some.command", run)


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (ValueError("no file a\nb.toml;\n  look"), 2, "error: no file a b.toml; look"),
        (FileNotFoundError(errno.ENOENT, "No such file", "here"), 2, "error: [Errno 2] No such file: 'here'"),
        (ImportError("the page needs uvicorn"), 2, "error: the page needs uvicorn"),
        (KeyboardInterrupt("go on with --resume runs/x"), 130, "stopped; go on with --resume runs/x"),
    ],
)
def test_expected_error_is_one_line(error, status, line, capsys):
    assert exit_status(error) == status
    assert capsys.readouterr().err == f"python -m some.command: {line}\n"


def test_defect_keeps_traceback():
    with pytest.raises(ZeroDivisionError):
        exit_status(ZeroDivisionError())


def test_closed_pipe_is_silent():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "diamant_env", "watch", "bag:18", "traps", "--seed", "3", "--speed", "0"]
    done = subprocess.run(command, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=600)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("command", ["", *diamant.SUBCOMMANDS])
def test_help_fits_a_screen(command, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit, match=r"^0$"):
        diamant.main([*filter(None, [command]), "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80


def test_list_names_all_agents_and_editions(capsys):
    assert diamant.main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    listed = {line.split()[0] for line in lines if re.match(r"  \S", line)}
    scripted = {str(family()) for family in FAMILIES.values()}
    assert listed >= scripted | {*SHIPPED, *SOLVED, *EDITIONS, *RESEARCH}


def test_symbols_at_an_ascii_terminal(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    assert run_command("diamant", lambda: print("0.995 ± 0.023, 2 × ev … −1 é")) == 0
    assert stream.buffer.getvalue().decode().strip() == "0.995 ? 0.023, 2 ? ev ? ?1 ?"
