"""Page of a benchmark's folder: summary, pictures and tables by task."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from diamant_env.drawing.narration import counted
from diamant_env.storage.files import write_whole
from train.benchmarking.reporting.aggregate import REFERENCE, exact_scores, nash_conv, score_table
from train.benchmarking.reporting.columns import (
    COLUMNS,
    DESCENDING,
    RANKING,
    Column,
    Row,
    by_figure,
    by_task,
    curve_panels,
    figure_text,
    numbers_of_seeds,
    over_seeds,
    seeds_text,
)
from train.benchmarking.reporting.marks import marks
from train.benchmarking.reporting.pictures import PLANE, PROFILES, curves_file
from train.benchmarking.reporting.statistics import FEWEST
from train.benchmarking.suite import EXACT, TASKS, find_tasks
from train.runs.markdown import code, escape_markdown, markdown_table

PROTOCOL = Path(__file__).parents[3] / "docs" / "benchmark.md"
CURVES = {
    "nash_conv": "NashConv against decisions",
    "score": "Score alone and held-out score against decisions",
    "gain": "Gain of value iteration, at the last point that of the strongest responder, against decisions",
    "win": "Held-out win share against decisions",
}
"""Captions of the pictures of learning curves, by `Column.point`."""


class Line(NamedTuple):
    """Row of a table: algorithm, marks of its runs, figures as texts."""

    name: str
    seeds: str
    marks: list[str]
    figures: list[str]


class Figures(NamedTuple):
    """Table of algorithms, sorted."""

    head: list[str]
    lines: list[Line]

    def markdown(self) -> str:
        """Return the table in Markdown."""
        names = [", ".join([code(line.name) + line.seeds, *map(escape_markdown, line.marks)]) for line in self.lines]
        rows = [[name, *line.figures] for name, line in zip(names, self.lines, strict=True)]
        return markdown_table(["algorithm", *self.head], rows)


def write_page(content: Row, path: Path) -> None:
    """Write the page of a folder's runs, with pictures beside it.

    Args:
        content: ``config``, ``versions`` and ``runs`` of `BenchmarkFolder.write`.
        path: Path of the page.
    """
    protocol = Path(os.path.relpath(PROTOCOL, path.parent)).as_posix()
    about = f"The [protocol]({protocol}) defines the figures; it is docs/benchmark.md of diamant_env."
    parts = ["# Benchmark", about, summary(content), *task_tables(content["runs"])]
    write_whole(path, "\n\n".join(parts) + "\n")


def summary(content: Row) -> str:
    """Return number and cost of the runs, and tables and pictures of the figures that rank algorithms."""
    runs, config = content["runs"], content["config"]
    platform, python = (escape_markdown(str(content["versions"][name])) for name in ("platform", "python"))
    seconds = sum(row["train_cpu_seconds"] + row["measure_cpu_seconds"] for row in runs)
    cost = f"{seconds / 3600:.1f} CPU hours" if seconds >= 3600 else f"{seconds:.0f} CPU seconds"
    learned = sum(row["kind"] == "learned" for row in runs)
    parts = [
        f"{counted(learned, 'run')} that learned from {config['decisions']:,} decisions each and "
        f"{counted(len(runs) - learned, 'evaluation')} of fixed agents: {cost}, started on "
        f"{platform}, Python {python}. ± is the longer side of the 95 % interval, over seeds (Student's t) and games, "
        "for exact figures over seeds, with one seed over games alone."
    ]
    pictures = _curves(runs)
    for point, mine in by_figure(runs).items():
        if point in RANKING and point in pictures:
            parts.append(pictures[point])
        if any(row["family"] == "win" for row in mine):
            parts.append(_picture("Held-out win share and the gain of the strongest responder", PLANE))
        if len({row["task"] for row in mine}) > 1:
            heading = COLUMNS[mine[0]["family"]][0].heading
            parts.append(f"{heading[0].upper()}{heading[1:]}:\n\n{side_by_side(mine).markdown()}")
    if exact_scores(runs):
        tasks = {row["task"] for row in runs if row["algorithm"] == REFERENCE and nash_conv(row) is not None}
        which = (
            "All exact tasks"
            if tasks >= {task.name for task in find_tasks(EXACT)}
            else f"The tasks {', '.join(sorted(tasks))}"
        )
        parts += [
            _picture("Fraction of runs above each normalised score; marks: near quartiles, bands: 95 %", PROFILES),
            f"{which} together, with 95 % bootstrap intervals from {FEWEST} runs a task on:\n\n{score_table(runs)}",
        ]
    return "\n\n".join(parts)


def _curves(runs: Sequence[Row]) -> dict[str, str]:
    """Return the pictures of learning curves, by `Column.point`."""
    caption = f"{{}}: mean over seeds, with its interval from {FEWEST} seeds on"
    return {point: _picture(caption.format(CURVES[point]), curves_file(point)) for point in curve_panels(runs)}


def _picture(caption: str, file: str) -> str:
    return f"![{caption}]({file})\n\n*{caption}.*"


def side_by_side(runs: Sequence[Row]) -> Figures:
    """Return the first figure of all tasks, sorted by the first task, with the numbers of seeds in the head."""
    cells = {row["task"]: column for row in runs if (column := COLUMNS[row["family"]][0]).read(row)}
    tasks = by_task(runs)
    head = [f"{task} ({', '.join(filter(None, [each.unit, seeds_text(tasks[task])]))})" for task, each in cells.items()]
    lines = _sorted(runs, list(cells.items()))
    if all(len(numbers_of_seeds(rows)) < 2 for rows in tasks.values()):
        lines = [line._replace(seeds="") for line in lines]  # the head says it
    return Figures(head, [line._replace(marks=_marks_by_task(runs, line.name)) for line in lines])


def _marks_by_task(runs: Sequence[Row], name: str) -> list[str]:
    """Return the marks of an algorithm's runs with their tasks."""
    mine = by_task([row for row in runs if row["algorithm"] == name])
    return [f"{mark} in {task}" for task, rows in mine.items() for mark in marks(rows)]


