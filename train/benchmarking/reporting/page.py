"""Page of a benchmark's folder: summary, pictures and tables by task."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from diamant_env.drawing.narration import counted
from diamant_env.evaluation.intervals import Estimate, mean_of_tables
from diamant_env.evaluation.report import plus_minus
from diamant_env.storage.files import write_atomic
from train.benchmarking.reporting.aggregate import BASELINE, REFERENCE, nash_conv, score_table
from train.benchmarking.reporting.columns import (
    COLUMNS,
    Column,
    Row,
    by_task,
    curve_panels,
    figure_text,
    markdown_table,
    numbers_of_seeds,
    over_seeds,
    seeds_text,
)
from train.benchmarking.reporting.pictures import FEWEST, curves_file

PROTOCOL = Path(__file__).parents[3] / "docs" / "benchmark_tasks.md"
CURVES = {
    "nash_conv": "NashConv against decisions",
    "win": "Held-out win share against decisions",
}
"""Descriptions of the pictures of learning curves, by `Column.point`."""


def write_page(content: Row, path: Path) -> None:
    """Write the page of a folder's runs (`content` of `BenchmarkFolder.write`), with pictures beside it."""
    protocol = Path(os.path.relpath(PROTOCOL, path.parent)).as_posix()
    introduction = f"The [protocol]({protocol}) defines the figures; it is docs/benchmark_tasks.md of diamant_env."
    parts = ["# Benchmark", introduction, summary(content), *task_tables(content["runs"])]
    write_atomic(path, "\n\n".join(parts) + "\n")


def summary(content: Row) -> str:
    """Return number and cost of the runs, and table and curves of the exact NashConv."""
    runs = content["runs"]
    seconds = sum(row["train_cpu_seconds"] + row["measure_cpu_seconds"] for row in runs)
    cost = f"{seconds / 3600:.1f} CPU hours" if seconds >= 3600 else f"{seconds:.0f} CPU seconds"
    tasks, learned = len({row["task"] for row in runs}), sum(row["kind"] == "learned" for row in runs)
    about = (
        f"{counted(tasks, 'task')}: {counted(learned, 'run')} that learned from {content['config']['decisions']:,} "
        f"decisions each and {counted(len(runs) - learned, 'evaluation')} of fixed agents: {cost}. ± is the longer "
        "side of a 95 % interval: Student's t over seeds, plus the error of games that they share. With one run it "
        f"is the error of its games. Curves are means over seeds, with intervals from {FEWEST} seeds on."
    )
    exact = [row for row in runs if COLUMNS[row["family"]][0].point == "nash_conv"]
    table = [side_by_side(exact)] if len({row["task"] for row in exact}) > 1 else []
    return "\n\n".join([about, *table, *_curves(runs, "nash_conv")])


def _together(runs: Sequence[Row]) -> list[str]:
    """Return the comparison over all exact tasks."""
    if not (table := score_table(runs)):
        return []
    tasks = {row["task"] for row in runs if row["algorithm"] == REFERENCE and nash_conv(row) is not None}
    return [f"## Exact tasks together\n\n{', '.join(sorted(tasks))}, with 95 % intervals:\n\n{table}"]


def _curves(runs: Sequence[Row], *points: str) -> list[str]:
    """Return the pictures of learning curves of these figures, by `Column.point`."""
    panels = curve_panels(runs)
    return [f"![{CURVES[point]}]({curves_file(point)})" for point in points if point in panels]


def side_by_side(runs: Sequence[Row]) -> str:
    """Return the NashConv in all tasks, sorted by the first task, with the numbers of seeds in the head."""
    cells = {row["task"]: column for row in runs if (column := COLUMNS[row["family"]][0]).read(row)}
    tasks = by_task(runs)
    head = [f"{task} ({', '.join(filter(None, [each.unit, seeds_text(tasks[task])]))})" for task, each in cells.items()]
    lines = _sorted(runs, list(cells.items()))
    if all(len(numbers_of_seeds(rows)) < 2 for rows in tasks.values()):  # the head has them
        return markdown_table(["NashConv", *head], [[f"`{name}`", *figures] for name, figures in lines.items()])
    return markdown_table(["NashConv", *head], _with_seeds(runs, lines))


def task_table(runs: Sequence[Row]) -> str:
    """Return all figures of one task, and the strongest responses."""
    head, rows = _task_cells(runs)
    return markdown_table(["algorithm", *head], rows)


