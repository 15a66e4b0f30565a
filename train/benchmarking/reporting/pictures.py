"""Pictures of a benchmark: learning curves with 95 % intervals over seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import EngFormatter

from diamant_env.benchmark import TASKS
from diamant_env.evaluation.intervals import mean_of_tables
from train.benchmarking.algorithms import ALGORITHMS
from train.benchmarking.reporting.columns import (
    Column,
    Row,
    curve_columns,
    curve_of,
    curve_panels,
    seeds_text,
)
from train.runs.run_folder import save_figure

_DASHES = ("--", ":", "-.", (0, (8, 2)), (0, (1, 3)), (0, (5, 1, 1, 1, 1, 1)), (0, (2, 1)))
WIDTH, HEIGHT = 3.3, 2.4
"""Size of a panel in inches."""
FEWEST = 5
"""Runs from which on a learning curve has an interval."""
_LETTERS = 46
"""Letters of a line of text below a panel."""
_KEPT = "\u00a0"
"""Space within a name and its figure, where no line breaks."""
_MARKS, _GREYS = "osD^vP*Xd<>ph", ("black", "dimgrey", "darkgrey")
_COLOURS = ("332288", "CC6677", "117733", "DDCC77", "88CCEE", "AA4499", "44AA99", "882255", "999933")
"""Paul Tol's muted scheme, distinguishable with any colour vision."""
_STYLE: Any = {
    **{"font.size": 8, "axes.titlesize": 7, "legend.fontsize": 7, "lines.linewidth": 1.1, "lines.markersize": 3.5},
    **{"axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25},
    "savefig.dpi": 200,
}
_PLACES = {name: place for place, name in enumerate(ALGORITHMS)}


def curves_file(point: str) -> str:
    """Return the name of the picture of the learning curves of a figure."""
    return f"benchmark-curves-{point}.png"


def draw_for_page(runs: Sequence[Row], folder: Path) -> None:
    """Draw the learning curves of each figure."""
    for point, panels in curve_panels(runs).items():
        draw(panels, point, folder / curves_file(point))


def draw(panels: Mapping[str, Sequence[Row]], point: str, path: Path) -> Figure:
    """Draw and save the learning curves of a figure: a panel of each task's runs, in two columns above one legend."""
    across = min(2, len(panels))
    down = -(-len(panels) // across)
    looks = _styles([row for runs in panels.values() for row in runs])
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(WIDTH * across, HEIGHT * down), layout=ConstrainedLayoutEngine(wspace=0.05))
        for axes, (task, runs) in zip(figure.subplots(down, across, squeeze=False).flat, panels.items(), strict=False):
            curves(axes, runs, looks, point)
            axes.set_title(_title(task, runs))
        for axes in figure.axes[len(panels) :]:
            axes.remove()
        pairs = [axes.get_legend_handles_labels() for axes in figure.axes]
        named = {label: handle for handles, labels in pairs for handle, label in zip(handles, labels, strict=True)}
        named = {name: named[name] for name in (*looks, *named) if name in named}
        columns = max(1, int(72 * WIDTH * across // (3.6 * max(map(len, named)) + 24)))  # points of 7-point letters
        rows = -(-len(named) // columns)
        figure.set_figheight(HEIGHT * down + 0.15 * rows)
        figure.legend(
            list(named.values()), list(named), loc="outside lower center", ncols=columns, frameon=False,
            handlelength=1.6, columnspacing=1, handletextpad=0.5, borderaxespad=0.2,
        )  # fmt: skip
        save_figure(path, figure)
    return figure


def _title(task: str, runs: Sequence[Row]) -> str:
    """Return the title of a panel: the task with the numbers of seeds, and its meaning."""
    first = ", ".join(filter(None, [task, seeds_text(runs)]))
    return f"{first}\n{fill(TASKS[task].meaning, 54)}" if task in TASKS else task


def _styles(runs: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Return colour, mark and label of each algorithm, the same in all pictures; fixed agents are grey."""
    kinds = {row["algorithm"]: row["kind"] for row in runs}
    names = sorted(kinds, key=lambda name: _PLACES.get(name, len(_PLACES)))
    fixed = dict(zip((name for name, each in ALGORITHMS.items() if each.kind == "learned"), _COLOURS, strict=False))
    unused = cycle([colour for name, colour in fixed.items() if name not in kinds] or _COLOURS)
    looks: dict[str, dict[str, Any]] = {}
    for number, name in enumerate(names):
        place = _PLACES.get(name, len(_PLACES) + number)
        looks[name] = {"color": _GREYS[place % len(_GREYS)], "linestyle": _DASHES[place % len(_DASHES)]}
        if kinds[name] == "learned":
            looks[name] = {"color": f"#{fixed.get(name) or next(unused)}", "linestyle": "-"}
        looks[name] |= {"marker": _MARKS[place % len(_MARKS)], "label": name}
    return looks


def curves(axes: Axes, runs: Sequence[Row], looks: dict[str, dict[str, Any]], point: str) -> None:
    """Draw the learning curves of a figure in a task, mean and interval over seeds; fixed agents are dashed lines.

    The range is that of the means of learning algorithms; fixed agents outside it are named at the border, equilibria
    of a NashConv of 0 nowhere.
    """
    column = next(each for each in curve_columns(runs[0]["family"]) if each.point == point)
    if point == "nash_conv":
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")
    shown = _draw_learners(axes, runs, looks, column)
    outside = _draw_fixed(axes, runs, looks, column, shown or (-np.inf, np.inf))
    if point == "win" and runs[0]["task"] in TASKS:
        axes.axhline(1 / TASKS[runs[0]["task"]].players, color="black", linewidth=0.6, label="fair share")
    if shown:
        axes.set_ylim(shown)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    better = "\n← better" if point == "nash_conv" else ""  # rotated: to the left is down; win shares rank nothing
    title = column.title if (scale := axes.get_yscale()) == "linear" else f"{column.title}, {scale}"
    axes.set(
        xlabel=_with_outside("decisions", *outside),
        ylabel=f"{fill(title, 28)}{better}",
        xlim=(0, None),
    )


def _draw_learners(
    axes: Axes, runs: Sequence[Row], looks: dict[str, dict[str, Any]], column: Column
) -> tuple[float, float] | None:
    """Draw the mean over seeds of each learning algorithm, with the interval from `FEWEST` seeds on.

    Return the range of the means, None without any.
    """
    bands: list[Any] = []
    for name, look in looks.items():
        mine = [row for row in runs if row["algorithm"] == name]
        curves = [curve for row in mine if (curve := curve_of(row, column))]
        if curves and mine[0]["kind"] == "learned":
            points = min(map(len, curves))
            x, y = np.array([curve[-points:] for curve in curves]).transpose(2, 1, 0)
            axes.plot(x.mean(1), y.mean(1), clip_on=False, zorder=3, **look)
            if len(curves) >= FEWEST:
                bands.append((look["color"], x.mean(1), [mean_of_tables(each, np.ones(len(each))) for each in y]))
    axes.margins(y=0.15)
    low, high = axes.get_ylim()
    for colour, x_mean, means in bands:
        bounds = (np.maximum([each.low for each in means], low), [each.high for each in means])
        axes.fill_between(x_mean, *bounds, color=colour, alpha=0.12, linewidth=0)
    return (low, high) if axes.lines else None


def _draw_fixed(
    axes: Axes, runs: Sequence[Row], looks: dict[str, dict[str, Any]], column: Column, bounds: tuple[float, float]
) -> tuple[list[str], list[str]]:
    """Draw a line for each fixed agent within the bounds; return the names of those above and below."""
    low, high = bounds
    above: list[str] = []
    below: list[str] = []
    for name, look in looks.items():
        ends = [curve[-1][1] for row in runs if row["algorithm"] == name and (curve := curve_of(row, column))]
        equilibrium = column.point == "nash_conv" and ends and round(ends[0], 6) == 0
        if not ends or look["linestyle"] == "-" or equilibrium:
            continue
        if low < ends[0] < high:
            axes.axhline(ends[0], **{**look, "marker": None})
        else:
            (below if ends[0] <= low else above).append(f"{name} at {ends[0]:.{column.digits}f}")
    return above, below


def _with_outside(label: str, above: Sequence[str], below: Sequence[str]) -> str:
    """Return the label of a panel's horizontal axis with the names of what lies above and below its range."""
    lines = [
        fill(f"off scale {side}: {', '.join(name.replace(' ', _KEPT) for name in names)}", _LETTERS)
        for side, names in (("above", above), ("below", below))
        if names
    ]
    return "\n".join([label, *lines]).replace(_KEPT, " ")
