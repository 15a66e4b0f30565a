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
ROOMS = ["rules", "game", "engine", "envs", "opponents", "records", "exact", "drawing", "agents"]
FILES = ["judging/test_intervals.py", "package/test_files.py"]
# Nothing but repetition, or about `train`, `agents` and compiled code alone.
LEFT_OUT = [
    *("agents/test_watch.py", "drawing/test_film.py", "engine/test_cache.py", "engine/test_compiled.py"),
    *("envs/test_vec_env.py", "exact/test_blank_exact.py", "exact/test_exact_command.py", "exact/test_figures.py"),
    *("game/test_blank.py", "game/test_counting.py", "game/test_machine.py", "game/test_many_games.py"),
    *("opponents/test_pools.py", "opponents/test_search.py"),
]
# Single tests, by the beginning of their names. Uncompiled they take long and reach no further line, ...
SLOW = [
    "engine/test_batch.py::test_a_batch_plays_what_single_environments_play[score",
    "engine/test_batch.py::test_decisions_are_drawn_with_their_probability_each_by_itself",
    "engine/test_batch.py::test_seeds",
    "engine/test_batch_ways.py::test_play_is_step_without_observations[margin",
    "engine/test_batch_ways.py::test_play_is_step_without_observations[score",
    "engine/test_batch_ways.py::test_threads_change_no_byte[2]",
    "engine/test_batch_ways.py::test_threads_change_no_byte[40]",
    "envs/test_gym_env.py::test_games_are_those_of_a_batch_driven_by_hand[8",
    "envs/test_gym_vector.py::test_a_seed_repeats_opponents_that_draw_something",
    "envs/test_gym_vector.py::test_agents_with_memory_keep_their_rows",
    "envs/test_gym_vector.py::test_asynchronous_copies_differ_by_their_seeds",
    "envs/test_gym_vector.py::test_games_are_those_of_single_environments",
    "game/test_at_a_glance.py::test_everything_at_every_table",
    "game/test_hidden_chests.py::test_hidden_chests_hide_nothing_else_and_the_same_games_are_played",
    "game/test_own_editions.py::test_any_box_is_played_as_the_oracle_says_or_its_deck_can_run_out",
    "records/test_records.py::test_any_game_is_written_and_read",
    "records/test_records.py::test_a_text_cut_off_or_a_line_lost_doubled_or_swapped_is_refused",
    "rules/test_treasure_card.py::test_gems_are_shared_equally_and_the_rest_stays_on_the_path",
]
# ... or they turn warnings into errors: integers that overflow on purpose make NumPy warn, uncompiled.
WARNED = [
    "envs/test_registry_pettingzoo.py::test_an_older_pettingzoo_has_no_registry_and_that_is_fine",
    "envs/test_tasks.py::test_gymnasium_finds_the_package_by_the_id",
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
    left_out += [f"--deselect=tests/{name}" for name in SLOW + WARNED]
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
