"""Installed, played, installed anew in place, played, uninstalled: nothing stays behind and nothing is in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from importlib import metadata, util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "diamant_env")

PLAY = """
import gymnasium, numpy
import diamant_env
from diamant_env import Batch, random_numbers
assert gymnasium.spec("diamant_env/Diamant-v0")
random_numbers.mix(numpy.uint64(1), numpy.uint64(2))
print(diamant_env.__file__)
"""


def _missing() -> str:
    """Say what is missing here to build the package without the network, nothing if all is there."""
    if util.find_spec("pip") is None:
        return "pip is not installed"
    try:
        version = metadata.version("setuptools")
    except metadata.PackageNotFoundError:
        return "setuptools is not installed"
    return "" if int(version.split(".")[0]) >= 77 else f"setuptools {version} is older than 77"


@pytest.mark.skipif(bool(_missing()), reason=_missing())
def test_installed_played_in_place_played_uninstalled(tmp_path):
    sources, home, place = tmp_path / "sources", tmp_path / "home", tmp_path / "venv"
    sources.mkdir()
    home.mkdir()
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, sources / name)
    for folder in list(sources.rglob("__pycache__")):
        shutil.rmtree(folder)
    venv.create(place, symlinks=os.name != "nt")
    (site,) = place.rglob("site-packages")
    others = [path for path in sys.path if path.endswith("site-packages")]
    (site / "others.pth").write_text("\n".join(others), encoding="utf-8")
    before = set(site.rglob("*"))

    def python(*arguments: str) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.endswith("_CACHE_DIR")}
        environment |= {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "PYTHONPATH": "", "PIP_NO_INDEX": "1"}
        done = subprocess.run(
            [place / "bin" / "python", *arguments],
            cwd=home,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
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
