"""What the benchmark found: a table for each task, and two pictures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from diamant_env.drawing.news import counted
from diamant_env.judging.intervals import Estimate, mean_of_tables
from diamant_env.storage.files import write_whole
from diamant_env.storage.markdown import code, escaped, markdown_table
from train.benchmarking.pictures import draw_curves, draw_plane
from train.benchmarking.suite import TASKS, digest

CURVES, PLANE = "benchmark-curves.png", "benchmark-plane.png"
_ALLOWED = 1.01  # times the budget: games side by side end a step later
Row = dict[str, Any]


class Column(NamedTuple):
    """A figure of a run: its heading, the digits shown, and how it is read from the run's measures."""

    heading: str
    digits: int
    read: Callable[[Row], Estimate | None]


def _of(*keys: str) -> Callable[[Row], Estimate | None]:
    """Return a function that reads a figure of a run, None where it is not known; what is exact has no interval."""

    def read(row: Row) -> Estimate | None:
        value: Any = row["measures"]
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return None if value is None else estimate_of(value)

    return read


def estimate_of(value: float | dict[str, float | None]) -> Estimate:
    """Return a figure as JSON has it: a number, or a mean with bounds that are null where one table was played."""
    found = value if isinstance(value, dict) else {"mean": value}
    return Estimate(*(math.nan if (each := found.get(key)) is None else each for key in ("mean", "low", "high")))


def net(row: Row) -> Estimate | None:
    """Return wins from strangers less what the strongest responder gains: both count, as in a population of learners.

    Lanctot et al.: Population-based evaluation in repeated rock-paper-scissors (TMLR 2023).
    """
    wins, gain = _of("held_out", "win")(row), _of("gain", "at_least")(row)
    if wins is None or gain is None:
        return None
    return difference(wins, gain)


def difference(one: Estimate, other: Estimate) -> Estimate:
    """Return one figure less another of independent games or seeds, NaN bounds if either has none."""
    mean, half = one.mean - other.mean, math.hypot(_half(one), _half(other))
    return Estimate(mean, mean - half, mean + half)


def _half(found: Estimate) -> float:
    """Return half of an interval's width, NaN if there is none."""
    return (found.high - found.low) / 2


_SECONDS = Column("training, CPU s", 0, lambda row: estimate_of(row["train_cpu_seconds"]))
_STRANGERS = Column("score among strangers", 2, _of("held_out", "score"))
_EXPEDITION = (
    Column("NashConv", 3, _of("exact", "nash_conv")),
    Column("deviation gain", 3, _of("exact", "exploitability")),
    Column("score among copies", 2, _of("exact", "value")),
    _STRANGERS,
    _SECONDS,
)
_WIN = (
    Column("wins less gain", 3, net),
    Column("wins from strangers", 3, _of("held_out", "win")),
    Column("strongest responder's gain", 3, _of("gain", "at_least")),
    _STRANGERS,
    _SECONDS,
)
_SCORE = (_STRANGERS, Column("strongest responder's gain", 2, _of("gain", "at_least")), _SECONDS)
COLUMNS = {
    "expedition": _EXPEDITION,
    "win": _WIN,
    "score": _SCORE,
    "solitaire": (Column("score", 2, _of("score")), _SECONDS),
}
"""The figures of a task by its family; the first one sorts the table."""
_ASCENDING = {"expedition"}


def over_seeds(figures: Sequence[Estimate]) -> Estimate:
    """Return a figure of one run as it is, of several the mean over seeds with its 95 % interval.

    All runs of a task are measured in the same games, so that the error of these games does not fall with the number of
    seeds: it is added to that of the seeds, which is Student's.
    """
    if len(figures) == 1:
        return figures[0]
    seeds = mean_of_tables([each.mean for each in figures], [1] * len(figures))
    half = math.hypot(_half(seeds), fmean(0.0 if math.isnan(_half(each)) else _half(each) for each in figures))
    return Estimate(seeds.mean, seeds.mean - half, seeds.mean + half)


def write_page(content: Row, path: Path) -> None:
    """Write the page of a folder's runs and its pictures.

    Args:
        content: ``config``, ``versions`` and ``runs``, as `train.benchmarking.folder.write` saves them.
        path: Of the page; the pictures lie beside it.
    """
    draw_curves(content["runs"], path.with_name(CURVES))
    draw_plane(content["runs"], path.with_name(PLANE))
    parts = ["# Benchmark", summary(content), *task_tables(content["runs"], "## ")]
    write_whole(path, "\n\n".join(parts) + "\n")


