"""Measure which lines of the package the tests reach, uncompiled, and print those that no test does.

``python tests/covered.py [ARGUMENT OF PYTEST ...]`` runs the tests that cover the package once; the same games in great
number (`test_many_games`, `test_machine`, `test_counting`, ...) take hours uncompiled and reach no further line.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEAST = 95  # per cent of the lines
# Nothing but repetition, or about `train` and `agents` alone.
LEFT_OUT = [
    "test_many_games.py",
    "test_machine.py",
    "test_counting.py",
    "test_figures.py",
    "test_oracle.py",
    "test_observation.py",
    "test_compiled.py",
    "test_evaluate.py",
    "test_league.py",
    "test_pools.py",
    "test_ppo.py",
    "test_tournament.py",
    "test_vec_env.py",
]


def main() -> int:
    """Run the tests under coverage; return 0 if they pass and reach enough."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "COVERAGE_FILE": str(ROOT / "build" / "coverage")}
    (ROOT / "build").mkdir(exist_ok=True)
    coverage = [sys.executable, "-m", "coverage"]
    left_out = [f"--ignore=tests/{name}" for name in LEFT_OUT]
    tests = ["-m", "pytest", "-p", "no:cacheprovider", "-W", "ignore", *left_out, *sys.argv[1:]]
    run = subprocess.run([*coverage, "run", "--source=diamant_env", *tests], cwd=ROOT, env=environment, check=False)
    report = [*coverage, "report", "--show-missing", "--skip-covered", f"--fail-under={LEAST}"]
    return run.returncode or subprocess.run(report, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
