"""Measure which lines of the package the tests reach, uncompiled, and print those that no test does.

``python tests/mutation/covered.py [ARGUMENT OF PYTEST ...]`` runs the tests that cover the package once; the same
games in great number (`test_many_games`, `test_machine`, `test_counting`, ...) take hours uncompiled and reach no further line. What
is left uncovered, and why, is in `covered.md`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEAST = 95  # per cent of the lines
# Nothing but repetition, or about `train`, `agents`, `benchmarks`, `docs`, `examples` and compiled code alone.
LEFT_OUT = [
    "test_aggregate.py",
    "test_api_page.py",
    "test_benchmarks.py",
    "test_best_response.py",
    "test_blank.py",
    "test_blank_exact.py",
    "test_cache.py",
    "test_compiled.py",
    "test_counting.py",
    "test_document_blocks.py",
    "test_documents.py",
    "test_evaluate.py",
    "test_exact_command.py",
    "test_examples.py",
    "test_export.py",
    "test_fictitious.py",
    "test_figures.py",
    "test_film.py",
    "test_gains.py",
    "test_installs.py",
    "test_league.py",
    "test_machine.py",
    "test_many_games.py",
    "test_on_ray.py",
    "test_oracle.py",
    "test_pools.py",
    "test_ppo.py",
    "test_reference.py",
    "test_rllib.py",
    "test_rules_document.py",
    "test_search.py",
    "test_ship.py",
    "test_suite.py",
    "test_tournament.py",
    "test_vec_env.py",
    "test_watch.py",
]
# Single tests, by the beginning of their names. Uncompiled they take long and reach no further line, ...
SLOW = [
    "test_batch.py::test_a_batch_plays_what_single_environments_play[8",
    "test_batch.py::test_a_game_does_not_depend_on_the_size_of_the_batch[64",
    "test_batch.py::test_a_game_does_not_depend_on_the_size_of_the_batch[7",
    "test_batch.py::test_decisions_are_drawn_with_their_probability",
    "test_batch.py::test_the_decisions_of_two_seats_are_independent",
    "test_batch.py::test_the_next_game_of_a_place_is_another_one",
    "test_batch_ways.py::test_play_is_step_without_observations[margin",
    "test_batch_ways.py::test_play_is_step_without_observations[score",
    "test_batch_ways.py::test_threads_change_no_byte[2]",
    "test_batch_ways.py::test_threads_change_no_byte[40]",
    "test_gym_env.py::test_games_are_those_of_a_batch_driven_by_hand[8",
    "test_gym_vector.py::test_a_seed_repeats_opponents_that_draw_something",
    "test_gym_vector.py::test_agents_with_memory_keep_their_rows",
    "test_gym_vector.py::test_asynchronous_copies_differ_by_their_seeds",
    "test_gym_vector.py::test_games_are_those_of_single_environments",
    "test_gym_vector.py::test_gymnasiums_wrappers_fit",
    "test_hidden_chests.py::test_the_option_goes_before_the_edition",
    "test_observation.py::test_bounds_contain_what_games_produce",
    "test_observation.py::test_every_field_of_every_seat",
    "test_observation.py::test_hidden_chests_hide_nothing_else",
    "test_observation.py::test_seats_are_relative_to_the_observer",
    "test_opponents.py::test_expected_value_is_optimal_stopping_for_a_lone_player",
    "test_own_editions.py::test_any_box_is_played_as_the_oracle_says_or_its_deck_can_run_out",
    "test_rebuilding.py::test_the_game_that_produced_an_observation",
    "test_records.py::test_any_game_is_written_and_read",
    "test_records.py::test_every_truncation_is_refused",
    "test_records.py::test_random_damage_is_refused_or_harmless",
    "rules/test_treasure_card.py::test_gems_are_shared_equally_and_the_rest_stays_on_the_path",
]
# ... or they turn warnings into errors: integers that overflow on purpose make NumPy warn, uncompiled.
WARNED = [
    "test_registry_pettingzoo.py::test_an_older_pettingzoo_has_no_registry_and_that_is_fine",
    "test_tasks.py::test_gymnasium_finds_the_package_by_the_id",
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
    failed = coverage("run", "-m", "pytest", "-p", "no:cacheprovider", "-W", "ignore", *left_out, *sys.argv[1:])
    coverage("combine", "--quiet")
    too_few = coverage("report", "--show-missing", "--skip-covered", f"--fail-under={LEAST}")
    return failed or too_few


if __name__ == "__main__":
    sys.exit(main())