def summary(content: Row) -> str:
    """Return what was played, the pictures, and the first figures of the tasks of a family side by side."""
    runs, config = content["runs"], content["config"]
    platform, python = (escaped(str(content["versions"][name])) for name in ("platform", "python"))
    hours = sum(row["train_cpu_seconds"] + row["measure_cpu_seconds"] for row in runs) / 3600
    learned = sum(row["kind"] == "learned" for row in runs)
    parts = [
        f"{counted(learned, 'run')} that learned from {config['decisions']:,} decisions each and "
        f"{counted(len(runs) - learned, 'evaluation')} of fixed agents: {hours:.1f} CPU hours, begun on "
        f"{platform}, Python {python}. ± is 95 %, over seeds (Student's t) and games; what is "
        "exact has only that of the seeds."
    ]
    families = {row["family"] for row in runs}
    if any(row["measures"].get("curve") for row in runs):
        parts.append(f"![NashConv against decisions, by number of players]({CURVES})")
    if "expedition" in families:
        parts.append(side_by_side("NashConv in gems", "expedition", runs))
    if "win" in families:
        parts.append(f"![Wins from strangers against the gain of the strongest responder]({PLANE})")
        parts.append(side_by_side("Wins from strangers less the strongest responder's gain", "win", runs))
    return "\n\n".join(parts)


def side_by_side(title: str, family: str, runs: Sequence[Row]) -> str:
    """Return the first figure of all tasks of a family as a table, sorted by its first task."""
    runs = [row for row in runs if row["family"] == family]
    tasks, column = list(dict.fromkeys(row["task"] for row in runs)), COLUMNS[family][0]
    sign = 1 if family in _ASCENDING else -1
    cells: dict[str, dict[str, list[Row]]] = {}
    for row in runs:
        cells.setdefault(row["algorithm"], {}).setdefault(row["task"], []).append(row)

    def order(name: str) -> list[float]:
        means = [_over(cells[name].get(task, ()), column) for task in tasks]
        return [math.inf if found is None else sign * found.mean for found in means]

    rows = [
        [code(name), *(figure(cells[name].get(task, ()), column) for task in tasks)]
        for name in sorted(cells, key=order)
    ]
    return f"{title}:\n\n{markdown_table(['algorithm', *tasks], rows)}"


def task_tables(runs: Sequence[Row], heading: str) -> list[str]:
    """Return a table of all figures for each task, under headings."""
    tables = []
    for task in dict.fromkeys(row["task"] for row in runs):
        meaning = f"{TASKS[task].meaning}; the number of seeds in brackets.\n\n" if task in TASKS else ""
        tables.append(f"{heading}{task}\n\n{meaning}{task_table([row for row in runs if row['task'] == task])}")
    return tables


def task_table(rows: Sequence[Row]) -> str:
    """Return the table of one task, the best algorithm first."""
    family = rows[0]["family"]
    columns, sign = COLUMNS[family], 1 if family in _ASCENDING else -1
    by_algorithm: dict[str, list[Row]] = {}
    for row in rows:
        by_algorithm.setdefault(row["algorithm"], []).append(row)

    def place(name: str) -> float:
        found = _over(by_algorithm[name], columns[0])
        return math.inf if found is None else sign * found.mean

    lines = [
        [_named(name, by_algorithm[name]), *(figure(by_algorithm[name], column) for column in columns)]
        for name in sorted(by_algorithm, key=place)
    ]
    return markdown_table(["algorithm", *(column.heading for column in columns)], lines)


def _over(rows: Sequence[Row], column: Column) -> Estimate | None:
    """Return a figure of an algorithm's runs; None where it is not known."""
    known = [value for value in map(column.read, rows) if value is not None]
    return over_seeds(known) if known else None


def _named(name: str, rows: Sequence[Row]) -> str:
    marks = Counter(filter(None, map(mark, rows)))
    seeds = f" ({len(rows)})" if rows[0]["kind"] == "learned" else ""
    each = [text if count == len(rows) else f"{text} in {count} of {len(rows)}" for text, count in marks.items()]
    return ", ".join([code(name) + seeds, *each])


def mark(row: Row) -> str:
    """Return what a page says of a run that is not as the others are, of most runs nothing."""
    budget, spent, task = row["budget"], row["decisions"], TASKS.get(row["task"])
    if task is not None and row.get("digest", digest(task)) != digest(task):
        return "games of another version"
    if refused := row["measures"].get("exact", {}).get("refused"):
        return f"not solved: {escaped(refused)}"
    if budget and not spent:
        return "no decision was counted"
    if budget and spent > _ALLOWED * budget:
        return f"{spent / budget - 1:.0%} over budget"
    return f"{spent / budget:.0%} of the budget" if budget and spent * _ALLOWED < budget else ""


def figure(rows: Sequence[Row], column: Column) -> str:
    """Return a figure of one run or its mean over seeds, with its interval if it has one."""
    found = _over(rows, column)
    return "" if found is None else figure_text(found, column)


def figure_text(found: Estimate, column: Column) -> str:
    """Return a figure with its interval if it has one."""
    half = math.nan if column is _SECONDS else _half(found)
    interval = "" if math.isnan(half) else f" ± {half:.{column.digits}f}"
    return f"{found.mean:,.{column.digits}f}{interval}"
