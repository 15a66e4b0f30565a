"""What the package promises of compilation and of its imports, each in a fresh process."""

from __future__ import annotations

import doctest
import hashlib
import inspect
import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np

from diamant_env import GAME, Batch, Edition, from_observation, rules
from diamant_env.rewards import REWARDS
from tests.support.play import BASE, LATE_RELICS, ODD, PRINTED, RELICS_DECIDE

ROOT = Path(__file__).parents[2]
# As many cards and gems as there may be.
FULL = Edition(name="full", treasures=(1000,), traps=("a",), trap_copies=99, expeditions=2, bust_removes=0)
EDITIONS = [BASE, LATE_RELICS, PRINTED, RELICS_DECIDE, ODD, FULL]
COMPILED = """
import sys
import diamant_env, diamant_env.diamant_v0
from numba.core.dispatcher import Dispatcher
modules = [module for name, module in sys.modules.items() if name.startswith("diamant_env")]
found = {id(thing): thing for module in modules for thing in vars(module).values() if isinstance(thing, Dispatcher)}
print(len(found), sum(len(thing.signatures) for thing in found.values()))
diamant_env.Batch(1).reset(1)
print(sum(len(thing.signatures) for thing in found.values()))
"""
COUNTED = "from diamant_env.native import packed_bytes; print(packed_bytes.packed_flag(True, 1))"


def run(*arguments: str, stderr: int | None = None, **environment: str) -> str:
    """Run Python in the checkout; return what it printed."""
    command, settings = [sys.executable, *arguments], os.environ | environment
    return subprocess.run(
        command, cwd=ROOT, env=settings, stdout=subprocess.PIPE, stderr=stderr, check=True, text=True, timeout=600
    ).stdout


def test_the_rules_as_they_stand_and_compiled_give_the_same_bytes():
    compiled = run("-m", "tests.engine.test_compiled", NUMBA_DISABLE_JIT="0")
    plain = run("-m", "tests.engine.test_compiled", NUMBA_DISABLE_JIT="1")
    assert len(compiled) == 64
    assert plain == compiled


def test_importing_the_package_compiles_nothing():
    functions, after_import, after_reset = map(int, run("-c", COMPILED, NUMBA_DISABLE_JIT="0").split())
    assert functions > 10
    assert after_import == 0
    assert after_reset > 0


def test_who_watches_is_told_once_that_the_engine_is_compiled(tmp_path):
    said = []
    for _ in range(2):
        seen, terminal = pty.openpty()
        assert run("-c", COUNTED, stderr=terminal, NUMBA_DISABLE_JIT="0", DIAMANT_CACHE_DIR=str(tmp_path)) == "256\n"
        os.write(terminal, b"\n")  # so that there is something to read
        os.close(terminal)
        said.append(os.read(seen, 10_000).decode().strip())
        os.close(seen)
    assert said[0].startswith("diamant_env compiles its engine, about ")
    assert str(tmp_path) in said[0]
    assert said[0].count("\n") == 0
    assert said[1] == ""


def test_one_place_compiles():
    """Elsewhere Numba's own cache would be used, which needs a place beside the source file or a home."""
    files = (path for room in ("diamant_env", "agents", "train") for path in (ROOT / room).rglob("*.py"))
    assert [path.name for path in files if "njit" in path.read_text(encoding="utf-8")] == ["compiled.py"]


def play_batch(reward: str, auto_reset: bool, digest) -> None:
    """Play one game of every table size; decisions come from the games' own random numbers."""
    players = np.arange(2 if reward == "margin" else 1, 9)
    size = len(players)
    batch = Batch(size, players, [EDITIONS[i % len(EDITIONS)] for i in range(size)], reward)
    actions, chance = np.zeros((size, 8), np.int8), np.full((size, 8), 0.3, np.float32)
    arrays = [batch.reset(seed=123)]
    for _ in range(40):
        batch.draw_decisions(chance, actions)
        arrays += [array.copy() for array in batch.step(actions, auto_reset=auto_reset)]
        arrays += [actions.copy(), batch.state()]
        arrays += [batch.games[name].copy() for name in GAME.names]
    for state, key, edition in zip(batch.state(), batch.games.key, batch.games.edition, strict=True):
        digest.update(repr(from_observation(state[None], [int(key)], batch.editions[edition]).tolist()).encode())
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())


def test_the_examples_in_the_docstrings_of_the_rules():
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    documented = [rules, *(getattr(thing, "py_func", thing) for thing in vars(rules).values())]
    for thing in documented:
        if inspect.ismodule(thing) or inspect.isfunction(thing):
            for test in finder.find(thing, globs=vars(rules).copy()):
                runner.run(test)
    assert runner.tries >= 8
    assert runner.failures == 0


if __name__ == "__main__":
    np.seterr(over="ignore")  # random numbers and words overflow on purpose
    sha = hashlib.sha256()
    for each in REWARDS:
        play_batch(each, each == "score", sha)
    sys.stdout.write(sha.hexdigest())
