"""Virtual environments for the peers, made by pip in a folder of the user's; nothing of theirs is kept here."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.puffer import build_squared

_INSTALLED = "installed.txt"


class CannotInstallError(RuntimeError):
    """A peer's packages can't be installed here."""


@dataclass(frozen=True)
class Venv:
    """What to install together.

    Attributes:
        name: Of its folder.
        steps: Arguments of `pip install`, one tuple per call.
        build: Called afterwards with the environment's Python and the folder of all environments; RuntimeError if it
            can't do its work.
        seconds: Limit for each of the steps.
    """

    name: str
    steps: tuple[tuple[str, ...], ...]
    build: Callable[[Path, Path], None] | None = None
    seconds: int = 1200


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
        CannotInstallError: If that fails; the message ends with pip's last lines.
    """
    place = folder / venv.name
    python = place / "bin" / "python"
    done = place / _INSTALLED
    wanted = repr(venv.steps)
    if done.exists() and done.read_text() == wanted:
        return python
    print(f"installing {venv.name} into {place}", file=sys.stderr)
    place.parent.mkdir(parents=True, exist_ok=True)
    _run([sys.executable, "-m", "venv", "--clear", str(place)], venv)
    for packages in venv.steps:
        _run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], venv)
    if venv.build is not None:
        try:
            venv.build(python, folder)
        except RuntimeError as error:
            raise CannotInstallError(f"{venv.name}: {error}") from None
    done.write_text(wanted)
    return python


def _run(command: list[str], venv: Venv) -> None:
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=venv.seconds)
    except subprocess.TimeoutExpired:
        raise CannotInstallError(f"{venv.name}: {' '.join(command)} took more than {venv.seconds} s") from None
    if result.returncode != 0:
        lines = [line for line in result.stderr.splitlines() if line.strip() and "WARNING" not in line]
        errors = [line.strip() for line in lines if "Error" in line] or lines
        raise CannotInstallError(f"{venv.name}: {' '.join(command[1:])} failed: {errors[-1] if errors else ''}")
