"""Compiled against uncompiled code, compile cache, cold and warm starts, read-only installations."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

from diamant_env import GAME, Batch, Edition, compilation, from_observation
from diamant_env.observation import NUM_FEATURES
from diamant_env.opponents.inputs import CANONICAL, INPUTS
from diamant_env.rewards import REWARDS
from tests.support.play import BASE, LATE_RELICS, ODD, PRINTED, RELICS_DECIDE

ROOT = Path(__file__).parents[2]
# The largest deck.
FULL = Edition(name="full", treasures=(1000,), traps=("a",), trap_copies=99, expeditions=2, bust_removes=0)
EDITIONS = [BASE.replace(hidden_rivals=True), BASE, LATE_RELICS, PRINTED, RELICS_DECIDE, ODD, FULL]
PAY = """
import numpy as np
from diamant_env import rules, state
from diamant_env.compilation import cache_folder
from diamant_env.engine.edition_params import edition_params
game, edition = np.zeros(1, state.GAME)[0], edition_params("iello-2016")
rules.start_game(game, edition, 3, np.uint64(7))
game.chest[0] = 5
print(f"{rules.win_share(game, edition, 0)} {cache_folder()}\\n", end="")  # one write: four processes share a pipe
"""
"""Two small cached functions, one of which calls others."""
TOGETHER = f"""
import multiprocessing, numba
def pay(barrier):
    barrier.wait()
    exec({PAY!r})
fork = multiprocessing.get_context("fork")
barrier = fork.Barrier(4)
children = [fork.Process(target=pay, args=(barrier,)) for _ in range(4)]
for child in children: child.start()
for child in children: child.join()
print([child.exitcode for child in children] == [0] * 4)
"""
"""PAY in four concurrent processes, forked after the import of Numba."""


def run(*arguments: str, **environment: str) -> str:
    """Run Python in the checkout; return what it printed."""
    settings = os.environ | environment
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def pay(place: Path) -> str:
    return run("-c", PAY, NUMBA_CACHE_DIR=str(place))


def cached_files(place: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in place.rglob("*.nb?")}


def test_compiled_and_uncompiled_give_same_bytes():
    compiled = run("-m", "tests.engine.test_compilation", NUMBA_DISABLE_JIT="0")
    plain = run("-m", "tests.engine.test_compilation", NUMBA_DISABLE_JIT="1")
    assert len(compiled) == 64
    assert plain == compiled


def test_concurrent_cold_starts_and_a_warm_one(tmp_path):
    output = run("-c", TOGETHER, NUMBA_CACHE_DIR=str(tmp_path)).split("\n")
    before = cached_files(tmp_path)
    (folder,) = tmp_path.glob("diamant_env-*")
    assert sorted(output) == sorted(["", "True", *[f"1.0 {folder}"] * 4])
    assert len(before) >= 4  # an index and code for each function
    assert pay(tmp_path) == f"1.0 {folder}\n"
    assert cached_files(tmp_path) == before  # nothing was recompiled


def test_cache_folder_depends_on_compiled_sources_only(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "diamant_env", tmp_path / "package", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(compilation, "_PACKAGE", tmp_path / "package")
    monkeypatch.setattr(compilation.numba_config, "CACHE_DIR", str(tmp_path / "cache"))
    sources = [path for path in sorted(tmp_path.rglob("*.py")) if "import jit" in path.read_text("utf-8")]
    folders = []
    for changed in (tmp_path / "package/drawing/text.py", tmp_path / "package/opponents/registry.py", *sources):
        with changed.open("a", encoding="utf-8") as source:
            source.write("\n# A remark.\n")
        folders.append(uncached_folder())
    assert folders[0] == folders[1]
    assert len(set(folders[1:])) == 1 + len(sources) > 10


def test_last_four_cache_versions_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(compilation.numba_config, "CACHE_DIR", str(tmp_path))
    (tmp_path / "notes").mkdir()
    for number in range(6):
        folder = tmp_path / f"diamant_env-{number:016x}"
        folder.mkdir()
        os.utime(folder, (number + 1000, number + 1000))
    assert uncached_folder().parent == tmp_path.resolve()
    names = {path.name for path in tmp_path.glob("*")}
    assert {"notes", *(f"diamant_env-{number:016x}" for number in (3, 4, 5))} < names
    assert len(names) == 5
    folder = uncached_folder()
    os.utime(folder, (1, 1))
    assert uncached_folder().stat().st_mtime > 1000  # in use


def no_home(*_, **__):
    raise RuntimeError("could not determine the home directory")


def test_no_cache_without_home_directory(monkeypatch):
    monkeypatch.setattr(compilation.numba_config, "CACHE_DIR", "")
    monkeypatch.setattr(compilation.platformdirs, "user_cache_path", no_home)
    assert uncached_folder() is None


def uncached_folder():
    return compilation.cache_folder.__wrapped__()


def test_uncached_start_warns_once(tmp_path):
    (tmp_path / "file").write_text("")
    batches = "from diamant_env import Batch\nfor _ in range(3): Batch(1, 3)"
    output = run("-W", "always", "-c", batches, NUMBA_CACHE_DIR=str(tmp_path / "file" / "folder"))
    assert output.count("diamant_env compiles its engine at every start") == 1


def test_read_only_package(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__", "*.nb?")
    package = shutil.copytree(ROOT / "diamant_env", tmp_path / "a path with spaces" / "diamant_env", ignore=ignored)
    for path in [package, *package.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    variables = {name: value for name, value in os.environ.items() if not name.endswith("CACHE_DIR")}
    variables |= {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    nowhere = dict.fromkeys(("HOME", "XDG_CACHE_HOME"), "/dev/null")
    for home, cached in ((nowhere, False), ({"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}, True)):
        command = [sys.executable, "-c", PAY]
        done = subprocess.run(command, env=variables | home, cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout.startswith("1.0 "), done.stderr
        assert bool(list(tmp_path.glob("cache/diamant_env/diamant_env-*/**/*.nbc"))) == cached


def play_batch(reward: str, auto_reset: bool, digest) -> None:
    """Play one game of every table size; decisions come from the games' own random numbers."""
    players = np.arange(2 if reward == "margin" else 1, 9)
    size = len(players)
    batch = Batch(size, players, [EDITIONS[i % len(EDITIONS)] for i in range(size)], reward)
    actions, chance = np.zeros((size, 8), np.int8), np.full((size, 8), 0.3, np.float32)
    arrays = [batch.reset(seed=123)]
    for turn in range(40):
        batch.draw_decisions(chance, actions)
        arrays += [array.copy() for array in batch.step(actions, auto_reset=auto_reset)]
        if turn < 4:
            arrays.append(INPUTS[CANONICAL](batch.observe().reshape(-1, NUM_FEATURES)))
        arrays += [actions.copy(), batch.state()]
        arrays += [batch.games[name].copy() for name in GAME.names]
    for state, key, edition in zip(batch.state(), batch.games.key, batch.games.edition, strict=True):
        digest.update(repr(from_observation(state[None], [int(key)], batch.editions[edition]).tolist()).encode())
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())


if __name__ == "__main__":
    np.seterr(over="ignore")  # random numbers overflow on purpose
    sha = hashlib.sha256()
    for each in REWARDS:
        play_batch(each, each == "score", sha)
    sys.stdout.write(sha.hexdigest())
