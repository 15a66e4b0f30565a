"""What the package promises of compilation and of its imports, each in a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import diamant_env

TESTS = Path(__file__).parent
EXPORTED = [
    "CONTINUE",
    "EDITIONS",
    "FIELDS",
    "GAME",
    "LEAVE",
    "NUM_FEATURES",
    "OBSERVATION",
    "REWARDS",
    "Batch",
    "Edition",
    "Observations",
    "from_observation",
    "list_tasks",
    "observation_space",
]

IMPORTED = """
import sys
import diamant_env
print(*sorted(sys.modules))
"""

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


def run(*arguments: str, **environment: str) -> str:
    """Run Python in the checkout; return what it printed."""
    finished = subprocess.run(
        [sys.executable, *arguments],
        cwd=TESTS.parent,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_the_rules_as_they_stand_and_compiled_give_the_same_bytes():
    compiled = run(str(TESTS / "digest.py"), NUMBA_DISABLE_JIT="0")
    plain = run(str(TESTS / "digest.py"), NUMBA_DISABLE_JIT="1")
    assert len(compiled) == 64
    assert plain == compiled


def test_importing_the_package_imports_no_learner():
    modules = set(run("-c", IMPORTED).split())
    assert "diamant_env.batch" in modules
    for stranger in ("agents", "train", "torch", "stable_baselines3", "matplotlib", "pygame"):
        assert stranger not in modules


def test_importing_the_package_compiles_nothing():
    functions, after_import, after_reset = map(int, run("-c", COMPILED, NUMBA_DISABLE_JIT="0").split())
    assert functions > 10
    assert after_import == 0
    assert after_reset > 0


def test_what_the_package_exports():
    assert diamant_env.__all__ == EXPORTED
    assert all(hasattr(diamant_env, name) for name in EXPORTED)
