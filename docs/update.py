"""Generator of tables in the pages: ``python docs/update.py``; a test asserts that none is stale.

A table stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``; a function of that name returns it.
"""

from __future__ import annotations

import json
import re
import sys
from operator import itemgetter
from pathlib import Path
from statistics import fmean, median
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # where `train` is

from diamant_env import EDITIONS, NUM_FEATURES, Edition  # noqa: E402
from diamant_env.observation import FIELDS, SLICES  # noqa: E402
from diamant_env.opponents.registry import FAMILIES, describe  # noqa: E402
from diamant_env.storage.files import write_atomic  # noqa: E402
from train.benchmarking.reporting.aggregate import budget_table  # noqa: E402
from train.benchmarking.reporting.columns import COLUMNS, by_task, figure_text, markdown_table, over_seeds  # noqa: E402
from train.benchmarking.reporting.page import side_by_side, summary, task_tables  # noqa: E402

PART = re.compile(r"^<!-- generated: (?P<name>[\w-]+) -->\n.*?^<!-- end -->$", re.DOTALL | re.MULTILINE)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MEASURED = ROOT / "docs" / "measured"


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
    lost = "; lost ones count as taken" if edition.relic_values == "taken or lost" else ""
    return f"{' '.join(map(str, edition.relics))}, {enter}{lost}"


def agents() -> str:
    """Return the table of scripted agents."""
    rows = [[f"`{describe(family)}`", (family.__doc__ or "").split("\n")[0]] for family in FAMILIES.values()]
    return markdown_table(["text (default)", "idea"], rows)


def front() -> str:
    """Return the NashConv of five agents in two tasks."""
    agents = ("random:0.2", "ev:0.75", "mirror-descent", "ppo", "equilibrium")
    rows = []
    for task, mine in by_task(_measured("benchmark.json")["runs"]).items():
        if task in ("expedition-3", "small-3-win"):
            column = COLUMNS[mine[0]["family"]][0]
            figures = [[column.read(row) for row in mine if row["algorithm"] == agent] for agent in agents]
            rows.append([f"`{task}`, {column.unit}", *(figure_text(over_seeds(each), column) for each in figures)])
    return markdown_table(["NashConv", *(f"`{agent}`" for agent in agents)], rows)


def benchmark() -> str:
    """Return table and curves of the exact NashConv."""
    return summary(_measured("benchmark.json"))


def benchmark_budgets() -> str:
    """Return the comparison of algorithms at each budget of decisions."""
    return budget_table([_measured(path.name) for path in MEASURED.glob("benchmark*.json")])


def benchmark_other_budgets() -> str:
    """Return the exact NashConv at each other budget than the standard one."""
    contents = [_measured(path.name) for path in MEASURED.glob("benchmark-*.json")]
    tables = {each["config"]["decisions"]: side_by_side(each["runs"]) for each in contents}
    return "\n\n".join(f"After {budget:,} decisions:\n\n{table}" for budget, table in sorted(tables.items()))


def benchmark_tasks() -> str:
    """Return all figures of the benchmark, a table per task."""
    return "\n\n".join(task_tables(_measured("benchmark.json")["runs"]))


def tuning() -> str:
    """Return each learner's deviation gains with its best, second and median settings, and the best settings."""
    candidates, rows = _measured("tuning.json")["candidates"], []
    for name in dict.fromkeys(row["algorithm"] for row in candidates):
        best, second, *_ = mine = sorted(
            (row for row in candidates if row["algorithm"] == name), key=itemgetter("mean")
        )
        gains = [best["mean"], *map(fmean, best["gains"].values()), second["mean"], median(row["mean"] for row in mine)]
        settings = ", ".join(f"{setting} {value}" for setting, value in best["settings"].items())
        rows.append([f"`{name}`", *(f"{gain:.3f}" for gain in gains), settings])
    return markdown_table(["algorithm", "best", "2 players", "3 players", "second", "median", "best settings"], rows)


def _measured(name: str) -> dict[str, Any]:
    return json.loads((MEASURED / name).read_text(encoding="utf-8"))


TABLES = {
    part.__name__: part
    for part in (
        observation,
        editions,
        cards_of_editions,
        agents,
        front,
        benchmark,
        benchmark_budgets,
        benchmark_other_budgets,
        benchmark_tasks,
        tuning,
    )
}


def updated(text: str) -> str:
    """Return a page with all its tables rewritten."""
    return PART.sub(lambda part: f"<!-- generated: {part['name']} -->\n{TABLES[part['name']]()}\n<!-- end -->", text)


if __name__ == "__main__":
    for page in PAGES:
        write_atomic(page, updated(page.read_text(encoding="utf-8")))
