"""Generator of tables in the pages: ``python docs/update.py``; a test asserts that none is stale.

A table stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``; a function of that name returns it.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # where `train` is

from diamant_env import EDITIONS, NUM_FEATURES, Edition  # noqa: E402
from diamant_env.observation import FIELDS, SLICES  # noqa: E402
from diamant_env.opponents.registry import FAMILIES, describe  # noqa: E402
from diamant_env.storage.files import write_atomic  # noqa: E402
from train.benchmarking.reporting.columns import markdown_table  # noqa: E402
from train.benchmarking.reporting.page import summary, task_tables  # noqa: E402

PART = re.compile(r"^<!-- generated: (?P<name>[\w-]+) -->\n.*?^<!-- end -->$", re.DOTALL | re.MULTILINE)
PAGES = sorted((ROOT / "docs").glob("*.md"))
BENCHMARK = ROOT / "docs" / "measured" / "benchmark.json"


def observation() -> str:
    """Return the table of the observation's layout."""
    rows = []
    for field in FIELDS:
        where = SLICES[field.name]
        index = str(where.start) if field.size == 1 else f"{where.start}–{where.stop - 1}"
        if where.step:
            index = f"{where.start}, {where.start + where.step}, … {where.start + where.step * (field.size - 1)}"
        rows.append([index, f"`{field.name}`", field.scale, f"{field.low} … {field.high}", field.meaning])
    table = markdown_table(["index", "field", "divided by", "range", "meaning"], rows)
    return f"`Box(float32, ({NUM_FEATURES},))`, the same for every seat, table size and edition.\n\n{table}"


def editions() -> str:
    """Return the table of the editions' rules."""
    header = ["edition", "relics", "chests", "ties"]
    ties = {"shared": "shared", "relics": "most relics, then shared"}
    rows = [
        [f"`{name}`", _relics(edition), "hidden" if edition.hidden_chests else "open", ties[edition.tie_break]]
        for name, edition in EDITIONS.items()
    ]
    return markdown_table(header, rows)


def cards_of_editions() -> str:
    """Return the table of the editions' cards."""
    header = ["edition", "from", "treasures", "three traps of each"]
    rows = [
        [f"`{name}`", edition.source, " ".join(map(str, edition.treasures)), ", ".join(edition.traps)]
        for name, edition in EDITIONS.items()
    ]
    return markdown_table(header, rows)


def _relics(edition: Edition) -> str:
    """Return values and entry of an edition's relics."""
    if not edition.relics:
        return "none"
    enter = {"start": "all from the start", "expedition": "one per expedition"}[edition.relics_enter]
    lost = "; lost ones count" if edition.relic_values == "taken or lost" else ""
    return f"{' '.join(map(str, edition.relics))}, {enter}{lost}"


def agents() -> str:
    """Return the table of scripted agents."""
    rows = [[f"`{describe(family)}`", (family.__doc__ or "").split("\n")[0]] for family in FAMILIES.values()]
    return markdown_table(["text (default)", "idea"], rows)


def benchmark() -> str:
    """Return the tables and pictures of the benchmark's results."""
    return summary(json.loads(BENCHMARK.read_text(encoding="utf-8")))


def benchmark_tasks() -> str:
    """Return all figures of the benchmark, a table per task."""
    return "\n\n".join(task_tables(json.loads(BENCHMARK.read_text(encoding="utf-8"))["runs"]))


TABLES = {
    part.__name__: part for part in (observation, editions, cards_of_editions, agents, benchmark, benchmark_tasks)
}


def updated(text: str) -> str:
    """Return a page with all its tables rewritten."""
    return PART.sub(lambda part: f"<!-- generated: {part['name']} -->\n{TABLES[part['name']]()}\n<!-- end -->", text)


if __name__ == "__main__":
    for page in PAGES:
        write_atomic(page, updated(page.read_text(encoding="utf-8")))
