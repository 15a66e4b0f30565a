"""Measure which lines of the package the tests reach, uncompiled, and print those that no test does.

``python tests/mutation/covered.py [ARGUMENT OF PYTEST ...]`` runs the tests that cover the package once. Left out are
those that reach no further line: the same games in great number, which take hours uncompiled. What is left uncovered,
and why, is in `covered.md`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEAST = 95  # per cent of the lines
ROOMS = ["rules", "game", "engine", "envs", "opponents", "records", "exact", "drawing", "commands"]
FILES = ["judging/test_intervals.py", "package/test_files.py"]
# Nothing but repetition, or about `train`, `agents` and compiled code alone.
LEFT_OUT = [
    *("commands/test_watch.py", "commands/test_film.py", "engine/test_compilation.py"),
    *("envs/test_vec_env.py", "exact/test_blank_exact.py", "commands/test_exact_command.py", "exact/test_figures.py"),
    *("game/test_blank.py", "game/test_counting.py", "game/test_machine.py"),
    *("opponents/test_pools.py", "opponents/test_search.py"),
]
# Words in the names of single tests. Uncompiled they take long and reach no further line, ...
SLOW = [
    *("single_environments_play and score", "drawn_with_their", "test_batch.py and test_seeds"),
    *("change_no_byte and 2-win", "change_no_byte and 40-score", "driven_by_hand and 8", "opponents_that_draw"),
    *("memory_keep", "copies_differ_by_their", "test_games_are_those_of_single", "at_every_table"),
    *("any_box_is_played", "optimal_stopping", "any_game_is_written", "a_text_cut_off"),
    "shared_equally",
    # ... or they turn warnings into errors: integers that overflow on purpose make NumPy warn, uncompiled.
    *("older_pettingzoo", "package_by_the_id"),
]
SETTINGS = """
[run]
source = diamant_env
data_file = {folder}/coverage
parallel = true
patch = subprocess
"""


def main() -> int:
    """Run the tests under coverage; return 0 if they pass and reach enough."""
    folder = ROOT / "build" / "covered"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings").write_text(SETTINGS.format(folder=folder))
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "COVERAGE_RCFILE": str(folder / "settings")}

    def coverage(*arguments: str) -> int:
        return subprocess.run([sys.executable, "-m", "coverage", *arguments], cwd=ROOT, env=environment).returncode

    left_out = [f"--ignore=tests/{name}" for name in LEFT_OUT]
    left_out += ["-k", " and ".join(f"not ({words})" for words in SLOW)]
    coverage("erase")
    chosen = [f"tests/{name}" for name in ROOMS + FILES]
    failed = coverage(
        "run", "-m", "pytest", "-p", "no:cacheprovider", "-W", "ignore", *chosen, *left_out, *sys.argv[1:]
    )
    coverage("combine", "--quiet")
    too_few = coverage("report", "--show-missing", "--skip-covered", f"--fail-under={LEAST}")
    return failed or too_few


if __name__ == "__main__":
    sys.exit(main())