def _task_cells(runs: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Return the titles of a task's figures, and a row of algorithm and figures for each algorithm."""
    columns = [column for column in COLUMNS[runs[0]["family"]] if any(column.read(row) for row in runs)]
    head, lines = [column.title for column in columns], _sorted(runs, [(runs[0]["task"], each) for each in columns])
    if found := best_response_policies(runs):
        head.append("strongest response")
        lines = {name: [*figures, found.get(name, "")] for name, figures in lines.items()}
    if less := first_fits_less_baseline(runs):
        head.append(f"first fit's gain minus {BASELINE}'s")
        lines = {name: [*figures, less.get(name, "")] for name, figures in lines.items()}
    return head, _with_seeds(runs, lines)


def _with_seeds(runs: Sequence[Row], lines: dict[str, list[str]]) -> list[list[str]]:
    """Return rows with the number of runs in brackets, except of fixed agents with one a task."""
    repeated = {row["algorithm"] for row in runs if row["kind"] == "learned" or row["seed"] > 0}
    counts = Counter(row["algorithm"] for row in runs if row["algorithm"] in repeated)
    seeds = {name: f" ({count})" for name, count in counts.items()}
    return [[f"`{name}`{seeds.get(name, '')}", *figures] for name, figures in lines.items()]


def best_response_policies(runs: Sequence[Row]) -> dict[str, str]:
    """Return the strongest responses to each algorithm, with the numbers of runs if they differ."""
    kinds: dict[str, Counter] = {}
    for row in runs:
        if by := (row["measures"].get("gain") or {}).get("by"):
            kinds.setdefault(row["algorithm"], Counter())[re.sub(r" \d+$", "", by)] += 1
    return {
        name: ", ".join(by if len(found) == 1 else f"{by} ({count})" for by, count in found.most_common())
        for name, found in kinds.items()
    }


def first_fits_less_baseline(runs: Sequence[Row]) -> dict[str, str]:
    """Return the mean gain of a run's first fit of value iteration less that of the baseline's run in the same games.

    The runs of an algorithm are independent, so that the intervals are Student's t over the pairs, with Bonferroni's
    correction for the comparisons of the table.
    """
    gains: dict[str, dict[int, float]] = {}
    for row in runs:
        if "first_fit" in (gain := row["measures"].get("gain") or {}):
            gains.setdefault(row["algorithm"], {})[row["seed"]] = gain["first_fit"]
    ours = gains.pop(BASELINE, {})
    paired = {name: [theirs[seed] - ours[seed] for seed in theirs.keys() & ours] for name, theirs in gains.items()}
    less = {name: each for name, each in paired.items() if len(each) > 1}
    return {name: plus_minus(mean_of_tables(each, [1] * len(each), len(less)), 3, "+") for name, each in less.items()}


def task_tables(runs: Sequence[Row]) -> list[str]:
    """Return the comparison over tasks, curves of full tasks, and a table for each task with numbers of seeds."""
    tables = [f"## {task}\n\n{task_table(mine)}" for task, mine in by_task(runs).items()]
    curves = _curves(runs, "win")
    return [*_together(runs), *(["## Learning curves of full tasks", *curves] if curves else []), *tables]


def figure_lines(runs: Sequence[Row]) -> list[str]:
    """Return a line for each task and algorithm with its figures, for the terminal."""
    lines = []
    for task, mine in by_task(runs).items():
        head, rows = _task_cells(mine)
        for name, *cells in rows:
            figures = [f"{title} {figure}" for title, figure in zip(head, cells, strict=True) if figure]
            lines.append(f"{task} {name.replace('`', '')}: {'; '.join(figures)}")
    return lines


def _sorted(runs: Sequence[Row], cells: Sequence[tuple[str, Column]]) -> dict[str, list[str]]:
    """Return one figure per cell (task, column) of each algorithm as text, sorted by the first."""
    rows = []
    for name in dict.fromkeys(row["algorithm"] for row in runs):
        mine = [row for row in runs if row["algorithm"] == name]
        means = [_mean([row for row in mine if row["task"] == task], column) for task, column in cells]
        texts = [figure_text(mean, column) for mean, (_, column) in zip(means, cells, strict=True)]
        rows.append(([mean.mean if mean else math.inf for mean in means], name, texts))
    return {name: texts for _, name, texts in sorted(rows, key=lambda each: each[0])}


def _mean(runs: Sequence[Row], column: Column) -> Estimate | None:
    """Return the mean of a figure over the runs of an algorithm that have it, None without any."""
    values = [value for row in runs if (value := column.read(row))]
    return over_seeds(values, column.own_games) if values else None
