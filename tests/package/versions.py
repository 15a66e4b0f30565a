"""Run the package's tests on every installed Python from 3.11 on, with the lowest and the newest dependencies.

``python tests/package/versions.py [ROOM ...]``: each has a virtual environment in build/versions, kept for later.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("tests/rules", "tests/game", "tests/engine", "tests/envs", "tests/opponents", "tests/records")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
NEWEST: tuple[str, ...] = ()
# What pyproject.toml allows at least, or the first release with wheels for that Python.
_LOWEST = ("gymnasium==1.1.0", "pettingzoo==1.25.0", "platformdirs==4.0.0", "safetensors==0.4.0")
LOWEST = {
    "3.11": (*_LOWEST, "numpy==1.26.0", "numba==0.60.0"),
    "3.12": (*_LOWEST, "numpy==1.26.0", "numba==0.60.0"),
    "3.13": (*_LOWEST, "numpy==2.1.0", "numba==0.61.0"),
}


def main(rooms: list[str]) -> int:
    """Test all there are; return the exit status."""
    failed = 0
    for version in PYTHONS:
        python = shutil.which(f"python{version}")
        if python is None or subprocess.run([python, "--version"], capture_output=True, check=False).returncode:
            print(f"Python {version}: not installed", flush=True)
            continue
        for name, pins in (("lowest", LOWEST.get(version)), ("newest", NEWEST)):
            if pins is not None:
                passed = _test(python, ROOT / "build" / "versions" / f"{version}-{name}", pins, rooms)
                print(f"Python {version}, {name} dependencies: {'passed' if passed else 'FAILED'}", flush=True)
                failed += not passed
    return min(failed, 1)


def _test(python: str, venv: Path, pins: tuple[str, ...], rooms: list[str]) -> bool:
    own = venv / "bin" / "python"
    if not own.exists():
        subprocess.run([python, "-m", "venv", venv], check=True)
    install = [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pins]
    packages = ["pytest>=8", "pytest-xdist>=3.5", "hypothesis>=6.100", "-e", str(ROOT)]
    if subprocess.run([*install, *packages], check=False).returncode:
        return False
    command = [own, "-m", "pytest", "-q", "-n", "2", *(rooms or ROOMS)]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