def task_table(runs: Sequence[Row]) -> Figures:
    """Return all figures of one task, and the strongest responders."""
    columns = COLUMNS[runs[0]["family"]]
    head, lines = [column.title for column in columns], _sorted(runs, [(runs[0]["task"], each) for each in columns])
    found = responders(runs)
    if not found:
        return Figures(head, lines)
    lines = [line._replace(figures=[*line.figures, found.get(line.name, "")]) for line in lines]
    return Figures([*head, "strongest responder"], lines)


def responders(runs: Sequence[Row]) -> dict[str, str]:
    """Return the strongest responders to each algorithm, with the numbers of runs if they differ."""
    kinds: dict[str, Counter] = {}
    for row in runs:
        if by := (row["measures"].get("gain") or {}).get("by"):
            kinds.setdefault(row["algorithm"], Counter())[re.sub(r" \d+$", "", by)] += 1
    return {
        name: ", ".join(by if len(found) == 1 else f"{by} ({count})" for by, count in found.most_common())
        for name, found in kinds.items()
    }


def task_tables(runs: Sequence[Row]) -> list[str]:
    """Return curves of figures that rank nothing, then a table for each task, with the number of seeds in brackets."""
    tables = [picture for point, picture in _curves(runs).items() if point not in RANKING]
    for task, mine in by_task(runs).items():
        meaning = f": {TASKS[task].meaning}" if task in TASKS else ""
        tables.append(f"## {task}{meaning}\n\n{task_table(mine).markdown()}")
    return tables


def figure_lines(runs: Sequence[Row]) -> list[str]:
    """Return a line for each task and algorithm with its figures, for the terminal."""
    lines = []
    for task, mine in by_task(runs).items():
        head, rows = task_table(mine)
        for row in rows:
            figures = [f"{title} {figure}" for title, figure in zip(head, row.figures, strict=True) if figure]
            lines.append(f"{task} {row.name}{row.seeds}: {'; '.join(figures)}")
    return lines


def _sorted(runs: Sequence[Row], cells: Sequence[tuple[str, Column]]) -> list[Line]:
    """Return a row for each algorithm with one figure per cell (task, column), sorted by the first."""
    sign = -1 if runs[0]["family"] in DESCENDING else 1
    found = []
    for name in dict.fromkeys(row["algorithm"] for row in runs):
        mine = [row for row in runs if row["algorithm"] == name]
        known = [
            [value for row in mine if row["task"] == task and (value := column.read(row))] for task, column in cells
        ]
        means = [over_seeds(values) if values else None for values in known]
        texts = [figure_text(mean, column) for mean, (_, column) in zip(means, cells, strict=True)]
        seeds = f" ({len(mine)})" if mine[0]["kind"] == "learned" else ""
        line = Line(name, seeds, marks(mine), texts)
        found.append(([sign * mean.mean if mean else math.inf for mean in means], line))
    return [line for _, line in sorted(found, key=lambda each: each[0])]
