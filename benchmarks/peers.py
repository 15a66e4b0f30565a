"""Measure the engine beside the environments that people use: ``python -m benchmarks.peers``."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import arg

from benchmarks.contenders.peer_venv import PEERS, PUFFER, Venv, python_of
from benchmarks.contenders.puffer import FLAGS as PUFFER_FLAGS
from benchmarks.contenders.puffer import VERSION as PUFFER_VERSION
from benchmarks.measure import QUICK, Effort, alternate_timed
from benchmarks.results import Comparison, comparisons, machine, publish
from diamant_env.commands.command import run_command
from train.runs.results import make_folder

COMMAND = "python -m benchmarks.peers"
ROOT = Path(__file__).parent.parent
VENVS = ROOT / "build" / "peers"
OURS = 2048  # games in our batches: near where the engine is fastest
_SEARCH = Effort(repeats=2, seconds=0.2)  # to find the best batch of a peer


@dataclass(frozen=True)
class Peer:
    """One peer: its contender in `peer_worker`, the batches it may choose from, and which of ours it meets.

    Attributes:
        name: What it is called in the table.
        contender: Its name in `peer_worker.CONTENDERS`.
        batches: The best of them counts.
        ours: Our contenders.
        venv: What it needs; None for our own.
        per_step: Whether steps of the environment are compared rather than agent-steps.
    """

    name: str
    contender: str
    batches: tuple[int, ...]
    ours: tuple[str, ...]
    venv: Venv | None = PEERS
    per_step: bool = False


_BATCH = ("diamant-4", "diamant-8")
_NARROW = ("diamant-4-tables", "diamant-8-tables")
PEER_LIST = (
    Peer("PettingZoo rps, parallel API", "rps-parallel", (1,), ("diamant-parallel",), per_step=True),
    Peer("SuperSuit rps", "rps-supersuit", (1, 16, 64), _BATCH),
    Peer("OpenSpiel goofspiel, 4 players, Python", "goofspiel", (1,), _BATCH),
    Peer("OpenSpiel pig, random games in C++", "pig", (1,), ("diamant-games",)),
    Peer("Gymnasium vector CartPole", "cartpole", (1024, 4096, 16_384, 65_536), _BATCH),
    Peer("JaxMARL switch_riddle, scan", "switch-riddle", (256, 1024, 4096, 16_384, 65_536), _BATCH + _NARROW),
    Peer("PufferLib squared", "squared", (256, 1024, 4096, 16_384), _BATCH + _NARROW, PUFFER),
)


@dataclass(frozen=True)
class Arguments:
    """Measure the engine beside PettingZoo, SuperSuit, OpenSpiel, Gymnasium, JaxMARL and PufferLib.

    The peers are installed from PyPI into virtual environments of their own (1.5 GB).
    PufferLib's one is compiled from pufferlib-3.0.0.tar.gz, its source distribution on PyPI, if that lies in --folder.
    Each contender is a process on the same core; they take turns, and the median of the ratios counts.
    """

    only: Annotated[tuple[str, ...], arg(metavar="NAME …")] = ()
    """Peers to measure: names in the worker, such as cartpole or switch-riddle; all by default."""
    folder: Annotated[Path, arg(metavar="FOLDER")] = VENVS
    """Where the virtual environments are, or are made."""
    out: Annotated[Path, arg(metavar="FOLDER")] = Path("runs/benchmarks/peers")
    """Folder for results.json and the plot; it is made if it is not there."""
    repeats: int = 7
    """How often each contender plays."""
    seconds: float = 0.5
    """About how long it plays each time."""
    quick: bool = False
    """Only show that everything runs; the figures mean nothing. Only what needs no installing, unless named."""


class Worker:
    """A contender in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], agent_steps: float) -> None:
        self.process, self.agent_steps = process, agent_steps

    def seconds(self, steps: int) -> float:
        """Let it play; return the seconds by its own clock."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


@contextmanager
def worker(python: Path, contender: str, batch: int) -> Iterator[Worker]:
    """Start a contender and end it with the block.

    Raises:
        RuntimeError: If it can't start; the message is its last line.
    """
    own = python == Path(sys.executable)
    worker = (
        ["-m", "benchmarks.contenders.peer_worker"] if own else [str(ROOT / "benchmarks/contenders/peer_worker.py")]
    )
    command = [str(python), *worker]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu"}
    pipe = subprocess.PIPE
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [*command, contender, str(batch)],
            cwd=ROOT if own else python.parent,  # PufferLib leaves a link behind where it is imported
            env=environment,
            text=True,
            stdin=pipe,
            stdout=pipe,
            stderr=errors,
        )
        try:
            assert process.stdout is not None
            first = process.stdout.readline()
            if not first:
                errors.seek(0)
                raise RuntimeError(" ".join(errors.read().strip().splitlines()[-1:]) or f"{contender} ended at once")
            yield Worker(process, float(first))
        finally:
            process.kill()
            process.communicate()


def best_batch(python: Path, peer: Peer, effort: Effort) -> int:
    """Return the batch at which a peer is fastest, by a short look at each."""
    if len(peer.batches) == 1:
        return peer.batches[0]
    found = {}
    for batch in peer.batches:
        with worker(python, peer.contender, batch) as own:
            found[batch] = alternate_timed({"": own.seconds}, effort)[""].median * own.agent_steps
    return max(found, key=lambda batch: found[batch])


def compare_peer(peer: Peer, python: Path, effort: Effort, search: Effort) -> list[Comparison]:
    """Measure ours beside a peer at its best batch; all take turns."""
    batch = best_batch(python, peer, search)
    with ExitStack() as stack:
        running = {peer.contender: stack.enter_context(worker(python, peer.contender, batch))}
        for name in peer.ours:
            running[name] = stack.enter_context(worker(Path(sys.executable), name, OURS))
        timed = {name: own.seconds for name, own in running.items()}
        speeds = alternate_timed(timed, effort)
        if not peer.per_step:
            speeds = {name: speed.times(running[name].agent_steps) for name, speed in speeds.items()}
    unit, scale = ("steps/s", 1.0) if peer.per_step else ("M agent-steps/s", 1e-6)
    rival = f"{peer.name}, batch {batch:,}" if len(peer.batches) > 1 else peer.name
    theirs = {rival: speeds[peer.contender].times(scale)}
    return [
        row
        for name in peer.ours
        for row in comparisons("peers", name, unit, {name: speeds[name].times(scale)} | theirs)
    ]


def measure(arguments: Arguments) -> None:
    """Measure, print and save.

    Raises:
        ValueError: If a peer is unknown or nothing could be measured.
    """
    make_folder(arguments.out)
    known = [peer.contender for peer in PEER_LIST]
    if unknown := sorted(set(arguments.only) - set(known)):
        raise ValueError(f"unknown peers {', '.join(unknown)}; peers: {', '.join(known)}")
    chosen = [peer for peer in PEER_LIST if peer.contender in arguments.only or not arguments.only]
    effort = QUICK if arguments.quick else Effort(arguments.repeats, arguments.seconds)
    rows: list[Comparison] = []
    notes: list[str] = []
    for peer in chosen:
        try:
            python = _python_for(peer, arguments)
            rows += compare_peer(peer, python, effort, QUICK if arguments.quick else _SEARCH)
        except RuntimeError as error:
            notes.append(f"{peer.name}: not measured: {error}")
    notes.append(f"ours: batch {OURS:,}, LEAVE with probability 0.1; every process on the same core")
    pinned = [package for venv in (PEERS, PUFFER) for step in venv.steps for package in step if "==" in package]
    pinned.append(f"pufferlib=={PUFFER_VERSION}, {' '.join(PUFFER_FLAGS)}")
    notes.append(f"peers: {', '.join(dict.fromkeys(pinned))}")
    publish(COMMAND, rows, arguments.out, machine(), notes)


def _python_for(peer: Peer, arguments: Arguments) -> Path:
    """Our own Python for a quick look at what is installed here anyway, else that of the peer's environment."""
    if peer.venv is None or (arguments.quick and not arguments.only):
        return Path(sys.executable)
    return python_of(peer.venv, arguments.folder)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""

    def run() -> None:
        measure(tyro.cli(Arguments, prog=COMMAND, args=argv))

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
