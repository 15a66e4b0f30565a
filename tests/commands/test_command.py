"""How commands begin and end: one line for what went wrong, 130 after Ctrl-C, no word when nobody reads any more."""

import errno
import io
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from diamant_env.commands import command, diamant
from diamant_env.commands.command import run_command
from train import ppo

ROOT = Path(__file__).parents[2]
GAME = ["bag:18", "traps", "--seed", "3", "--speed", "0"]
DEEP = "[" * 100_000


def ends_with(error: BaseException) -> int:
    def run() -> None:
        raise error

    return run_command("python -m some.command", run)


def python(*arguments: str, path: Path | None = None, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(path or ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        timeout=600,
        **options,
    )


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (ValueError("seed=-1"), 2, "error: seed=-1"),
        (ValueError("no file a\nb.toml;\n  look"), 2, "error: no file a b.toml; look"),
        (ValueError("x" * 9_000), 2, f"error: {'x' * 1000} ... {'x' * 1000}"),
        (FileNotFoundError(errno.ENOENT, "No such file", "here"), 2, "error: [Errno 2] No such file: 'here'"),
        (ImportError("a film needs Pillow"), 2, "error: a film needs Pillow"),
        (MemoryError(), 2, "error: out of memory: MemoryError"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), 2, "error: out of memory: DefaultCPUAllocator"),
        (KeyboardInterrupt(), 130, "stopped"),
        (KeyboardInterrupt("go on with --resume runs/x"), 130, "stopped; go on with --resume runs/x"),
    ],
)
def test_what_went_wrong_is_one_line(error, status, line, capsys):
    assert ends_with(error) == status
    shown = capsys.readouterr().err
    assert shown.startswith(f"python -m some.command: {line}")
    assert shown.count("\n") == 1


def test_a_defect_keeps_its_traceback():
    with pytest.raises(RuntimeError, match="two games had the same key"):
        ends_with(RuntimeError("two games had the same key"))


def test_other_ends(capsys):
    assert (
        ends_with(SystemExit(2))
        == diamant.main(["play", "--nothing"])
        == diamant.main(["evaluate", "bag:18", "--nothing"])
        == 2
    )
    assert ends_with(SystemExit(None)) == diamant.main(["play", "--help"]) == 0
    assert capsys.readouterr().err
    assert ends_with(BrokenPipeError()) == 0
    assert capsys.readouterr().err == ""
    # Who imports a command, such as pytest, keeps their own Ctrl-C.
    assert signal.getsignal(signal.SIGINT) is not command._leave_at_once
    assert sys.excepthook is not command._no_traceback


