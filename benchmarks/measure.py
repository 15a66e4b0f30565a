"""Speed measurements: contenders alternate in one run; medians."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any, NamedTuple

Run = Callable[[int], object]
"""Runs a number of steps."""
Row = dict[str, Any]


class Effort(NamedTuple):
    """Number of repeats, and seconds of each."""

    repeats: int = 7
    seconds: float = 0.3


def rows_of(section: str, what: str, unit: str, rates: Mapping[str, Sequence[float]]) -> list[Row]:
    """Return a row per rival: the median rates of ours (the first of `rates`) and the rival; one row without rivals.

    The ratio is the median over repeats of ours / theirs; the quartiles are those of the ratios or, alone, of ours.
    """
    (_, ours), *rivals = rates.items()
    row = {"section": section, "what": what, "unit": unit, "ours": statistics.median(ours), "repeats": len(ours)}
    if not rivals:
        return [row | {"quartiles": _quartiles(ours)}]
    rows = []
    for rival, theirs in rivals:
        ratios = [own / their for own, their in zip(ours, theirs, strict=True)]
        medians = {"theirs": statistics.median(theirs), "ratio": statistics.median(ratios)}
        rows.append(row | {"rival": rival, **medians, "quartiles": _quartiles(ratios)})
    return rows


def _quartiles(repeats: Sequence[float]) -> tuple[float, float]:
    low, _, high = statistics.quantiles([*repeats, *repeats[: len(repeats) == 1]], n=4, method="inclusive")
    return low, high


def alternate(
    contenders: Mapping[str, Run], effort: Effort, clock: Callable[[], float] = perf_counter
) -> dict[str, list[float]]:
    """Measure the contenders in alternation; return the steps per second of each. Calibration warms them up."""
    steps = {name: _steps_for(run, effort.seconds, clock) for name, run in contenders.items()}
    found: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(effort.repeats):
        for name, run in contenders.items():
            found[name].append(steps[name] / _seconds(run, steps[name], clock))
    return found


def _seconds(run: Run, steps: int, clock: Callable[[], float]) -> float:
    start = clock()
    run(steps)
    return clock() - start


def _steps_for(run: Run, seconds: float, clock: Callable[[], float]) -> int:
    """Return the number of steps that take about `seconds`."""
    run(1)
    steps = 1
    while (took := _seconds(run, steps, clock)) < seconds / 4:
        steps *= 2
    return max(1, round(steps * seconds / took))
