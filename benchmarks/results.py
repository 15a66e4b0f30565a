"""What the commands leave behind: comparisons as tables and as JSON, with the machine and the versions."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Speed
from train.runs.results import save_json
from train.runs.screen import say
from train.runs.tables import make_folder, versions


@dataclass(frozen=True)
class Comparison:
    """One row: a figure of ours, beside one of a rival where there is one.

    Attributes:
        section: The table that it belongs to.
        what: What was done.
        unit: Of both figures.
        ours: Our median.
        quartiles: First and third quartile of the ratios; without a rival, of our figure.
        repeats: How often each contender was measured.
        rival: Whose the other figure is; "" if there is none.
        theirs: The rival's median.
        ratio: Median of ours by theirs, repeat by repeat.
    """

    section: str
    what: str
    unit: str
    ours: float
    quartiles: tuple[float, float]
    repeats: int
    rival: str = ""
    theirs: float | None = None
    ratio: float | None = None


def alone(section: str, what: str, unit: str, ours: Speed) -> Comparison:
    """Return a row without a rival."""
    return Comparison(section, what, unit, ours.median, ours.quartiles, len(ours.repeats))


def comparisons(section: str, what: str, unit: str, rates: Mapping[str, Speed]) -> list[Comparison]:
    """Return a row for each of the others beside the first, whose figure is ours."""
    (_, ours), *others = rates.items()
    rows = []
    for rival, theirs in others:
        ratios = ours.over(theirs)
        measured = ours.median, ratios.quartiles, len(ratios.repeats), rival, theirs.median, ratios.median
        rows.append(Comparison(section, what, unit, *measured))
    return rows


def machine() -> dict[str, str]:
    """Return what the figures depend on beside the code: processor, cores, load, date and versions."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "",
        **versions(),
    }


def publish(
    command: str,
    rows: Sequence[Comparison],
    out: Path,
    facts: dict[str, str],
    notes: Sequence[str] = (),
    **more: object,
) -> None:
    """Write the rows to results.json in `out` and print them; `more` keys go into the JSON."""
    make_folder(out)
    save_json({"command": command, "machine": facts, "notes": notes, "rows": rows, **more}, out / "results.json")
    for row in rows:
        line = f"{row.section}, {row.what}: {figure_text(row.ours)} {row.unit}"
        low, high = map(figure_text, row.quartiles)
        beside = f", {figure_text(row.ratio)} times {row.rival} ({figure_text(row.theirs)})" if row.rival else ""
        say(f"{line}{beside}, quartiles {low} to {high}")
    say(*notes, ", ".join(f"{name} {value}" for name, value in facts.items()), f"saved: {out / 'results.json'}")


def figure_text(figure: float | None) -> str:
    """Return a number with three or more significant digits, "" for None."""
    if figure is None:
        return ""
    return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.3g}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
