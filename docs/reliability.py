"""Generated part: what the campaign against the package found."""

from __future__ import annotations

import json

from document_tables import table
from searches import MEASURED


def faults() -> str:
    """The table of `make faults`."""
    found = json.loads((MEASURED / "faults.json").read_text(encoding="utf-8"))
    rows = [
        [
            row["fault"],
            f"{row['trials']:,}",
            f"{row['failures']:,}",
            _rate(row["bound"]),
            row["worst"].replace("|", "/") or "–",
            f"{row['control']}: {'caught' if row['caught'] else '**missed**'}",
        ]
        for row in found["rows"]
    ]
    machine = ", ".join(f"{name} {value}" for name, value in found["machine"].items())
    minutes, seconds = divmod(found["seconds"], 60)
    header = ["fault", "trials", "failures", "rate below", "worst", "control"]
    return f"`{found['command']}`, {minutes} min {seconds} s; {machine}.\n\n{table(header, rows)}"


def _rate(bound: float) -> str:
    return f"{bound:.1g}" if bound < 0.01 else f"{min(1, bound):.2f}"
