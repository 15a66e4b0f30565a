"""The cache: where it is and where not, many processes at once, damaged files, changed sources, full disks."""

from __future__ import annotations

import errno
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from subprocess import PIPE

import numpy as np
import pytest

from diamant_env.storage import cache
from tests.faults.installs import PAYS, copy_package


def start(installed: Path, **places: str) -> subprocess.Popen:
    """Start a process that plays a little with that installation."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_CACHE_DIR")}
    environment |= {"PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(installed.parent)}
    environment |= {"XDG_CACHE_HOME": str(installed.parent / "home"), "TMPDIR": str(installed.parent / "temporary")}
    command = [sys.executable, "-c", f"{PAYS}print(diamant_env.__file__, found.hex())"]
    return subprocess.Popen(command, env=environment | places, cwd=installed.parent, stdout=PIPE, stderr=PIPE)


def outcome(process: subprocess.Popen) -> str:
    """Return the games that a process played."""
    out, error = process.communicate(timeout=1800)
    assert (process.returncode, error.decode()) == (0, "")  # it is told on a terminal alone that code is compiled
    path, games = out.decode().split()
    assert "site" in path
    return games


def cached(place: Path) -> dict[Path, int]:
    """Return the compiled code in a place, with the time of the last change."""
    return {path: path.stat().st_mtime_ns for path in place.rglob("*.code")}


def test_three_processes_at_once_a_damaged_cache_no_place_for_one_and_a_changed_rule(tmp_path):
    installed, home, temporary = copy_package(tmp_path / "site"), tmp_path / "home", tmp_path / "temporary"
    files = set(installed.rglob("*"))
    processes = [start(installed) for _ in range(3)]
    (games,) = {outcome(process) for process in processes}
    assert set(installed.rglob("*")) == files

    before = cached(home)
    assert len(before) >= 2  # a file for each function that Python calls
    assert outcome(start(installed)) == games
    assert cached(home) == before  # nothing was compiled anew

    (folder,) = {path.parent for path in before}
    assert set(folder.iterdir()) == set(before)
    for path in before:
        content = path.read_bytes()
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert outcome(start(installed)) == games

    shutil.rmtree(home)
    home.write_text("a file where the folder would be made")
    temporary.mkdir()
    assert outcome(start(installed, DIAMANT_CACHE_DIR=str(home))) == games
    assert not cached(temporary)  # a place was named, so no other is tried
    assert outcome(start(installed)) == games
    assert cached(temporary)

    rules = installed / "diamant_env" / "rules.py"
    source = rules.read_text(encoding="utf-8")
    assert source.count("return 1.0 / winners") == 1
    rules.write_text(source.replace("return 1.0 / winners", "return 2.0 / winners"), encoding="utf-8")
    assert outcome(start(installed)) != games  # the reward's own file has not changed


# Where the folder is.


@pytest.fixture
def nobody(monkeypatch, tmp_path):
    """Neither a named place nor a home; temporary files are at hand."""
    for name in ("DIAMANT_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)

    def unknown(user: int) -> None:
        raise KeyError(user)

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return temporary / f"diamant_env-{os.getuid()}"


def test_the_named_place_comes_before_the_home_and_that_before_temporary_files(nobody, monkeypatch, tmp_path):
    assert cache.cache_folder().parent == nobody
    assert cache.cache_folder().stat().st_mode & 0o777 == nobody.stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert tmp_path / "home" in cache.cache_folder().parents
    for name in ("NUMBA_CACHE_DIR", "DIAMANT_CACHE_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
        assert cache.cache_folder().parent == tmp_path / name
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DIAMANT_CACHE_DIR", str(tmp_path / "file" / "folder"))
    assert cache.cache_folder() is None


def test_a_folder_that_others_may_write_to_is_not_used(nobody, monkeypatch, tmp_path):
    place = tmp_path / "shared"
    monkeypatch.setenv("DIAMANT_CACHE_DIR", str(place))
    folder = cache.cache_folder()
    cache.save("one", b"1")
    for writable in (folder, place):
        before = writable.stat().st_mode
        writable.chmod(0o777)
        assert cache.cache_folder() is None
        assert cache.load("one") is None
        writable.chmod(before)
    place.chmod(0o1777)  # as the system's folder for temporary files: others can't replace what is there
    assert cache.cache_folder() == folder
    monkeypatch.setattr(os, "getuid", lambda: 12345)  # not the owner
    assert cache.cache_folder() is None
    folder.rename(tmp_path / "elsewhere")
    folder.write_text("a file")
    assert cache.cache_folder() is None


def test_the_last_eight_versions_stay_and_nothing_else_is_removed(nobody, monkeypatch, tmp_path):
    place = tmp_path / "versions"
    place.mkdir()
    (place / "diamant-notes").mkdir()
    for number in range(9):
        folder = place / f"diamant-{number:016x}"
        folder.mkdir()
        (folder / "file").write_text("")
        os.utime(folder, (number + 1000, number + 1000))
    monkeypatch.setenv("DIAMANT_CACHE_DIR", str(place))
    names = {f"diamant-{number:016x}" for number in range(2, 9)}
    assert {cache.cache_folder().name} | names | {"diamant-notes"} == {path.name for path in place.iterdir()}
    os.utime(cache.cache_folder(), (0, 0))
    assert cache.cache_folder().stat().st_mtime > 1009  # used


# What is in it.


def test_what_is_damaged_counts_as_absent(nobody):
    cache.save("one", b"12", b"3")
    np.testing.assert_array_equal(cache.load("one"), np.frombuffer(b"123", np.uint8))
    file = cache.cache_folder() / "one"
    sound = file.read_bytes()
    for bit in range(8 * len(sound)):
        content = bytearray(sound)
        content[bit // 8] ^= 1 << bit % 8
        file.write_bytes(content)
        assert cache.load("one") is None
    for length in range(len(sound)):
        file.write_bytes(sound[:length])
        assert cache.load("one") is None
    file.unlink()
    os.mkfifo(file)
    assert cache.load("one") is None  # a pipe is not waited for


def test_a_full_disk_leaves_nothing_behind(nobody, monkeypatch):
    cache.save("one", b"123")
    assert cache.load("two") is None

    def full(self, other):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    cache.save("one", b"4")
    np.testing.assert_array_equal(cache.load("one"), np.frombuffer(b"123", np.uint8))
    assert [path.name for path in cache.cache_folder().iterdir()] == ["one"]
