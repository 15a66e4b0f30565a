"""The cache of compiled code: read-only installations, many processes at once, damaged files, changed sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import diamant_env

# A rule, and a reward that uses a rule of another file.
PLAY = """
import numpy as np
import diamant_env
from diamant_env import rewards, rules
game, paid = np.zeros(1, rules.GAME)[0], np.zeros((1, 3), np.float32)
edition = diamant_env.EDITIONS["iello-2016"].record[()]
rules.start_game(game, edition, 3, np.uint64(7))
game.phase = rules.OVER
rewards.pay(game, edition, list(rewards.REWARDS).index("win"), True, paid, 0)
print(diamant_env.__file__, game.tobytes().hex() + paid.tobytes().hex())
"""


@pytest.fixture
def installed(tmp_path) -> Path:
    """A copy of the package, as an installation somewhere else would be; return the folder that holds it."""
    folder = tmp_path / "site"
    shutil.copytree(
        Path(diamant_env.__file__).parent, folder / "diamant_env", ignore=shutil.ignore_patterns("__pycache__")
    )
    return folder


def start(installed: Path, cache: Path | None) -> subprocess.Popen:
    """Start a process that plays a little with that installation and that cache."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment |= {"PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(installed.parent)}
    environment |= {"XDG_CACHE_HOME": str(installed.parent / "home")}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    return subprocess.Popen(
        [sys.executable, "-c", PLAY],
        env=environment,
        cwd=installed.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def outcome(process: subprocess.Popen) -> str:
    """Return the games that a process played."""
    out, error = process.communicate(timeout=1800)
    assert process.returncode == 0, error.decode()
    path, games = out.decode().split()
    assert "site" in path
    return games


def cached(cache: Path) -> dict[str, int]:
    """Return the compiled code in a cache, by name, with the time of the last change."""
    return {str(path.relative_to(cache)): path.stat().st_mtime_ns for path in cache.rglob("*.nb*")}


def test_eight_processes_at_once_a_damaged_cache_and_a_changed_rule(installed, tmp_path):
    cache = tmp_path / "cache"
    processes = [start(installed, cache) for _ in range(8)]
    games = {outcome(process) for process in processes}
    assert len(games) == 1

    before = cached(cache)
    assert before
    assert {outcome(start(installed, cache))} == games
    assert cached(cache) == before  # nothing was compiled anew

    for number, path in enumerate(sorted(cache.rglob("*.nb*"))):
        content = path.read_bytes()
        path.write_bytes([b"", content[: len(content) // 2], b"\x00" * len(content), content[:-1] + b"!"][number % 4])
    assert {outcome(start(installed, cache))} == games

    rules = installed / "diamant_env" / "rules.py"
    source = rules.read_text(encoding="utf-8")
    assert source.count("return 1.0 / winners") == 1
    rules.write_text(source.replace("return 1.0 / winners", "return 2.0 / winners"), encoding="utf-8")
    assert {outcome(start(installed, cache))} != games  # the reward's own file has not changed


def test_places_that_can_not_be_written_to(installed):
    games = outcome(start(installed, installed.parent / "cache"))
    (installed / "diamant_env" / "__pycache__").write_text("a file where Numba would make its folder")
    assert outcome(start(installed, None)) == games
    home = installed.parent / "home"
    assert cached(home)  # the user's cache is used instead
    shutil.rmtree(home)
    home.write_text("a file here as well")
    assert outcome(start(installed, None)) == games  # without a cache
