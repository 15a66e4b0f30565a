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

from benchmarks.contenders.puffer import SOURCES, build_squared
from benchmarks.measure import QUICK, Effort, Timed, alternate
from benchmarks.results import Comparison, comparisons, machine, publish
from diamant_env.commands.command import run_command
from train.runs.results import make_folder

COMMAND = "python -m benchmarks.peers"
ROOT = Path(__file__).parent.parent
VENVS = ROOT / "build" / "peers"
OURS = 2048  # games in our batches: near where the engine is fastest
# What pip installs into each virtual environment, a tuple for each call.
VENV_PACKAGES = {
    "peers": (
        ("numpy==2.4.6", "pettingzoo==1.27.0", "pygame-ce==2.5.8", "gymnasium==1.3.0", "open_spiel==2.0.2"),
        ("jax==0.10.2", "jaxlib==0.10.2", "jaxmarl==0.2.0", "numpy==2.4.6"),
    ),
    "puffer": (("numpy<2", "gymnasium<=0.29.1", "gym==0.23.0"),),
}
_LIMIT = 1200  # seconds for each call of pip


@dataclass(frozen=True)
class Peer:
    """One peer."""

    name: str  # what it is called in the table
    contender: str  # its name in `peer_worker.CONTENDERS`
    batch: int = 1  # copies of the environment: where it was fastest of 256 to 65,536 (`squared`: 16,384)
    ours: tuple[str, ...] = ("diamant-4", "diamant-8")  # our contenders that it meets
    venv: str = "peers"


PEER_LIST = (
    Peer("PettingZoo rps, parallel API, one game", "rps-parallel", ours=("diamant-parallel",)),
    Peer("OpenSpiel goofspiel, 4 players, Python", "goofspiel"),
    Peer("Gymnasium vector CartPole", "cartpole", 16_384),
    Peer("JaxMARL switch_riddle, scan", "switch-riddle", 16_384),
    Peer("PufferLib squared", "squared", 256, venv="puffer"),
)


@dataclass(frozen=True)
class Arguments:
    """Measure the engine beside PettingZoo, OpenSpiel, Gymnasium, JaxMARL and PufferLib.

    The peers are installed from PyPI into virtual environments of their own in build/peers (1.5 GB).
    PufferLib's one is compiled from pufferlib-3.0.0.tar.gz, its source distribution on PyPI, if that lies there.
    Each contender is a process on the same core; they take turns, and the median of the ratios counts.
    """

    only: Annotated[tuple[str, ...], arg(metavar="NAME …")] = ()
    """Peers to measure: names in the worker, such as cartpole or switch-riddle; all by default."""
    out: Annotated[Path, arg(metavar="FOLDER")] = Path("runs/benchmarks/peers")
    """Folder for results.json; it is made if it is not there."""
    quick: bool = False
    """Only show that everything runs; the figures mean nothing. Nothing is installed."""


def python_of(venv: str) -> Path:
    """Return the Python of a virtual environment, made and filled first if it is not there.

    Raises:
        RuntimeError: If that fails; the message ends with the last line of what failed.
    """
    place = VENVS / venv
    python, done = place / "bin" / "python", place / "installed.txt"
    wanted = repr(VENV_PACKAGES[venv])
    if done.exists() and done.read_text() == wanted:
        return python
    print(f"installing {venv} into {place}", file=sys.stderr)
    commands = [[sys.executable, "-m", "venv", "--clear", str(place)]]
    commands += [[str(python), "-m", "pip", "install", "--quiet", *packages] for packages in VENV_PACKAGES[venv]]
    try:
        for command in commands:
            subprocess.run(command, capture_output=True, text=True, check=True, timeout=_LIMIT)
        if venv == "puffer":
            build_squared(python, VENVS)
    except subprocess.SubprocessError as error:
        said = error.stderr if isinstance(error, subprocess.CalledProcessError) else str(error)
        raise RuntimeError(f"no {venv}: {said.strip().splitlines()[-1]}") from None
    done.write_text(wanted)
    return python


@contextmanager
def worker(python: Path, contender: str, batch: int) -> Iterator[tuple[Timed, float]]:
    """Start a contender in a process of its own; yield it with its agent-steps of a step; end it with the block.

    Raises:
        RuntimeError: If it can't start; the message is its last line.
    """
    program = ROOT / "benchmarks" / "contenders" / "peer_worker.py"
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [str(python), str(program), contender, str(batch)],
            cwd=folder,  # PufferLib leaves a link behind where it is imported
            env=os.environ | {"OMP_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(ROOT)},
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        asked, answers = process.stdin, process.stdout

        def seconds(steps: int) -> float:
            asked.write(f"{steps}\n")
            asked.flush()
            return float(answers.readline())

        try:
            first = answers.readline()
            if not first:
                errors.seek(0)
                raise RuntimeError(" ".join(errors.read().strip().splitlines()[-1:]) or f"{contender} ended at once")
            yield seconds, float(first)
        finally:
            process.kill()
            process.communicate()


def compare_peer(peer: Peer, python: Path, effort: Effort) -> list[Comparison]:
    """Measure ours beside a peer in agent-steps, one game in steps; all take turns."""
    with ExitStack() as stack:
        running = {name: stack.enter_context(worker(Path(sys.executable), name, OURS)) for name in peer.ours}
        running[peer.contender] = stack.enter_context(worker(python, peer.contender, peer.batch))
        speeds = alternate({name: play for name, (play, _) in running.items()}, effort)
    one_game = "diamant-parallel" in peer.ours
    unit = "steps/s" if one_game else "M agent-steps/s"
    rates = {name: speed.times(1 if one_game else running[name][1] / 1e6) for name, speed in speeds.items()}
    rival = f"{peer.name}, batch {peer.batch:,}" if peer.batch > 1 else peer.name
    rows = (comparisons("peers", name, unit, {name: rates[name], rival: rates[peer.contender]}) for name in peer.ours)
    return [row for found in rows for row in found]


def measure(arguments: Arguments) -> None:
    """Measure, print and save.

    Raises:
        ValueError: If a peer is unknown.
    """
    known = [peer.contender for peer in PEER_LIST]
    if unknown := sorted(set(arguments.only) - set(known)):
        raise ValueError(f"unknown peers {', '.join(unknown)}; peers: {', '.join(known)}")
    make_folder(arguments.out)
    rows, notes = list[Comparison](), list[str]()
    effort = QUICK if arguments.quick else Effort(seconds=0.5)
    for peer in PEER_LIST:
        if peer.contender in arguments.only or not arguments.only:
            try:
                python = Path(sys.executable) if arguments.quick else python_of(peer.venv)
                rows += compare_peer(peer, python, effort)
            except RuntimeError as error:
                notes.append(f"{peer.name}: not measured: {error}")
    notes.append(f"ours: batch {OURS:,}, LEAVE with probability 0.1; every process on the same core")
    pinned = [package for calls in VENV_PACKAGES.values() for packages in calls for package in packages]
    notes.append(f"peers: {', '.join(dict.fromkeys(pinned))}, {SOURCES}")
    publish(COMMAND, rows, arguments.out, machine(), notes)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""

    def run() -> None:
        measure(tyro.cli(Arguments, prog=COMMAND, args=argv))

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