@pytest.mark.parametrize("stream", ["stdin", "stdout", "stderr"])
@pytest.mark.parametrize("arguments", [["play", "--opponents", "bag:18"], ["watch", *GAME], ["watch", *GAME, "--step"]])
def test_a_closed_stream(arguments, stream, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    monkeypatch.setattr(sys, stream, None)
    assert diamant.main(arguments) == 0


def test_closed_streams_of_a_process(tmp_path):
    """What is written to a closed stdout must not land in the file that is opened next."""
    game = tmp_path / "game.txt"
    words = [sys.executable, "-m", "diamant_env", "watch", "bag:18", "traps", "--seed", "3", "--record", str(game)]
    line = f"exec {shlex.join(words)} <&- >&-"
    done = subprocess.run(["sh", "-c", line], cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert game.read_text().startswith("diamant")


def test_a_pipe_that_nobody_reads():
    reader, writer = os.pipe()
    os.close(reader)
    done = python("-m", "diamant_env", "watch", *GAME, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


CTRL_C = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nwhile True: pass\n"
MISSING = "raise ModuleNotFoundError(\"No module named 'numba'\", name='numba')"


@pytest.mark.parametrize(
    ("module", "numba", "status", "line"),
    [
        *((module, CTRL_C, 130, "stopped\n") for module in ("diamant_env", "train.ppo")),
        ("train.ppo", MISSING, 2, "error: No module named 'numba'; in the checkout: pip install"),
    ],
)
def test_ends_during_the_imports(module, numba, status, line, tmp_path):
    (tmp_path / "numba.py").write_text(numba)
    done = python("-m", module, path=tmp_path)
    assert done.returncode == status
    assert done.stderr.startswith(f"python -m {module}: {line}")
    assert done.stderr.count("\n") == 1


# A package of its own, since `agents` takes a second to import.
PACKAGE = """
import importlib.util, sys
place = importlib.util.spec_from_file_location("command", {path!r})
command = importlib.util.module_from_spec(place)
sys.modules["command"] = command
place.loader.exec_module(command)
command._OURS = ("late",)
command.guard_imports()
"""
MAIN = """
import atexit, os, signal, sys
from late import command

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)

class Finalized:
    def __del__(self):
        interrupt()

def run():
    {run}

sys.exit(command.run_command("python -m late", run))
"""


@pytest.mark.parametrize(
    ("run", "status"),
    [
        ("interrupt()", 130),
        ("atexit.register(interrupt)", 130),
        ("Finalized()", 130),
        ("\n    try: interrupt()\n    finally: interrupt()", 130),
        ("signal.signal(signal.SIGINT, signal.SIG_IGN); interrupt()", 0),
    ],
    ids=["while it runs", "at the exit of Python", "in a finalizer", "twice", "ignored, as in the background"],
)
def test_ctrl_c_at_any_moment(run, status, tmp_path):
    (tmp_path / "late").mkdir()
    (tmp_path / "late" / "__init__.py").write_text(
        PACKAGE.format(path=str(ROOT / "diamant_env" / "commands" / "command.py"))
    )
    (tmp_path / "late" / "__main__.py").write_text(MAIN.format(run=run))
    done = python("-m", "late", path=tmp_path)
    assert (done.returncode, done.stderr) == (status, "python -m late: stopped\n" if status else "")


def test_ctrl_c_before_there_is_a_folder(monkeypatch, capsys, tmp_path):
    def interrupted(path, kind):
        raise KeyboardInterrupt

    monkeypatch.setattr("train.runs.config.read_config", interrupted)
    assert ppo.main(["--out", str(tmp_path)]) == 130
    assert capsys.readouterr().err == "python -m train.ppo: stopped\n"


@pytest.mark.parametrize("content", [f"value = {DEEP}", f"{'a.' * 100_000}a = 1", "x = 1\n" * 200_000])
def test_hostile_toml(content, tmp_path, capsys):
    path = tmp_path / "hostile.toml"
    path.write_text(content)
    assert ppo.main(["--config", str(path), "--out", str(tmp_path)]) == 2
    assert diamant.main(["evaluate", "bag:18", "--against", str(path)]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert f"{path} is no TOML file: it " in first
    assert f"pool {path} is damaged: it " in second


@pytest.mark.parametrize(
    ("main", "arguments", "reason"),
    [
        (ppo.main, ["--name", DEEP], "String should have at most 200 characters"),
        (ppo.main, ["--seed", "9" * 5_000], "Exceeds the limit"),
        (ppo.main, ["--seed", str(2**64)], "less than or equal to 18446744073709551615"),
        (ppo.main, ["--ppo.games", "1000000"], "games = 1000000 × turns = 64; at most 10,000,000 are allowed"),
        (ppo.main, ["--start", f"{'search:' * 3_000}ev"], "3000 times search: in an agent's text; at most 2"),
        (diamant.main, ["evaluate", "bag:18", "--games", str(10**30)], "a whole number, 1 to 100000000, is allowed"),
        (
            diamant.main,
            ["evaluate", "bag:18", "--games", "8", "--seed", "-1"],
            "argument --seed: -1; a whole number from 0 to 2**64 - 1 is needed",
        ),
        (
            diamant.main,
            ["evaluate", "bag:18", "--games", "8", "--compare", f"{'search:' * 3_000}ev"],
            "3000 times search:",
        ),
    ],
)
def test_hostile_arguments(main, arguments, reason, tmp_path, capsys):
    assert main([*arguments, "--out", str(tmp_path)] if main is ppo.main else arguments) == 2
    shown = capsys.readouterr().err
    assert reason in shown
    assert shown.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
