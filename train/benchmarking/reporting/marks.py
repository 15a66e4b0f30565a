"""Marks of runs that deviate from the benchmark's protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from train.benchmarking.reporting.columns import Row
from train.benchmarking.suite import TASKS, digest_of_task

_ALLOWED = 1.02  # tolerated factor of the budget, which is checked once a rollout


def marks(runs: Sequence[Row]) -> list[str]:
    """Return the marks of an algorithm's runs, with their number unless all runs have them."""
    found = Counter(mark for row in runs for mark in _of(row))
    return [text if count == len(runs) else f"{text} in {count} of {len(runs)}" for text, count in found.items()]


def _of(row: Row) -> Iterator[str]:
    """Yield the marks of a run."""
    budget, spent, task = row["budget"], row["decisions"], TASKS.get(row["task"])
    if task is not None and row.get("digest", digest_of_task(task)) != digest_of_task(task):
        yield "games of another version"
    if refused := (row["measures"].get("exact") or {}).get("refused"):
        yield f"not solved: {refused}"
    if why := (row["measures"].get("gain") or {}).get("no_values"):
        yield f"no value iteration: {why}"
    if budget and not spent:
        yield "no decision was counted"
    elif budget and spent > _ALLOWED * budget:
        yield f"{spent / budget - 1:.0%} over budget"
    elif budget and spent * _ALLOWED < budget:
        yield f"{spent / budget:.0%} of the budget"
