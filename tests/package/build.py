"""Build, check and clean-room use of the package: `make package`.

Two builds must give the same bytes. The wheel is installed into an empty venv of each installed Python, where a game is
played, and into one with the README's extras, where every Python block of the README runs.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from versions import ROOT, installed

BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def run(*command: object, cwd: Path = ROOT, **environment: str) -> None:
    """Run a command; the program ends if it fails."""
    subprocess.run(list(map(str, command)), cwd=cwd, env=os.environ | environment, check=True)


def build(folder: Path) -> Path:
    """Build sdist and wheel of the last commit's date; return the wheel."""
    date = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=True)
    run(sys.executable, "-m", "build", "--outdir", folder, SOURCE_DATE_EPOCH=date.stdout.strip())
    run(sys.executable, "-m", "twine", "check", "--strict", *folder.iterdir())
    return next(folder.glob("*.whl"))


def venv_with(python: str, folder: Path, *packages: object) -> Path:
    """Return the interpreter of a new venv with these packages."""
    run(python, "-m", "venv", folder)
    run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return folder / "bin" / "python"


def main() -> None:
    """Build, compare, install, play."""
    dist = ROOT / "build" / "package" / "dist"
    shutil.rmtree(dist.parent, ignore_errors=True)
    wheel = build(dist)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        if build(place / "again").read_bytes() != wheel.read_bytes():
            sys.exit("two builds of the wheel differ")
        print(f"{wheel.name}: two builds, same bytes, {wheel.stat().st_size:,} of them", flush=True)
        for version, python in installed():
            own = venv_with(python, place / version, wheel)
            run(own, ROOT / "tests" / "package" / "ten_lines.py", cwd=place)
        own = venv_with(
            sys.executable, place / "extras", "-c", ROOT / "constraints.txt", f"{wheel}[judge,sb3,open-spiel,jax]"
        )
        run(own.parent / "diamant", "watch", "champion", "ev", "--seed", "1", "--speed", "0", cwd=place)
        blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
        imports = "\n".join(
            line for block in blocks for line in block.splitlines() if line.startswith(("import", "from"))
        )
        for block in blocks:
            (place / "block.py").write_text(f"{imports}\n{block}")
            run(own, "block.py", cwd=place)
    print("all blocks of the README ran in an empty venv with the wheel and its extras")


if __name__ == "__main__":
    main()
