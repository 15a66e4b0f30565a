"""Ctrl-C at any moment from the first import on: one line or none, status 130, never a traceback."""

from __future__ import annotations

import os
import runpy
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.faults.child import Child
from tests.faults.table import Effort, Row, Trials

ROOT = Path(__file__).parents[2]
_HANG = 120.0  # seconds after the interrupt
_COLD, _WARM = 30, 70  # of 100 interrupts a command: processes from scratch, and such that have imported the libraries
_LONGEST, _LONGEST_WARM = 3.0, 1.5  # seconds from the first import on
_RUN = (
    *("--ppo.decisions", "4000", "--ppo.games", "12", "--ppo.turns", "16", "--ppo.minibatch", "128"),
    *("--network.hidden", "8"),
)
_TELLS = """
import os, sys
class Tells:
    def find_spec(self, name, path=None, target=None):
        if name == {first!r}:
            sys.meta_path.remove(self)
            os.write({descriptor}, b".")
sys.meta_path.insert(0, Tells())
"""
_CONTROL = "import json, numpy, time\ntime.sleep(60)\n"


def commands(folder: Path) -> dict[str, list[str]]:
    """Return the commands that are interrupted, with what they are given."""
    return {
        "diamant_env play": ["--seed", "1"],
        "diamant_env watch": ["ev", "bag:18", "--seed", "3"],
        "diamant_env film": ["tests/records/games/iello-2016-1-players-seed-1.txt", str(folder / "game.gif")],
        "train.ppo": ["--no-judge", *_RUN, "--out", str(folder / "runs")],
        "diamant_env evaluate": ["bag:18", "--against", "clones:bag:12", "--games", "20000"],
        "diamant_env tournament": ["bag:18", "ev", "bag:12", "cards:6", "--games", "20000"],
        "diamant_env exact": ["ev:0.75", "--players", "2"],
        "train.best_response": ["bag:9", *_RUN, "--out", str(folder / "answers")],
    }


def interrupts(effort: Effort, which: slice = slice(None)) -> Iterator[Row]:
    """One row for each command."""
    folder = effort.place("commands")
    (folder / "control.py").write_text(_CONTROL)
    caught = any(_cold(folder, [str(folder / "control.py")], 0.01 * number) for number in range(5))
    small = effort.scale < 0.1
    for number, (command, given) in list(enumerate(commands(folder).items()))[which]:
        if small and number > 1:
            return
        trial = Trials(f"Ctrl-C at a random moment of python -m {command}", effort)
        cold, warm = partial(_cold, folder, ["-m", *command.split(), *given]), partial(_warm, folder, command, given)
        ways = [(cold, _COLD, _LONGEST), (warm, _WARM, _LONGEST_WARM)]
        for interrupted, times, longest in ways[small:]:
            for problem in _at_random(effort, interrupted, times, longest):
                trial(problem)
        yield trial.row("a script that does nothing about it", caught)


def _at_random(
    effort: Effort, interrupted: Callable[[float], str | None], number: int, longest: float
) -> Iterator[str | None]:
    """Interrupt so often, between the first import and the end of the command."""
    began, lasts = time.monotonic(), 1.0
    if effort.scale >= 0.1:
        interrupted(longest)
        lasts = min(longest, time.monotonic() - began)
    for _ in effort.trials(number, seconds=150):
        yield interrupted(float(effort.random.random()) * lasts)


def _verdict(status: int | None, said: str) -> str | None:
    if status is None:
        return "it hangs"
    if "Traceback" in said:
        return f"a traceback, status {status}: {said.strip().splitlines()[-1]}"
    # A shell calls a process that SIGINT has ended 130 too.
    return None if status in (0, 130, -signal.SIGINT) else f"status {status}: {said.strip()[-200:]}"


def _wait_for(reading: int) -> None:
    """Wait until something is written into this pipe, and close it."""
    select.select([reading], [], [], _HANG)
    os.close(reading)


def _cold(folder: Path, command: list[str], moment: float) -> str | None:
    """Start a command from scratch and interrupt it so many seconds after its first import of a library."""
    (folder / "game.gif").unlink(missing_ok=True)  # a film that is there is refused
    reading, writing = os.pipe()
    first = "json" if command[0] != "-m" else "numpy"
    (folder / "sitecustomize.py").write_text(_TELLS.format(first=first, descriptor=writing))
    with (folder / "said").open("w+b") as said:
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=said,
            pass_fds=[writing],
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        os.close(writing)
        _wait_for(reading)
        time.sleep(moment)
        process.send_signal(signal.SIGINT)
        try:
            status = process.wait(_HANG)
        except subprocess.TimeoutExpired:
            process.kill()
            status = None
        process.communicate()
        said.seek(0)
        return _verdict(status, said.read().decode(errors="replace"))


def _warm(folder: Path, command: str, given: list[str], moment: float) -> str | None:
    """Run a command in a fork of this process, which has imported the libraries, and interrupt it."""
    (folder / "game.gif").unlink(missing_ok=True)
    reading, writing = os.pipe()
    keys, typing = os.pipe()
    path = folder / "said"
    child = Child(partial(_run_module, command, given, path, writing, keys))
    os.close(writing)
    os.close(keys)
    _wait_for(reading)
    time.sleep(moment)
    os.kill(child.pid, signal.SIGINT)
    end = child.end(_HANG)
    os.close(typing)
    return _verdict(end.status, path.read_text(encoding="utf-8", errors="replace"))


def _run_module(command: str, given: list[str], said: Path, writing: int, keys: int) -> None:
    """Do what `python -m command` does, from the import of the command's package on."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.dup2(keys, 0)
    os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    os.chdir(ROOT)
    module, *subcommand = command.split()
    for name in [name for name in sys.modules if name.partition(".")[0] == "train" or ".commands" in name]:
        del sys.modules[name]
    sys.argv[:] = ["-m", *subcommand, *given]
    exec(_TELLS.format(first=module if "." in module else "diamant_env.commands", descriptor=writing), {})
    status = 0
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        status = 130 if isinstance(error, KeyboardInterrupt) else 1
    sys.stderr.flush()
    os._exit(status)
