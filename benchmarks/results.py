"""What the commands leave behind: rows that compare, as a table, as JSON and as a plot, with machine and versions."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from matplotlib.figure import Figure
from rich.table import Table

from train.runs.results import save_figure, save_json
from train.runs.screen import say
from train.runs.tables import make_folder, new_table, versions

_PACKAGES = ("numba", "gymnasium", "pettingzoo", "stable_baselines3", "torch")
_COLOURS = {True: "#0072b2", False: "#d55e00", None: "#777777"}  # target met, missed, none


@dataclass(frozen=True)
class Comparison:
    """One row: a figure of ours beside one of a rival or a limit.

    Attributes:
        section: The table that it belongs to.
        what: What was done.
        unit: Of both figures.
        ours: Our figure.
        rival: Whose the other figure is; "" if there is none.
        theirs: The other figure.
        ratio: Ours by theirs, repeat by repeat where both took turns.
        target: The ratio that is wanted.
        lower_is_better: Whether a ratio below the target is the good one.
        more: Further figures, for the JSON.
    """

    section: str
    what: str
    unit: str
    ours: float
    rival: str = ""
    theirs: float | None = None
    ratio: float | None = None
    target: float | None = None
    lower_is_better: bool = False
    more: dict = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one."""
        if self.target is None or self.ratio is None:
            return None
        return self.ratio <= self.target if self.lower_is_better else self.ratio >= self.target


def machine() -> dict[str, str]:
    """Return what the figures depend on beside the code: processor, cores, load, date and versions."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    facts = {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "load": load,
        "system": f"{platform.system()} {platform.release()}",
        **versions(),
    }
    for package in _PACKAGES:
        try:
            facts[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return facts


def publish(
    command: str,
    rows: Sequence[Comparison],
    out: Path,
    facts: dict[str, str],
    notes: Sequence[str] = (),
    **more: object,
) -> None:
    """Write the rows to results.json and ratios.png in `out`, and print them; `more` keys go into the JSON."""
    make_folder(out)
    content = {"command": command, "machine": facts, "notes": notes, "rows": rows, **more}
    save_json(content, out / "results.json")
    draw_ratios(rows, out / "ratios.png")
    for section in dict.fromkeys(row.section for row in rows):
        say(comparison_table(section, [row for row in rows if row.section == section]))
    say(*notes, ", ".join(f"{name} {value}" for name, value in facts.items()))
    say(f"saved: {out / 'results.json'}, {out / 'ratios.png'}")


def comparison_table(section: str, rows: Sequence[Comparison]) -> Table:
    """Return one section as a table."""
    table = new_table(section)
    for name in ("what", "unit", "ours", "rival", "theirs", "ratio", "target", ""):
        table.add_column(name, justify="right" if name in ("ours", "theirs", "ratio") else "left")
    for row in rows:
        sign = "≤" if row.lower_is_better else "≥"
        table.add_row(
            row.what,
            row.unit,
            figure_text(row.ours),
            row.rival,
            figure_text(row.theirs),
            figure_text(row.ratio),
            "" if row.target is None else f"{sign} {figure_text(row.target)} of {row.rival}",
            {True: "met", False: "missed", None: ""}[row.met],
        )
    return table


def figure_text(figure: float | None) -> str:
    """Return a number with three or more significant digits, "" for None."""
    if figure is None:
        return ""
    return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.3g}"


def draw_ratios(rows: Sequence[Comparison], path: Path) -> None:
    """Draw the ratios as bars on a logarithmic axis, with the targets as ticks."""
    drawn = [row for row in rows if row.ratio]
    figure = Figure(figsize=(11, 1.5 + 0.24 * len(drawn)), layout="constrained")
    axes = figure.subplots()
    for place, row in enumerate(drawn):
        axes.barh(place, row.ratio, color=_COLOURS[row.met])
        if row.target is not None:
            axes.plot(row.target, place, "|", color="black", markersize=12, markeredgewidth=2)
    labels = [f"{row.section}: {row.what} / {row.rival}" for row in drawn]
    axes.set_yticks(range(len(drawn)), labels, fontsize=7)
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.invert_yaxis()
    axes.set_xlabel("ours by theirs (black tick: target; blue: met, orange: missed, grey: none)")
    axes.grid(axis="x", alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    save_figure(figure, path)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
