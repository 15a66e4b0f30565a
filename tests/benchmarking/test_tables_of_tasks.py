"""Tables of the benchmark: order of rows, means over seeds by hand."""

import math

import pytest
from scipy import stats

from diamant_env.evaluation.intervals import Estimate
from train.benchmarking.folder import in_order
from train.benchmarking.reporting import page
from train.benchmarking.reporting.aggregate import marl_eval
from train.benchmarking.reporting.columns import difference, over_seeds
from train.benchmarking.reporting.pictures import draw, draw_for_page


def row(algorithm, seed=0, task="full-4-win", wins=0.3, gain=0.1, family="win", kind="learned", **more):
    measures = {
        "held_out": {"win": {"mean": wins}, "score": {"mean": 30.0}},
        "gain": {"by": "PPO scratch 0", "at_least": {"mean": gain}},
    }
    found = {"task": task, "family": family, "algorithm": algorithm, "kind": kind, "seed": seed, "measures": measures}
    return {**found, "train_cpu_seconds": 60.0, "measure_cpu_seconds": 12.0, "budget": 100, "decisions": 100, **more}


def solved(algorithm, conv, task="expedition-2", **more):
    exact = {"nash_conv": conv, "exploitability": conv / 2, "value": 8.0}
    found = row(algorithm, task=task, family="expedition", **more)
    return {**found, "measures": {"exact": exact, "held_out": {"win": {"mean": 0.5}, "score": {"mean": 9.0}}}}


def task_table(rows):
    return page.task_table(rows)


def names(table):
    return [line.split("`")[1] for line in table.splitlines() if "`" in line]


def test_win_tasks_are_sorted_by_the_gain_of_the_strongest_best_response_policy():
    rows = [row("robber", wins=0.5, gain=0.45), row("fair", wins=0.3, gain=0.1), row("weak", wins=0.2, gain=0.4)]
    assert names(task_table(rows)) == ["fair", "weak", "robber"]
    assert "| `weak` (1) | 0.400 | 0.200 | 60 | PPO scratch |" in task_table(rows)


def test_first_fits_are_compared_by_seed_with_simultaneous_intervals():
    fits = {"ppo": [0.1, 0.2, 0.4], "a2c": [0.2, 0.2, 0.7], "psro": [0.1, 0.1], "champion": [0.0]}
    rows = [row(name, seed) for name, gains in fits.items() for seed in range(len(gains))]
    for each in rows:
        each["measures"]["gain"]["first_fit"] = fits[each["algorithm"]][each["seed"]]
    less = page.first_fits_less_baseline(rows[::-1])
    half = stats.t.isf(0.05 / 2 / 2, 2) * stats.tstd([0.1, 0.0, 0.3]) / 3**0.5  # of two intervals
    assert less == {"a2c": f"+0.133 ± {half:.3f}", "psro": f"-0.050 ± {stats.t.isf(0.0125, 1) * 0.05:.3f}"}
    assert f"| PPO scratch | {less['psro']} |" in task_table(rows)


def test_difference_of_independent_figures():
    apart = difference(Estimate(0.5, 0.47, 0.53), Estimate(0.1, 0.06, 0.14))
    assert apart.high - apart.mean == pytest.approx(0.05)  # the hypotenuse of 0.03 and 0.04


def test_runs_are_in_order_of_task_algorithm_and_seed():
    rows = [row("ppo"), *(row(name, seed, "expedition-2") for name, seed in (("psro", 1), ("psro", 0), ("ppo", 0)))]
    assert in_order(rows) == rows[::-1]


def test_expeditions_are_sorted_by_nash_conv():
    rows = [solved("a", 0.5), solved("b", 0.25), {**solved("c", 0.1), "measures": {"exact": {"refused": "memory"}}}]
    assert names(task_table(rows)) == ["b", "a", "c"]


def test_mean_over_seeds_has_student_interval():
    values = [0.2, 0.3, 0.7]
    half = stats.t.isf(0.025, 2) * stats.tstd(values) / 3**0.5
    found = over_seeds([Estimate(value, math.nan, math.nan) for value in values])
    assert (found.mean, found.high - found.mean) == pytest.approx((0.4, half))
    table = task_table([solved("a", value, seed=seed) for seed, value in enumerate(values)])
    assert f"| `a` (3) | 0.400 ± {half:.3f} |" in table


def test_common_game_error_is_added():
    apart = over_seeds([Estimate(0.1, 0.0, 0.2), Estimate(0.3, 0.2, 0.4)])
    assert apart.high - apart.mean == pytest.approx(math.hypot(12.7062 * 0.1, 0.1), rel=1e-4)


def test_marl_eval_has_curves_and_ends():
    learned = row("my_module:train", wins=0.3)
    learned["measures"]["curve"] = [{"decisions": 40, "win": 0.1}, {"decisions": 80, "win": 0.2}]
    content = marl_eval([learned, row("ev", kind="scripted", budget=0, decisions=0)])
    run = content["diamant_env"]["full-4-win"]["my_module:train"]["seed_0"]
    assert run.pop("absolute_metrics") == {"win": [0.3]}
    assert [(step["step_count"], step["win"]) for step in run.values()] == [(40, [0.1]), (80, [0.2]), (100, [0.3])]


def test_panels_name_what_lies_outside_them_and_the_better_direction(tmp_path):
    solutions = [solved("ppo", conv, seed=seed) for seed, conv in enumerate((0.2, 0.3))]
    for each in solutions:
        each["measures"]["curve"] = [{"decisions": 40, "nash_conv": 1.0}]
    solutions += [solved("random:0.2", 11.3, kind="scripted"), solved("ev", 0.5, kind="scripted")]
    solutions += [solved("equilibrium", 1e-12, kind="exact")]
    (conv,) = draw({"expedition-2": solutions}, "nash_conv", tmp_path / "curves.png").axes
    assert not conv.collections  # no interval of two seeds
    assert conv.get_ylim()[1] < 11.3
    assert conv.get_xlabel() == "decisions\noff scale above: random:0.2 at 11.300"
    assert conv.get_ylabel() == "NashConv (gems), log\n← better"


@pytest.mark.filterwarnings("error")
def test_picture_has_room_for_algorithms_that_lack_a_task(tmp_path):
    draw_for_page([row("hunter", wins=0.26, gain=0.32), row("champion", task="full-8-win", gain=0.02)], tmp_path)
