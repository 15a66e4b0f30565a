"""What the benchmark found, as one page with tables and a picture."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from diamant_env.judging.intervals import Estimate
from diamant_env.judging.tables import estimate_text
from diamant_env.storage.files import write_whole
from diamant_env.storage.markdown import markdown_table
from train.benchmarking.aggregate import REFERENCES, aggregate, normalised

PAGE, PICTURE = "benchmark.md", "benchmark.png"
_COLOURS = {"learned": "#0072b2", "scripted": "#777777", "exact": "#009e73", "agent": "#d55e00"}
_EXPLAINED = (
    f"Scores are normalised per task: 0 is `{REFERENCES[0]}`, 1 is `{REFERENCES[1]}`, at tables of distinct "
    "held-out opponents (alone: the score), in the task's reward. Interquartile mean over tasks and seeds; in "
    "brackets the 95 % interval over seeds, by a bootstrap stratified by task; (–): one seed. Who has not played "
    "all tasks of a group is not in it."
)
_ALLOWED = 1.01  # times the budget: games side by side end a step later
Row = dict[str, Any]


def _mean(*keys: str) -> Callable[[Row], float | None]:
    """Return a function that reads a figure of a run, None where the task has none."""

    def read(row: Row) -> float | None:
        value: Any = row["measures"]
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value["mean"] if isinstance(value, dict) else value

    return read


# Heading, digits, how to read it from a run's result.
COLUMNS: tuple[tuple[str, int, Callable[[Row], float | None]], ...] = (
    ("win share, held-out", 3, _mean("held_out", "win")),
    ("win share, pool", 3, _mean("pool", "win")),
    ("score, held-out", 2, _mean("held_out", "score")),
    ("score, pool", 2, _mean("pool", "score")),
    ("score, copies or alone", 2, _mean("self_play_score")),
    ("largest gain found", 3, _mean("gain", "at_least")),
    ("its lower end, 95 %", 3, _mean("gain", "at_least", "low")),
    ("exact exploitability", 4, _mean("exact", "exploitability")),
    ("decisions", 0, lambda row: row["decisions"]),
    ("training, s", 0, lambda row: row["train_seconds"]),
    ("measuring, s", 0, lambda row: row["measure_seconds"]),
)


def aggregates(results: Sequence[Row]) -> dict[str, dict[str, Estimate]]:
    """Return the aggregated score of each algorithm, over all tasks and by family: ``[family][algorithm]``.

    An algorithm that has not played all tasks of a group is left out of it: other tasks would make another mean.
    """
    scores = normalised(results)
    families: dict[str, set[str]] = {"all": set()}
    for row in results:
        if row["task"] in scores.get(REFERENCES[0], {}):
            families["all"].add(row["task"])
            families.setdefault(row["family"], set()).add(row["task"])
    return {
        family: {
            name: aggregate({task: by_task[task] for task in sorted(tasks)})
            for name, by_task in scores.items()
            if tasks <= set(by_task)
        }
        for family, tasks in families.items()
        if tasks
    }


def write_page(results: Sequence[Row], found: dict[str, dict[str, Estimate]], header: str, folder: Path) -> None:
    """Write the page and its picture: the aggregates, then a table for each task."""
    parts = ["# Benchmark", header]
    if found:
        draw(results, found, folder / PICTURE)
        parts += [_EXPLAINED, f"![Aggregated scores by family of tasks]({PICTURE})", _aggregate_table(results, found)]
    for task in dict.fromkeys(row["task"] for row in results):
        parts += [f"## {task}", _task_table([row for row in results if row["task"] == task])]
    write_whole(folder / PAGE, "\n\n".join(parts) + "\n")


def draw(results: Sequence[Row], found: dict[str, dict[str, Estimate]], path: Path) -> None:
    """Draw the aggregated scores, one panel for each family."""
    kinds = {row["algorithm"]: row["kind"] for row in results}
    rows = _ranked(found)
    figure = Figure(figsize=(3 + 2.6 * len(found), 1.4 + 0.24 * len(rows)), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(found), sharey=True))
    for axes, (family, estimates) in zip(panels, found.items(), strict=True):
        for row, name in enumerate(rows):
            if name in estimates:
                estimate, colour = estimates[name], _COLOURS[kinds[name]]
                axes.plot([estimate.low, estimate.high], [row, row], color=colour, linewidth=2)
                axes.plot(estimate.mean, row, "o", color=colour, markersize=4)
        for reference in (0, 1):
            axes.axvline(reference, color="#bbbbbb", linestyle="--", linewidth=1, zorder=0)
        axes.set_title(family, fontsize=10)
        axes.grid(axis="x", alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_yticks(range(len(rows)), rows)
    panels[0].set_ylim(len(rows) - 0.5, -0.5)
    figure.supxlabel(f"interquartile mean, 95 % over seeds (0: {REFERENCES[0]}, 1: {REFERENCES[1]})", fontsize=9)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=120)
    write_whole(path, content.getvalue())


def _ranked(found: dict[str, dict[str, Estimate]]) -> list[str]:
    """Return the algorithms by their mean over the groups that they are in, the best first."""
    names = dict.fromkeys(name for some in found.values() for name in some)
    return sorted(names, key=lambda name: -np.mean([some[name].mean for some in found.values() if name in some]))


def _aggregate_table(results: Sequence[Row], found: dict[str, dict[str, Estimate]]) -> str:
    kinds = {row["algorithm"]: row["kind"] for row in results}
    rows = [
        [f"`{name}`", kinds[name], *(estimate_text(some[name], 2) if name in some else "" for some in found.values())]
        for name in _ranked(found)
    ]
    return markdown_table(["algorithm", "kind", *found], rows)


def _task_table(rows: Sequence[Row]) -> str:
    """One line per algorithm: means over seeds and, where there are several, from the least to the most."""
    columns = [column for column in COLUMNS if any(column[2](row) is not None for row in rows)]
    by_algorithm: dict[str, list[Row]] = {}
    for row in rows:
        by_algorithm.setdefault(row["algorithm"], []).append(row)
    lines = []
    for name, mine in sorted(by_algorithm.items(), key=lambda item: -np.mean([row["points"] for row in item[1]])):
        figures = [_figure([read(row) for row in mine], digits) for _, digits, read in columns]
        gained_by = sorted({row["measures"].get("gain", {}).get("by", "") for row in mine})
        lines.append([f"`{name}`", len(mine), *figures, ", ".join(gained_by), ", ".join(filter(None, map(mark, mine)))])
    head = ["algorithm", "seeds", *(heading for heading, _, _ in columns), "gained by", "budget"]
    return markdown_table(head, lines)


def mark(row: Row) -> str:
    """Return what a page says of a run whose decisions are not those of the budget, of most runs nothing."""
    budget, spent = row.get("budget", 0), row["decisions"]
    if budget and not spent:
        return "no decision was counted"
    return f"{spent / budget - 1:.0%} over" if budget and spent > _ALLOWED * budget else ""


def _figure(values: Sequence[float | None], digits: int) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return ""
    text = f"{np.mean(known):,.{digits}f}"
    return text if min(known) == max(known) else f"{text} ({min(known):,.{digits}f} to {max(known):,.{digits}f})"
