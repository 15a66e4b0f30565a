"""Read-only installations, with a home directory and without."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions differ")
ROOT = Path(__file__).parents[2]
PLAY = """
import gymnasium, numpy
import diamant_env
from diamant_env import rules, state
from diamant_env.engine.edition_params import edition_params
assert gymnasium.spec("diamant_env/Diamant-v0")
game, edition = numpy.zeros(1, state.GAME)[0], edition_params("iello-2016")
rules.start_game(game, edition, 3, numpy.uint64(7))
assert rules.win_share(game, edition, 0) == 1 / 3
"""


def test_read_only_package(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__", "*.nb?")
    package = shutil.copytree(ROOT / "diamant_env", tmp_path / "a path with spaces" / "diamant_env", ignore=ignored)
    for path in [package, *package.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    variables = {name: value for name, value in os.environ.items() if not name.endswith("CACHE_DIR")}
    variables |= {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    nowhere = dict.fromkeys(("HOME", "XDG_CACHE_HOME"), "/dev/null")
    for home, cached in ((nowhere, False), ({"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}, True)):
        done = subprocess.run([sys.executable, "-c", PLAY], env=variables | home, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        assert bool(list(tmp_path.glob("cache/diamant_env/diamant_env-*/**/*.nbc"))) == cached
