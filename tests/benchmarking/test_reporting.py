"""Tables and statistics of the benchmark against values by hand and the library's definitions."""

import math

import numpy as np
import pytest
from scipy import stats

from diamant_env.evaluation.intervals import Estimate
from train.benchmarking.folder import in_order
from train.benchmarking.reporting import page
from train.benchmarking.reporting.aggregate import (
    budget_table,
    exact_scores,
    last_over_averaged,
    marl_eval,
    score_table,
)
from train.benchmarking.reporting.columns import over_seeds
from train.benchmarking.reporting.pictures import draw, draw_for_page
from train.benchmarking.reporting.statistics import compare, iqm

RNG = np.random.default_rng(0)
OURS = [RNG.normal(0.9, 0.05, 10), RNG.normal(0.7, 0.1, 7)]


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


def test_first_fits_are_compared_by_seed_with_simultaneous_intervals():
    fits = {"ppo": [0.1, 0.2, 0.4], "a2c": [0.2, 0.2, 0.7], "psro": [0.1, 0.1], "champion": [0.0]}
    rows = [row(name, seed) for name, gains in fits.items() for seed in range(len(gains))]
    for each in rows:
        each["measures"]["gain"]["first_fit"] = fits[each["algorithm"]][each["seed"]]
    less = page.first_fits_less_baseline(rows[::-1])
    half = stats.t.isf(0.05 / 2 / 2, 2) * stats.tstd([0.1, 0.0, 0.3]) / 3**0.5  # of two intervals
    assert less == {"a2c": f"+0.133 ± {half:.3f}", "psro": f"-0.050 ± {stats.t.isf(0.0125, 1) * 0.05:.3f}"}
    assert f"| PPO scratch | {less['psro']} |" in page.task_table(rows)


def test_runs_are_in_order_of_task_algorithm_and_seed():
    rows = [row("ppo"), *(row(name, seed, "expedition-2") for name, seed in (("psro", 1), ("psro", 0), ("ppo", 0)))]
    assert in_order(rows) == rows[::-1]


def test_mean_over_seeds_has_student_interval():
    values = [0.2, 0.3, 0.7]
    half = stats.t.isf(0.025, 2) * stats.tstd(values) / 3**0.5
    found = over_seeds([Estimate(value, math.nan, math.nan) for value in values])
    assert (found.mean, found.high - found.mean) == pytest.approx((0.4, half))
    table = page.task_table([solved("a", value, seed=seed) for seed, value in enumerate(values)])
    assert f"| `a` (3) | 0.400 ± {half:.3f} |" in table


def test_common_game_error_is_added():
    apart = over_seeds([Estimate(0.1, 0.0, 0.2), Estimate(0.3, 0.2, 0.4)])
    assert apart.high - apart.mean == pytest.approx(math.hypot(12.7062 * 0.1, 0.1), rel=1e-4)


def test_error_of_own_games_is_counted_once():
    rows = [row("champion", seed, kind="fixed", gain=gain) for seed, gain in enumerate((0.1, 0.3))]
    for each in rows:
        each["measures"]["gain"]["at_least"] |= {"low": 0.0, "high": 0.4}
    assert "| `champion` (2) | 0.200 ± 1.271 |" in page.task_table(rows)  # t(1) = 12.7062


def test_only_repeated_agents_have_a_number_of_runs():
    rows = [solved("ppo", 1.0), *(solved("ppo", 1.0, "expedition-3", seed=seed) for seed in (0, 1))]
    rows += [solved("a2c", 1.0, "expedition-3")]  # seeds differ within a task
    rows += [solved("ev", 2.0, task, kind="scripted") for task in ("expedition-2", "expedition-3")]
    table = page.side_by_side(rows)
    assert "| `ppo` (3) |" in table
    assert "| `ev` |" in table


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


def test_interquartile_mean_trims_a_quarter_of_all_runs_at_both_ends():
    assert iqm(OURS) == pytest.approx(stats.trim_mean(np.concatenate(OURS), 0.25))
    assert iqm([np.array([0.0, 1.0]), np.array([5.0, 100.0])]) == 3


def test_ratio_is_the_geometric_mean_of_distances():
    single = compare([np.array([0.5, 0.7]), np.array([0.8])], [np.array([0.9]), np.array([0.2])])
    assert single.fixed.mean == pytest.approx(1)
    assert np.isfinite(compare([np.array([1.0, 1 + 1e-12])], [np.array([0.5])]).fixed.mean)


