"""What the commands leave behind: comparisons as tables and as JSON, with the machine and the versions."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Speed
from diamant_env.commands.terminal import say
from diamant_env.storage.results import save_json, versions


@dataclass(frozen=True)
class Comparison:
    """One row: a figure of ours, beside one of a rival where there is one."""

    section: str  # the table that it belongs to
    what: str  # what was done
    unit: str  # of both figures
    ours: float  # our median
    quartiles: tuple[float, float]  # first and third, of the ratios; without a rival, of our figure
    repeats: int  # how often each contender was measured
    rival: str = ""
    theirs: float = 0  # the rival's median
    ratio: float = 0  # median of ours by theirs, repeat by repeat


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
) -> None:
    """Write the rows to results.json in `out` and print them."""
    save_json({"command": command, "machine": facts, "notes": notes, "rows": rows}, out / "results.json")
    for row in rows:
        line = f"{row.section}, {row.what}: {figure_text(row.ours)} {row.unit}"
        low, high = map(figure_text, row.quartiles)
        beside = f", {figure_text(row.ratio)} times {row.rival} ({figure_text(row.theirs)})" if row.rival else ""
        say(f"{line}{beside}, quartiles {low} to {high}")
    say(*notes, ", ".join(f"{name} {value}" for name, value in facts.items()), f"saved: {out / 'results.json'}")


def figure_text(figure: float) -> str:
    """Return a number with three or more significant digits."""
    return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.3g}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
