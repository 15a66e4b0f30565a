"""Exit of commands: one line for an expected error, 130 after Ctrl-C, silence on a closed pipe."""

import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from diamant_env.commands import diamant
from diamant_env.commands.command import is_closed_pipe, run_command

ROOT = Path(__file__).parents[2]
GAME = ["bag:18", "traps", "--seed", "3", "--speed", "0"]


class ClosedPipe:
    """Output on Windows whose reader has gone."""

    def flush(self) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")


def exit_status(error: BaseException) -> int:
    def run() -> None:
        raise error

    return run_command("python -m some.command", run)


def python(*arguments: str, path: Path | None = None, **options) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, filter(None, (path, ROOT))))}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, timeout=600, **options)


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (ValueError("seed=-1"), 2, "error: seed=-1"),
        (ValueError("no file a\nb.toml;\n  look"), 2, "error: no file a b.toml; look"),
        (FileNotFoundError(errno.ENOENT, "No such file", "here"), 2, "error: [Errno 2] No such file: 'here'"),
        (ImportError("the page needs uvicorn"), 2, "error: the page needs uvicorn"),
        (KeyboardInterrupt(), 130, "stopped"),
        (KeyboardInterrupt("go on with --resume runs/x"), 130, "stopped; go on with --resume runs/x"),
    ],
)
def test_expected_error_is_one_line(error, status, line, capsys):
    assert exit_status(error) == status
    assert capsys.readouterr().err == f"python -m some.command: {line}\n"


def test_defect_keeps_traceback():
    with pytest.raises(RuntimeError, match="two games had the same key"):
        exit_status(RuntimeError("two games had the same key"))


def test_parser_exit_statuses(capsys):
    assert exit_status(SystemExit(2)) == 2
    assert diamant.main(["play", "--nothing"]) == diamant.main(["evaluate", "bag:18", "--nothing"]) == 2
    assert capsys.readouterr().err.count("\n") == 2
    assert exit_status(SystemExit(None)) == diamant.main(["play", "--help"]) == 0


def test_similar_subcommand_is_suggested(capsys):
    assert diamant.main(["evalute", "bag:18"]) == 2
    assert capsys.readouterr().err == "diamant: error: unknown subcommand 'evalute'; did you mean evaluate?\n"


def test_closed_pipe_is_silent():
    reader, writer = os.pipe()
    os.close(reader)
    done = python("-m", "diamant_env", "watch", *GAME, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("error", "flushed", "closed"),
    [
        (OSError(errno.EINVAL, "Invalid argument"), False, True),
        (OSError(errno.EINVAL, "Invalid argument"), True, False),
        (OSError(errno.EINVAL, "Invalid argument", "a?.json"), False, False),
        (ValueError("seed=-1"), False, False),
    ],
)
def test_closed_pipe_on_windows(error, flushed, closed, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(os, "name", "nt")
        patch.setattr(sys, "stdout", io.StringIO() if flushed else ClosedPipe())
        found = is_closed_pipe(error)
    assert found is closed


def test_ctrl_c_runs_finally():
    code = """
import signal, sys
from diamant_env.commands.command import run_command

def run():
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        print("finally")

sys.exit(run_command("some command", run))
"""
    done = python("-c", code, stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout, done.stderr) == (130, "finally\n", "some command: stopped\n")


# Another project's `python -m train.main`, which has packages `train` and `agents` of its own.
OTHER_PROJECT = """
import atexit, signal, sys, threading
import agents

def handlers():
    signals = [signal.getsignal(each) for each in signal.valid_signals()]
    hooks = [sys.excepthook, sys.unraisablehook, threading.excepthook, sys.stdin, sys.stdout, sys.stderr]
    return signals, hooks, threading.enumerate()

import numba, gymnasium, pettingzoo  # these may have handlers of their own

before, exits = handlers(), []
register, atexit.register = atexit.register, lambda function, *given, **named: exits.append(function)
import diamant_env

assert handlers() == before, (handlers(), before)
ours = [function for function in exits if function.__module__.startswith("diamant_env")]
assert not ours, ours
assert not [name for name in sys.modules if name.startswith("diamant_env.commands")]
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted")
raise RuntimeError("of the other project")
"""


def test_import_installs_no_handlers(tmp_path):
    for name in ("train", "agents"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    (tmp_path / "train" / "main.py").write_text(OTHER_PROJECT)
    done = python("-m", "train.main", path=tmp_path, stdout=subprocess.PIPE, cwd=tmp_path)
    assert done.stdout == "interrupted\n", done.stderr
    assert done.stderr.startswith("Traceback")
    assert done.stderr.endswith("RuntimeError: of the other project\n")