def test_comparison_has_intervals_of_runs_and_of_tasks():
    ours = [1 - np.exp(RNG.normal(-1, 0.1, 40)), 1 - np.exp(RNG.normal(-2, 0.1, 40))]
    same, worse = compare(ours, ours), compare([1 - 2 * (1 - ours[0]), 1 - 1.2 * (1 - ours[1])], ours)
    assert same.fixed.mean == 1
    assert same.p_value > 0.5
    assert worse.p_value < 0.001
    assert worse.fixed.mean == pytest.approx((2 * 1.2) ** 0.5)
    half = 1.96 * (2 * 0.1**2 / 40 / 2) ** 0.5  # of the mean over two tasks of differences of logarithms
    assert np.log(worse.fixed.high / worse.fixed.mean) == pytest.approx(half, rel=0.35)
    assert worse.sampled.low < 1 < 1.3 < worse.fixed.low  # two tasks, of which one has 2 and one 1.2
    assert worse.sampled.high > 1.9 > worse.fixed.high
    assert not same.excludes_one
    assert not worse.excludes_one
    assert np.isnan(compare([ours[0][:1]], [ours[0]]).fixed.low)  # no interval of one run


def test_interval_of_equal_tasks_is_that_of_welch():
    ours, theirs = 1 - np.exp(RNG.normal(0, 0.001, 8)), 1 - np.exp(RNG.normal(0, 0.003, 5))
    welch = stats.ttest_ind(np.log(1 - theirs), np.log(1 - ours), equal_var=False)
    comparison = compare([theirs], [ours])
    assert comparison.p_value == pytest.approx(welch.pvalue, rel=0.02)
    interval = np.log([comparison.fixed.low, comparison.fixed.high])
    assert interval == pytest.approx(list(welch.confidence_interval()), rel=0.02)


def test_scores_are_relative_to_the_reference_and_of_all_exact_tasks():
    rows = [
        *(solved("random:0.2", conv, task, kind="scripted") for conv, task in ((10.0, "expedition-2"), (2.0, "small"))),
        *(solved("ppo", conv, task) for conv, task in ((1.0, "expedition-2"), (1.0, "small"))),
        *(solved("psro", conv, task) for conv, task in ((5.0, "expedition-2"), (0.5, "small"))),
        solved("lacks one", 0.1),
    ]
    assert {name: [each.tolist() for each in scores] for name, scores in exact_scores(rows).items()} == {
        "ppo": [[0.9], [0.5]],
        "psro": [[0.5], [0.75]],
    }
    # The geometric mean of 5 and 0.5 is 1.58.
    assert "| `psro` | 1.58 (–) | 1.58 (–) |  |  |  |" in score_table(rows)


def test_verdicts_need_both_intervals_or_a_narrow_one():
    runs, means = [], {"ppo": 1.0, "psro": 1.02, "r-nad": 1.15, "a2c": 2.0, "mirror-descent": 0.5}
    for task in ("expedition-2", "small"):
        runs.append(solved("random:0.2", 10.0, task, kind="scripted"))
        for name, mean in means.items():
            runs += [solved(name, mean * factor, task, seed=i) for i, factor in enumerate((0.98, 1, 1.02))]
    for each in runs[1:]:
        each["measures"]["last"] = {"nash_conv": each["measures"]["exact"]["nash_conv"] * (1.5 + each["seed"] / 10)}
    verdicts = {line.split("|")[1].strip(): line.split("|")[5].strip() for line in score_table(runs).splitlines()}
    wanted = {"psro": "similar", "r-nad": "worse, similar", "a2c": "worse", "mirror-descent": "better"}
    assert {name: verdicts[f"`{name}`"] for name in wanted} == wanted
    last = last_over_averaged(runs)["ppo"]  # 1.5, 1.6 and 1.7 in both tasks
    logs = np.log([1.5, 1.6, 1.7])
    half = stats.t.isf(0.025, 2) * stats.tstd(logs) / 3**0.5
    assert np.log([last.mean, last.high]) == pytest.approx([logs.mean(), logs.mean() + half])


def test_algorithms_are_compared_at_each_budget_in_the_tasks_of_all():
    def content(budget, **nash_convs):
        runs = [
            *(solved("random:0.2", 10.0, task, kind="scripted") for task in ("expedition-2", "small")),
            *(solved(name, conv) for name, conv in nash_convs.items()),
        ]
        return {"config": {"decisions": budget}, "runs": runs}

    long = content(1_000_000, ppo=1.0, a2c=1.5)
    long["runs"] += [solved("ppo", 1.0, "small"), solved("a2c", 9.0, "small")]
    table = budget_table([long, content(200_000, ppo=2.0, a2c=1.0, psro=3.0)])
    assert table.splitlines()[0] == "| algorithm | 200,000 decisions | 1,000,000 decisions |"
    assert "| `a2c` | 0.50 (–) | 1.50 (–) |" in table
    assert "| `psro` | 1.50 (–) |  |" in table


def test_differences_from_the_baseline_are_bold():
    runs = [solved("random:0.2", 10.0, kind="scripted")]
    for name, mean in (("ppo", 1.0), ("a2c", 5.0), ("psro", 1.03)):
        runs += [solved(name, mean * factor) for factor in (0.9, 1, 1.1)]
    table = budget_table([{"config": {"decisions": 200_000}, "runs": runs}])
    assert "| `a2c` | **5.00 (" in table
    assert "| `psro` | 1.03 (" in table
