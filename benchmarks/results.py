"""Results of the benchmarks as text and as JSON, with the machine and the versions."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measure import Row
from diamant_env.commands.terminal import say
from diamant_env.storage.results import processor, save_json, versions


def machine() -> dict[str, str]:
    """Return the environment of a measurement: processor, cores, load, date and versions."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "",
        **versions(),
    }


def publish(command: str, rows: Sequence[Row], out: Path, facts: dict[str, str]) -> None:
    """Print the rows and write them to results.json in `out`."""
    for row in rows:
        line = f"{row['section']}, {row['what']}: {figure_text(row['ours'])} {row['unit']}"
        if "rival" in row:
            line += f", {figure_text(row['ratio'])} times {row['rival']} ({figure_text(row['theirs'])})"
        say(f"{line}, quartiles {' to '.join(map(figure_text, row['quartiles']))}")
    say(", ".join(f"{name} {value}" for name, value in facts.items()))
    save_json({"command": command, "machine": facts, "rows": rows}, out / "results.json")
    say(f"saved: {out / 'results.json'}")


def figure_text(figure: float) -> str:
    """Return a number with three or more significant digits."""
    return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.3g}"
