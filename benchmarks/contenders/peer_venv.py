"""Virtual environments for the peers, made by pip in a folder of the user's; nothing of theirs is kept here."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contenders.puffer import build_squared

_SECONDS = 1200  # limit for each step


@dataclass(frozen=True)
class Venv:
    """What to install together.

    Attributes:
        name: Of its folder.
        steps: Arguments of `pip install`, one tuple per call.
        build: Called afterwards with the environment's Python and the folder of all environments; RuntimeError if it
            can't do its work.
    """

    name: str
    steps: tuple[tuple[str, ...], ...]
    build: Callable[[Path, Path], None] | None = None


PEERS = Venv(
    "peers",
    (
        ("numpy==2.4.6", "pettingzoo==1.27.0", "supersuit==3.11.0", "pygame-ce==2.5.8", "gymnasium==1.3.0"),
        ("open_spiel==2.0.2",),
        ("jax==0.10.2", "jaxlib==0.10.2", "jaxmarl==0.2.0", "numpy==2.4.6"),
    ),
)
PUFFER = Venv("puffer", (("numpy<2", "gymnasium<=0.29.1", "gym==0.23.0"),), build=build_squared)


def python_of(venv: Venv, folder: Path) -> Path:
    """Return the Python of a virtual environment, made and filled first if it is not there.

    Raises:
        RuntimeError: If that fails; the message ends with pip's last line.
    """
    place = folder / venv.name
    python, done = place / "bin" / "python", place / "installed.txt"
    wanted = repr(venv.steps)
    if done.exists() and done.read_text() == wanted:
        return python
    print(f"installing {venv.name} into {place}", file=sys.stderr)
    place.parent.mkdir(parents=True, exist_ok=True)
    _run([sys.executable, "-m", "venv", "--clear", str(place)])
    for packages in venv.steps:
        _run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])
    if venv.build is not None:
        venv.build(python, folder)
    done.write_text(wanted)
    return python


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{' '.join(command)} took more than {_SECONDS} s") from None
    except subprocess.CalledProcessError as error:
        lines = [line for line in error.stderr.splitlines() if "Error" in line] or error.stderr.splitlines()
        raise RuntimeError(f"{' '.join(command[1:])} failed: {' '.join(lines[-1:])}") from None
