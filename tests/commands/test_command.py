"""Exit of commands: one line for an expected error, 130 after Ctrl-C, silence on a closed pipe."""

import errno
import inspect
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from diamant_env import EDITIONS
from diamant_env.commands import diamant
from diamant_env.commands.terminal import run_command

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


GAMES = ["--games", "7", "--players", "5"]
GAME = ["--seed", "3", "--edition", "everdeck/hidden_chests:1"]
SEATED = {"seed": 3, "edition": "everdeck/hidden_chests:1"}
TAKEN = {"games": 7, "players": 5, **SEATED}
EVALUATE_ARGUMENTS = {"agent": "ev", "against": ["pool"], "compare": ["bag"], **TAKEN}
EVALUATE = ["ev", "--against", "pool", "--compare", "bag", *GAMES, *GAME]
SOLVED = {"agents": ["ev"], "players": [2, 3], "edition": EDITIONS["everdeck"]}
SOLVE = ["ev", "--players", "2", "3", "--edition", "everdeck"]


@pytest.mark.parametrize(
    ("command", "called", "words", "expected"),
    [
        ("evaluate", "evaluate.evaluate", EVALUATE, EVALUATE_ARGUMENTS),
        ("exact", "exact.measure", [*SOLVE, "--whole-game"], {"whole_game": True, "reward": None, **SOLVED}),
        ("exact", "exact.measure", [*SOLVE, "--reward", "win"], {"whole_game": False, "reward": "win", **SOLVED}),
        ("watch", "watch.GameSession", ["ev", "bag", *GAME], {"agents": ["ev", "bag"], **SEATED}),
    ],
)  # fmt: skip
def test_options_reach_the_function(command, called, words, expected, monkeypatch):
    module, name = called.split(".")
    place, taken = import_module(f"diamant_env.commands.{module}"), {}
    signature = inspect.signature(getattr(place, name))

    def stop(*given, **named):
        taken.update(signature.bind(*given, **named).arguments)
        raise ValueError("stopped")

    monkeypatch.setattr(place, name, stop)
    assert diamant.main([command, *words]) == 2
    assert {key: taken[key] for key in expected} == expected


def test_closed_pipe_is_silent():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "diamant_env", "watch", "bag:18", "traps", "--seed", "3", "--speed", "0"]
    done = subprocess.run(command, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=600)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")
