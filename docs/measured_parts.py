"""Generated parts with measured figures: tables of docs/measured/*.json."""

from __future__ import annotations

import json
import re
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from diamant_env.drawing.narration import counted
from diamant_env.judging.text_reports import estimate_text
from train.benchmarking.reporting.aggregate import exact_scores
from train.benchmarking.reporting.columns import COLUMNS, difference, figure_text, over_seeds
from train.benchmarking.reporting.page import summary, task_tables
from train.benchmarking.reporting.statistics import estimate, improvement, ratio
from train.benchmarking.suite import TASKS

MEASURED = Path(__file__).with_name("measured")
Row = dict[str, Any]


def load(name: str) -> Row:
    """Return the content of docs/measured/NAME.json."""
    return json.loads((MEASURED / f"{name}.json").read_text(encoding="utf-8"))


def benchmark() -> str:
    """Return the page of the benchmark's results."""
    return summary(load("benchmark"))


def benchmark_tasks() -> str:
    """Return all figures of the benchmark, a table per task."""
    return "\n\n".join(task_tables(load("benchmark")["runs"]))


def findings() -> str:
    """Return the sentences of docs/measured/findings.txt with their figures; check the sentences when runs are added.

    ``{TASK, ALGORITHM, COLUMN}`` stands for a figure, ``{TASK, FIRST - SECOND, COLUMN}`` for a difference of two;
    the column ``seeds`` is the number of runs. ``{exact tasks, FIRST > SECOND, P}`` and ``{exact tasks, FIRST / SECOND,
    NashConv}`` are figures of all exact tasks together.
    """
    runs = load("benchmark")["runs"]
    scores = exact_scores(runs)

    def figure(name: re.Match) -> str:
        task, algorithms, heading = name.groups()
        if task == "exact tasks":
            both = (scores[name] for name in re.split(" [>/] ", algorithms))
            return estimate_text(estimate({"P": improvement, "NashConv": ratio}[heading], *both), 2)
        if heading == "seeds":
            return f"({counted(sum((row['task'], row['algorithm']) == (task, algorithms) for row in runs), 'seed')})"
        (column,) = (each for each in COLUMNS[TASKS[task].family] if each.heading == heading)
        chosen = [
            [row for row in runs if (row["task"], row["algorithm"]) == (task, a)] for a in algorithms.split(" - ")
        ]
        first, *second = ([found for row in rows if (found := column.read(row))] for rows in chosen)
        if second:
            pairs = islice(zip(cycle(first), cycle(second[0]), strict=False), max(len(first), len(second[0])))
            first = [difference(*pair) for pair in pairs]  # seed by seed
        return figure_text(over_seeds(first), column)

    text = (MEASURED / "findings.txt").read_text(encoding="utf-8").strip()
    return re.sub(r"\{(.+?), (.+?), (.+?)\}", figure, text)


PARTS = {
    "benchmark": benchmark,
    "benchmark-tasks": benchmark_tasks,
    "findings": findings,
}
