"""Columns of figures of benchmark runs, and means over seeds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from diamant_env.drawing.narration import counted
from diamant_env.evaluation.intervals import Estimate, mean_of_tables

Row = dict[str, Any]


class Column(NamedTuple):
    """Figure of a run, defined in docs/benchmark_tasks.md."""

    heading: str
    unit: str
    digits: int  # decimal places
    read: Callable[[Row], Estimate | None]  # of a run's row, None if unknown
    point: str = ""  # key in the points of a learning curve, for the figure that curves show
    own_games: bool = False  # whether each run is measured in games of its own

    @property
    def title(self) -> str:
        """Heading and unit."""
        return f"{self.heading} ({self.unit})" if self.unit else self.heading


def _of(*keys: str) -> Callable[[Row], Estimate | None]:
    """Return a function that reads a figure of a run, or None if unknown; exact figures have no interval."""

    def read(row: Row) -> Estimate | None:
        value: Any = row["measures"]
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return None if value is None else estimate_of(value)

    return read


def estimate_of(value: float | dict[str, float | None]) -> Estimate:
    """Return the estimate of a JSON figure: a number, or a mean with bounds, null for a single table."""
    figure = value if isinstance(value, dict) else {"mean": value}
    return Estimate(*(math.nan if (each := figure.get(key)) is None else each for key in ("mean", "low", "high")))


def _half(interval: Estimate) -> float:
    """Return half of an interval's width, NaN if there is none."""
    return (interval.high - interval.low) / 2


_SECONDS = Column(
    "training, CPU s", "", 0, lambda row: estimate_of(spent) if (spent := row["train_cpu_seconds"]) else None
)
_SCORE = Column("held-out score", "gems", 2, _of("held_out", "score"))
_SOLVED = (
    Column("NashConv", "gems", 3, _of("exact", "nash_conv"), "nash_conv"),
    Column("NashConv of the last iterate", "gems", 3, _of("last", "nash_conv")),
    Column("score among copies", "gems", 2, _of("exact", "value")),
    _SCORE,
    _SECONDS,
)
COLUMNS = {
    "expedition": _SOLVED,
    "game": _SOLVED,
    "small": (
        Column("NashConv", "win share", 3, _of("exact", "nash_conv"), "nash_conv"),
        Column("NashConv of the last iterate", "win share", 3, _of("last", "nash_conv")),
        Column("held-out win share", "", 3, _of("held_out", "win")),
        _SECONDS,
    ),
    "two-player": (
        Column("NashConv of joint decisions, seed 0", "win share", 3, _of("joint", "nash_conv")),
        Column("win share against minimax", "", 3, _of("minimax", "win")),
        Column("held-out win share", "", 3, _of("held_out", "win"), "win"),
        _SECONDS,
    ),
    "win": (
        Column("first fit's gain", "win share", 3, _of("gain", "first_fit"), own_games=True),
        Column("strongest response's gain", "win share", 3, _of("gain", "at_least"), own_games=True),
        Column("held-out win share", "", 3, _of("held_out", "win"), "win"),
        _SECONDS,
    ),
}
"""Figures of a task by its family; the first one sorts the table."""


def by_task(runs: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the runs of each task."""
    return {task: [row for row in runs if row["task"] == task] for task in dict.fromkeys(row["task"] for row in runs)}


def curve_columns(family: str) -> list[Column]:
    """Return the figures that the learning curves of a family show; the last one is known at every point."""
    return [column for column in COLUMNS[family] if column.point]


def curve_panels(runs: Sequence[Row]) -> dict[str, dict[str, list[Row]]]:
    """Return the runs of each task with learning curves, by the figure (`Column.point`) that these show."""
    panels: dict[str, dict[str, list[Row]]] = {}
    for task, rows in by_task(runs).items():
        for column in curve_columns(rows[0]["family"]):
            if any(len(curve_of(row, column)) > 1 for row in rows):
                panels.setdefault(column.point, {})[task] = rows
    return panels


def curve_of(row: Row, column: Column) -> list[tuple[int, float]]:
    """Return the learning curve of a run, decisions and figure, with its end as the last point."""
    points = [
        (each["decisions"], each[column.point]) for each in row["measures"].get("curve", ()) if column.point in each
    ]
    end = column.read(row)
    return points if end is None else [*points, (row["decisions"], end.mean)]


def over_seeds(figures: Sequence[Estimate], own_games: bool = False) -> Estimate:
    """Return the mean over seeds with its 95 % interval, a single figure unchanged.

    Unless each run is measured in games of its own, the error of the common games does not decrease with the number of
    seeds: it is added to Student's interval over seeds.
    """
    if len(figures) == 1:
        return figures[0]
    seeds = mean_of_tables([each.mean for each in figures], [1] * len(figures))
    if own_games:
        return seeds
    half = math.hypot(_half(seeds), fmean(0.0 if math.isnan(_half(each)) else _half(each) for each in figures))
    return Estimate(seeds.mean, seeds.mean - half, seeds.mean + half)


def numbers_of_seeds(runs: Sequence[Row]) -> list[int]:
    """Return the different numbers of seeds of a task's learning algorithms, the lowest first."""
    return sorted({*Counter(row["algorithm"] for row in runs if row["kind"] == "learned").values()})


def seeds_text(runs: Sequence[Row]) -> str:
    """Return the lowest and the highest number of seeds of a task's learning algorithms; empty without any."""
    counts = numbers_of_seeds(runs)
    if len(counts) > 1:
        return f"{counts[0]} to {counts[-1]} seeds"
    return counted(counts[0], "seed") if counts else ""


def figure_text(figure: Estimate | None, column: Column) -> str:
    """Return a figure with the longer side of its interval, if any, or an empty text if unknown."""
    if figure is None:
        return ""
    side = math.nan if column is _SECONDS else figure.longer_side
    interval = "" if math.isnan(side) else f" ± {side:.{column.digits}f}"
    return f"{figure.mean:,.{column.digits}f}{interval}"


def markdown_table(header: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of ``str(value)``, without a trailing newline."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
