"""The benchmark's pictures: NashConv against decisions, and wins from strangers against what is given away."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from diamant_env.storage.files import write_whole

Row = dict[str, Any]
_MARKS = "osD^vP*Xd<>"


def draw_curves(runs: Sequence[Row], path: Path) -> None:
    """Draw NashConv against decisions for each expedition: the mean over seeds, and from the least to the most."""
    learned = [row for row in runs if row["family"] == "expedition" and row["kind"] == "learned"]
    tasks = sorted({row["task"] for row in learned})
    if not tasks:
        return
    figure = Figure(figsize=(1.5 + 3 * len(tasks), 3.6), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(tasks)))
    styles = _styles(learned)
    for axes, task in zip(panels, tasks, strict=True):
        for name, (colour, mark) in styles.items():
            curves = [_curve(row) for row in learned if (row["task"], row["algorithm"]) == (task, name)]
            points = min((len(curve) for curve in curves), default=0)
            if points:
                x, y = np.array([curve[-points:] for curve in curves]).transpose(2, 1, 0)
                axes.plot(x.mean(1), y.mean(1), color=colour, marker=mark, markersize=4, linewidth=1.2, label=name)
                axes.fill_between(x.mean(1), y.min(1), y.max(1), color=colour, alpha=0.12, linewidth=0)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(_number)
        axes.yaxis.set_minor_formatter(lambda value, _: _number(value, _) if f"{value:e}"[0] in "25" else "")
        axes.set_title(task, fontsize=10)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value / 1e6:g}")
        axes.set_xlim(left=0)
        _plain(axes)
    panels[0].set_ylabel("NashConv, gems")
    figure.supxlabel("million decisions", fontsize=9)
    _legend(figure)
    _save(figure, path)


def _curve(row: Row) -> list[tuple[float, float]]:
    points = [(point["decisions"], point["nash_conv"]) for point in row["measures"].get("curve", ())]
    end = row["measures"].get("exact", {}).get("nash_conv")
    return points if end is None else [*points, (row["decisions"], end)]


def draw_plane(runs: Sequence[Row], path: Path) -> None:
    """Draw wins from strangers against the gain of the strongest responder, a panel for each task for the win."""
    runs = [row for row in runs if row["family"] == "win"]
    tasks = list(dict.fromkeys(row["task"] for row in runs))
    if not tasks:
        return
    figure = Figure(figsize=(1.5 + 3 * len(tasks), 3.6), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(tasks)))
    styles = _styles(runs)
    for axes, task in zip(panels, tasks, strict=True):
        for name, (colour, mark) in styles.items():
            mine = [row["measures"] for row in runs if (row["task"], row["algorithm"]) == (task, name)]
            if mine:
                x = [measures["gain"]["at_least"]["mean"] for measures in mine]
                y = [measures["held_out"]["win"]["mean"] for measures in mine]
                axes.plot(x, y, mark, color=colour, markersize=5, alpha=0.8, label=name)
        axes.set_xscale("symlog", linthresh=0.02)
        axes.set_xticks([0, 0.02, 0.1, 0.5], ["0", "0.02", "0.1", "0.5"])
        axes.set_title(task, fontsize=10)
        _plain(axes)
    panels[0].set_ylabel("wins from strangers")
    figure.supxlabel("deviation gain of the strongest responder found", fontsize=9)
    _legend(figure)
    _save(figure, path)


def _styles(runs: Sequence[Row]) -> dict[str, tuple[Any, str]]:
    names = list(dict.fromkeys(row["algorithm"] for row in runs))
    colours = colormaps["tab20"]
    return {name: (colours(number % 20), _MARKS[number % len(_MARKS)]) for number, name in enumerate(names)}


def _number(value: float, _: int) -> str:
    return f"{value:g}"


def _plain(axes: Axes) -> None:
    axes.grid(alpha=0.25)
    axes.tick_params(which="both", labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def _legend(figure: Figure) -> None:
    """Name what any of the panels has."""
    pairs = [axes.get_legend_handles_labels() for axes in figure.axes]
    named = {label: handle for handles, labels in pairs for handle, label in zip(handles, labels, strict=True)}
    figure.legend(list(named.values()), list(named), loc="outside right center", fontsize=8, frameon=False)


def _save(figure: Figure, path: Path) -> None:
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=110)
    write_whole(path, content.getvalue())
