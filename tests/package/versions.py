"""Tests of the core on every installed Python from 3.11 on, with the lowest and the newest dependencies.

``python tests/package/versions.py [FOLDER ...]``: the virtual environments in build/versions are kept. Files that
import more than the core, such as stable-baselines3, are left out.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
NEEDS_MORE = re.compile(
    r"^(from|import) (train|examples|update|torch|stable_baselines3|diamant_env\.(advice|commands|evaluation|sb3))"
    r"|^from diamant_env import .*\b(evaluation|sb3)\b",
    re.MULTILINE,
)
OTHER_TESTS = re.compile(r"^from (tests\.\S+) import", re.MULTILINE)
NEWEST: tuple[str, ...] = ()
# Lower bounds of pyproject.toml, or the first release with wheels for that Python.
_GYM = ("gymnasium==1.1.0", "platformdirs==4.0.0")
_OLDER = (*_GYM, "pettingzoo==1.25.0", "safetensors==0.4.0", "numpy==1.26.0", "numba==0.60.0")
LOWEST = {
    "3.11": _OLDER,
    "3.12": _OLDER,
    "3.13": (*_GYM, "pettingzoo==1.26.0", "safetensors==0.4.5", "numpy==2.1.0", "numba==0.61.0"),
}


def installed() -> Iterator[tuple[str, str]]:
    """Yield each installed Python version and its interpreter, including pyenv's."""
    for version in PYTHONS:
        kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
        for python in filter(None, [*map(str, kept), shutil.which(f"python{version}")]):
            if not subprocess.run([python, "--version"], capture_output=True, check=False).returncode:
                yield version, python
                break
        else:
            print(f"Python {version}: not installed", flush=True)


def needs_more(path: Path) -> bool:
    """Return whether a file imports more than the core, itself or by other tests."""
    text = path.read_text(encoding="utf-8")
    imported = (ROOT / f"{name.replace('.', '/')}.py" for name in OTHER_TESTS.findall(text))
    return bool(NEEDS_MORE.search(text)) or any(map(needs_more, filter(Path.is_file, imported)))


def main(folders: list[str]) -> int:
    """Test all installed versions; return the exit status."""
    failed = 0
    for version, python in installed():
        for name, pins in (("lowest", LOWEST.get(version)), ("newest", NEWEST)):
            if pins is not None:
                passed = _test(python, ROOT / "build" / "versions" / f"{version}-{name}", pins, folders)
                print(f"Python {version}, {name} dependencies: {'passed' if passed else 'FAILED'}", flush=True)
                failed += not passed
    return min(failed, 1)


def _test(python: str, venv: Path, pins: tuple[str, ...], folders: list[str]) -> bool:
    own = venv / "bin" / "python"
    if not own.exists():
        subprocess.run([python, "-m", "venv", venv], check=True)
    install = [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pins]
    packages = ["pytest>=8", "pytest-xdist>=3.5", "hypothesis>=6.100", "-e", str(ROOT)]
    if subprocess.run([*install, *packages], check=False).returncode:
        return False
    files = [path for folder in folders for path in (ROOT / folder).rglob("test_*.py")]
    ignored = [f"--ignore={path}" for path in files if needs_more(path)]
    command = [own, "-m", "pytest", "-q", "-n", "2", *folders, *ignored]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["tests"]))
