"""Installations: no files left behind, read-only and missing directories."""

import os
import shutil
import subprocess
import sys
import venv
from importlib import metadata
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the layout of a venv and permissions differ")
ROOT = Path(__file__).parents[2]
PLAY = """
import gymnasium, numpy
import diamant_env
from diamant_env import rules, state
from diamant_env.engine.edition_numbers import numbers_of
assert gymnasium.spec("diamant_env/Diamant-v0")
game, edition = numpy.zeros(1, state.GAME)[0], numbers_of("iello-2016")
rules.start_game(game, edition, 3, numpy.uint64(7))
assert rules.win_share(game, edition, 0) == 1 / 3
print(diamant_env.__file__)
"""


def copy_package(folder: Path) -> Path:
    """Copy the package of this checkout into a folder; return the copy."""
    return shutil.copytree(
        ROOT / "diamant_env", folder / "diamant_env", ignore=shutil.ignore_patterns("__pycache__", "*.nb?")
    )


def python(place: Path, *arguments: str, interpreter: str | Path = sys.executable, **environment: str) -> str:
    """Run Python in that folder without the caches of this process; return what it printed."""
    variables = {name: value for name, value in os.environ.items() if not name.endswith("CACHE_DIR")}
    variables |= {"HOME": str(place), "XDG_CACHE_HOME": str(place / "cache"), "PYTHONPATH": "", "PIP_NO_INDEX": "1"}
    command = [interpreter, *arguments]
    done = subprocess.run(command, cwd=place, env=variables | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_install_editable_and_uninstall_leave_nothing(tmp_path):
    pytest.importorskip("pip")
    if int(metadata.version("setuptools").partition(".")[0]) < 77:  # older ones may clash with distutils
        pytest.skip("setuptools 77 builds the package without the network")
    sources, home, place = tmp_path / "sources", tmp_path / "home", tmp_path / "venv"
    sources.mkdir()
    home.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, sources)
    copy_package(sources)
    venv.create(place, symlinks=os.name != "nt")
    (site,) = place.rglob("site-packages")
    others = [path for path in sys.path if path.endswith("site-packages")]
    (site / "others.pth").write_text("\n".join(others), encoding="utf-8")
    before = set(site.rglob("*"))
    own = place / "bin" / "python"
    install = ("-m", "pip", "install", "--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--quiet")
    python(home, *install, str(sources), interpreter=own)
    assert python(home, "-c", PLAY, interpreter=own) == str(site / "diamant_env" / "__init__.py")
    assert list(home.glob("cache/diamant_env/diamant_env-*/**/*.nbc"))  # compiled code was kept
    python(home, *install, "--editable", str(sources), interpreter=own)
    assert python(home, "-c", PLAY, interpreter=own) == str(sources / "diamant_env" / "__init__.py")
    python(home, "-m", "pip", "uninstall", "--yes", "diamant-env", interpreter=own)
    assert set(site.rglob("*")) - before == set()
    assert not list(sources.rglob("*.nb[ci]"))


def test_read_only_package_without_home(tmp_path):
    packages = tmp_path / "a path with spaces,\na newline and é"
    package = copy_package(packages)
    for path in [package, *package.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    nowhere = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "TMPDIR"), "/dev/null")
    nowhere |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    assert python(tmp_path, "-c", PLAY.replace("print", "ascii"), PYTHONPATH=str(packages), **nowhere) == ""
    assert not list(packages.rglob("*.nb[ci]"))
