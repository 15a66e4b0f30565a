"""Ctrl-C at any moment from the first import on: one line or none, status 130, never a traceback."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.faults.table import Effort, Row, Trials

ROOT = Path(__file__).parents[2]
_HANG = 120.0  # seconds after the interrupt
_LONGEST = 4.0  # seconds from the first import on
_RUN = ("ppo.decisions=4000", "ppo.games=12", "ppo.turns=16", "ppo.minibatch=128", "network.hidden=[8]", "threads=1")
_TELLS = """
import os, sys
class Tells:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            sys.meta_path.remove(self)
            os.write({descriptor}, b".")
sys.meta_path.insert(0, Tells())
"""
_CONTROL = "import numpy, time\ntime.sleep(60)\n"


def commands(folder: Path) -> dict[str, list[str]]:
    """Return the commands that are interrupted, with what they are given."""
    run = [part for change in _RUN for part in ("--set", change)]
    return {
        "diamant_env play": ["--seed", "1"],
        "diamant_env watch": ["ev", "bag:18", "--seed", "3"],
        "diamant_env film": ["tests/records/games/iello-2016-1-players-seed-1.txt", str(folder / "game.gif")],
        "train.ppo": ["--no-judge", *run, "--out", str(folder / "runs")],
        "diamant_env evaluate": ["bag:18", "--against", "clones:bag:12", "--games", "20000"],
        "diamant_env tournament": ["bag:18", "ev", "bag:12", "cards:6", "--games", "20000"],
        "diamant_env exact": ["ev:0.75", "--players", "2"],
        "train.best_response": ["bag:9", *run, "--out", str(folder / "answers")],
    }


def interrupts(effort: Effort, which: slice = slice(None)) -> Iterator[Row]:
    """One row for each command; of a small campaign the first two."""
    folder = effort.place("commands")
    (folder / "control.py").write_text(_CONTROL)
    caught = any(_interrupted(folder, [str(folder / "control.py")], 0.01 * number) for number in range(5))
    chosen = list(commands(folder).items())[: 2 if effort.scale < 0.1 else None][which]
    for command, given in chosen:
        words = ["-m", *command.split(), *given]
        trial, began = Trials(f"Ctrl-C at a random moment of python -m {command}", effort), time.monotonic()
        _interrupted(folder, words, _LONGEST)
        lasts = min(_LONGEST, time.monotonic() - began)
        for _ in effort.trials(100, seconds=600):
            trial(_interrupted(folder, words, float(effort.random.random()) * lasts))
        yield trial.row("a script that does nothing about it", caught)


def _verdict(status: int | None, said: str) -> str | None:
    if status is None:
        return "it hangs"
    if "Traceback" in said:
        return f"a traceback, status {status}: {said.strip().splitlines()[-1]}"
    # A shell calls a process that SIGINT has ended 130 too.
    return None if status in (0, 130, -signal.SIGINT) else f"status {status}: {said.strip()[-200:]}"


def _interrupted(folder: Path, command: list[str], moment: float) -> str | None:
    """Start a command and interrupt it so many seconds after its first import of a library; return what is wrong."""
    (folder / "game.gif").unlink(missing_ok=True)  # a film that is there is refused
    reading, writing = os.pipe()
    (folder / "sitecustomize.py").write_text(_TELLS.format(descriptor=writing))
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
        select.select([reading], [], [], _HANG)  # until the import, or the end of a process without one
        os.close(reading)
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
