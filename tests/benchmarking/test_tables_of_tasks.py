"""The benchmark's tables: what sorts them, and means over seeds worked out by hand."""

import csv
import math
import re

import pytest
from scipy import stats

from diamant_env.judging.intervals import Estimate
from train.benchmarking.reporting import page
from train.benchmarking.reporting.columns import net, over_seeds
from train.benchmarking.reporting.page import side_by_side
from train.benchmarking.reporting.paper import latex, write_paper


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
    return page.task_table(rows).markdown()


def names(table):
    return [line.split("`")[1] for line in table.splitlines() if "`" in line]


def test_wins_from_strangers_less_what_is_given_away_sorts_a_task_for_the_win():
    rows = [row("robber", wins=0.5, gain=0.45), row("fair", wins=0.3, gain=0.01), row("weak", wins=0.2, gain=0.4)]
    assert [net(each).mean for each in rows] == pytest.approx([0.05, 0.29, -0.2])
    assert names(task_table(rows)) == ["fair", "robber", "weak"]
    assert "| `fair` (1) | 0.290 | 0.300 | 0.010 | 30.00 | 60 |" in task_table(rows)


def test_the_lowest_nash_conv_comes_first_and_who_has_none_last():
    rows = [solved("a", 0.5), solved("b", 0.25), {**solved("c", 0.1), "measures": {"exact": {"refused": "memory"}}}]
    assert names(task_table(rows)) == ["b", "a", "c"]


def test_a_mean_over_seeds_has_the_interval_of_student():
    values = [0.2, 0.3, 0.7]
    half = stats.t.isf(0.025, 2) * stats.tstd(values) / 3**0.5
    found = over_seeds([Estimate(value, math.nan, math.nan) for value in values])
    assert (found.mean, found.high - found.mean) == pytest.approx((0.4, half))
    table = task_table([solved("a", value, seed=seed) for seed, value in enumerate(values)])
    assert f"| `a` (3) | 0.400 ± {half:.3f} |" in table


def test_the_error_of_the_games_that_all_seeds_play_is_added():
    apart = over_seeds([Estimate(0.1, 0.0, 0.2), Estimate(0.3, 0.2, 0.4)])
    assert apart.high - apart.mean == pytest.approx(math.hypot(12.7062 * 0.1, 0.1), rel=1e-4)


def test_tasks_of_a_family_stand_side_by_side_and_a_gap_is_empty():
    rows = [solved("a", 0.5), solved("a", 1.5, "expedition-3"), solved("b", 0.25)]
    table = side_by_side(rows).markdown()
    assert "| algorithm | expedition-2 | expedition-3 |" in table
    assert table.splitlines()[-2:] == ["| `b` | 0.250 |  |", "| `a` | 0.500 | 1.500 |"]


def test_what_does_not_follow_the_protocol_is_marked():
    refused = {**solved("a", 0.1), "measures": {"exact": {"refused": "it has a memory"}}}
    marked = {
        "over": (row("over", decisions=150), "50% over budget"),
        "under": (row("under", decisions=60), "60% of the budget"),
        "none": (row("none", decisions=0), "no decision was counted"),
        "a": (refused, "not solved: it has a memory"),
        "b": (solved("b", 0.1, digest="0" * 16), "games of another version"),
    }
    for name, (run, text) in marked.items():
        assert f"`{name}` (1), {text} |" in task_table([run])
    assert "`twice` (2), 50% over budget in 1 of 2 |" in task_table([row("twice", decisions=150), row("twice", seed=1)])
    assert "`fair` (1) |" in task_table([row("fair", decisions=101)])


def test_a_single_run_has_the_interval_of_its_games():
    found = row("champion", kind="shipped", budget=0)
    found["measures"]["held_out"]["win"] = {"mean": 0.3, "low": 0.26, "high": 0.34}
    found["measures"]["gain"]["at_least"] = {"mean": 0.1, "low": 0.07, "high": 0.13}
    assert "| `champion` | 0.200 ± 0.050 | 0.300 ± 0.040 | 0.100 ± 0.030 | 30.00 | 60 |" in task_table([found])


def test_a_table_of_latex_is_escaped(tmp_path):
    found = {**solved(r"my_module:50%~^\{x}|", 1234.5), "measures": solved("a", 1234.5)["measures"]}
    rows = [found, row("b", task="expedition-2", family="expedition")]
    rows[1]["measures"] = {"exact": {"refused": "a_b"}}
    text = latex(page.task_table(rows))
    head, *lines = text.splitlines()[3:-2]
    assert text.splitlines()[1:3] == [r"\begin{tabular}{lrrrrr}", r"\toprule"]
    assert head.startswith("algorithm & NashConv (gems) & deviation gain (gems) & ")
    name = r"\texttt{my\_module:50\%\textasciitilde{}\textasciicircum{}\textbackslash{}\{x\}\textbar{}}"
    assert lines[1].startswith(name + " (1) & $1{,}234.500$ & $617.250$ & $8.00$ &")
    assert lines[2] == r"\texttt{b} (1), not solved: a\_b &  &  &  &  & $60$ \\"
    assert all(line.count("&") == 5 for line in (head, lines[1], lines[2]))
    with_seeds = latex(page.task_table([solved("a", 0.5), solved("a", 1.5, seed=1)]))
    assert r"\texttt{a} (2) & $1.000 \pm 6.353$" in with_seeds


def test_a_paper_has_every_figure_as_csv_and_a_picture_of_a_column(tmp_path):
    points = [{"decisions": 40, "win": 0.1}, {"decisions": 80, "win": 0.2}]
    learned = row("my_module:train", wins=0.3)
    learned["measures"]["curve"] = points
    write_paper([learned, row("ev", kind="scripted", budget=0, decisions=0)], tmp_path)
    with (tmp_path / "results.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    mine = [line for line in lines if line["algorithm"] == "my_module:train"]
    curve = [(int(line["decisions"]), float(line["mean"])) for line in mine if "on the way" in line["figure"]]
    assert curve == [(40, 0.1), (80, 0.2)]
    assert {line["figure"]: line["mean"] for line in mine if line["decisions"] == "100"} == {
        "wins less gain": "0.19999999999999998", "wins from strangers": "0.3", "strongest responder's gain": "0.1",
        "score among strangers (gems)": "30.0", "training, CPU s": "60.0",
    }  # fmt: skip
    for name in ("curves", "plane"):
        svg = (tmp_path / f"full-4-win-{name}.svg").read_text()
        assert float(re.search(r'width="([\d.]+)pt"', svg)[1]) == pytest.approx(72 * 3.3)
        assert (tmp_path / f"full-4-win-{name}.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "full-4-win.tex").is_file()
