"""Installed, played, installed anew in place, played, uninstalled: nothing stays behind and nothing is in the way."""

import os
import shutil
import subprocess
import sys
import venv
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLAY = """
import gymnasium, numpy
import diamant_env
from diamant_env import Batch, random_numbers
assert gymnasium.spec("diamant_env/Diamant-v0")
random_numbers.mix(numpy.uint64(1), numpy.uint64(2))
print(diamant_env.__file__)
"""


def test_installed_played_in_place_played_uninstalled(tmp_path):
    pytest.importorskip("pip")
    if int(metadata.version("setuptools").partition(".")[0]) < 77:  # to import it may fail beside distutils
        pytest.skip("setuptools 77 builds the package without the network")
    sources, home, place = tmp_path / "sources", tmp_path / "home", tmp_path / "venv"
    sources.mkdir()
    home.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, sources)
    shutil.copytree(ROOT / "diamant_env", sources / "diamant_env", ignore=shutil.ignore_patterns("__pycache__"))
    venv.create(place, symlinks=os.name != "nt")
    (site,) = place.rglob("site-packages")
    others = [path for path in sys.path if path.endswith("site-packages")]
    (site / "others.pth").write_text("\n".join(others), encoding="utf-8")
    before = set(site.rglob("*"))

    def python(*arguments: str) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.endswith("_CACHE_DIR")}
        environment |= {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "PYTHONPATH": "", "PIP_NO_INDEX": "1"}
        command = [place / "bin" / "python", *arguments]
        done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    install = ("-m", "pip", "install", "--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--quiet")
    python(*install, str(sources))
    assert python("-c", PLAY) == str(site / "diamant_env" / "__init__.py")
    assert list(home.glob("cache/diamant_env/*/*.code"))  # compiled code was kept
    python(*install, "--editable", str(sources))
    assert python("-c", PLAY) == str(sources / "diamant_env" / "__init__.py")
    python("-m", "pip", "uninstall", "--yes", "diamant-env")
    assert set(site.rglob("*")) - before == set()
    assert not list(sources.rglob("*.nb[ci]")) + list(sources.rglob("*.code"))
