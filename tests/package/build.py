"""Build, check and clean-room use of the package: `make package`.

The wheel is installed with the README's extras into an empty venv, where every Python block of the README runs.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def run(*command: object, cwd: Path = ROOT) -> None:
    """Run a command; the program ends if it fails."""
    subprocess.run(list(map(str, command)), cwd=cwd, check=True)


def main() -> None:
    dist = ROOT / "build" / "package" / "dist"
    shutil.rmtree(dist.parent, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", dist)
    run(sys.executable, "-m", "twine", "check", "--strict", *dist.iterdir())
    (wheel,) = dist.glob("*.whl")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        run(sys.executable, "-m", "venv", place / "venv")
        python = place / "venv" / "bin" / "python"
        extras = f"{wheel}[evaluation,sb3]"
        run(python, "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", extras)
        run(python.with_name("diamant"), "watch", "champion", "ev", "--seed", "1", "--speed", "0", cwd=place)
        blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
        imports = "\n".join(re.findall(r"^(?:import|from) .*", "\n".join(blocks), re.MULTILINE))
        for block in blocks:
            (place / "block.py").write_text(f"{imports}\n{block}")
            run(python, "block.py", cwd=place)
    print("all blocks of the README ran in an empty venv with the wheel and its extras")


if __name__ == "__main__":
    main()
