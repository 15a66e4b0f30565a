"""All exact tasks together: normalised scores, their comparisons, and marl-eval's JSON of all runs.

The normalised score of a run is 1 - NashConv / NashConv of `random:0.2`: 1 at an equilibrium, 0 for the reference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np

from diamant_env.evaluation.intervals import Estimate, holm, mean_of_tables
from diamant_env.evaluation.report import estimate_text
from train.benchmarking.reporting.columns import Row, curve_columns, curve_of, markdown_table
from train.benchmarking.reporting.statistics import Comparison, Scores, compare, exponential, iqm

REFERENCE, BASELINE, LEVEL = "random:0.2", "ppo", 0.05
MARGIN = 1.2
"""Ratio of NashConv within which algorithms are similar; less than what five times the decisions change."""


def nash_conv(row: Row) -> float | None:
    """Return the exact NashConv of a run, None if it is not computed."""
    return (row["measures"].get("exact") or {}).get("nash_conv")


def exact_scores(runs: Sequence[Row]) -> dict[str, Scores]:
    """Return the normalised scores of each learning algorithm that has runs in all exact tasks, the best IQM first."""
    nash_convs: dict[str, dict[str, list[float]]] = {}
    for row in runs:
        if (conv := nash_conv(row)) is not None:
            nash_convs.setdefault(row["algorithm"], {}).setdefault(row["task"], []).append(conv)
    reference = nash_convs.get(REFERENCE, {})
    learned = {row["algorithm"] for row in runs if row["kind"] == "learned"}
    scores = {
        name: [1 - np.array(convs[task]) / reference[task][0] for task in reference]
        for name, convs in nash_convs.items()
        if name in learned and reference and convs.keys() >= reference.keys()
    }
    return dict(sorted(scores.items(), key=lambda each: -iqm(each[1])))


def _compared(runs: Sequence[Row]) -> dict[str, Comparison] | None:
    """Return the comparison of each learning algorithm with `BASELINE`, None without its runs."""
    scores = exact_scores(runs)
    ours = scores.pop(BASELINE, None)
    return None if ours is None else {name: compare(theirs, ours) for name, theirs in scores.items()}


def score_table(runs: Sequence[Row]) -> str:
    """Return each algorithm's NashConv relative to `BASELINE`'s with both intervals, in Markdown.

    The last column is NashConv of the last iterate over that of averaged weights.
    """
    if (compared := _compared(runs)) is None:
        return ""
    last = {name: estimate_text(each, 2) for name, each in last_over_averaged(runs).items()}
    rows = [[f"`{BASELINE}`", "1", "1", "", "", last.get(BASELINE, "")]]
    p_values = holm([each.p_value for each in compared.values()])
    for (name, comparison), p in zip(compared.items(), p_values, strict=True):
        ratios = [estimate_text(each, 2) for each in (comparison.fixed, comparison.sampled)]
        p_text = "" if math.isnan(comparison.fixed.low) else f"{p:.4f}" if p >= 1e-4 else "< 0.0001"
        rows.append([f"`{name}`", *ratios, p_text, _verdict(comparison, p), last.get(name, "")])
    head = ["these tasks", "tasks as a sample", "p (Holm)", "verdict", "last iterate / averaged"]
    return markdown_table([f"NashConv / {BASELINE}'s", *head], rows)


def _verdict(comparison: Comparison, p_value: float) -> str:
    """Return better or worse if both intervals exclude 1, similar if the one of these tasks is within `MARGIN`."""
    ratio, words = comparison.fixed, []
    if comparison.excludes_one and p_value < LEVEL:
        words.append("worse" if ratio.mean > 1 else "better")
    if ratio.low > 1 / MARGIN and ratio.high < MARGIN:
        words.append("similar")
    return ", ".join(words)


def last_over_averaged(runs: Sequence[Row]) -> dict[str, Estimate]:
    """Return the last iterate's NashConv over that of averaged weights: geometric means over tasks, Student's t."""
    logs: dict[str, dict[int, list[float]]] = {}
    for row in runs:
        averaged, last = nash_conv(row), (row["measures"].get("last") or {}).get("nash_conv")
        if averaged is not None and last is not None:
            seeds = logs.setdefault(row["algorithm"], {})
            seeds.setdefault(row["seed"], []).append(math.log(last / averaged))
    means = {name: [*map(fmean, seeds.values())] for name, seeds in logs.items()}
    return {name: exponential(mean_of_tables(each, [1] * len(each))) for name, each in means.items()}


def budget_table(contents: Sequence[Row]) -> str:
    """Return NashConv relative to `BASELINE`'s at the same budget, over the tasks of all budgets, in Markdown.

    Bold ones differ from 1 in these tasks, with a p-value below 0.05 after Holm's correction for all cells.
    """
    by_budget = {content["config"]["decisions"]: content["runs"] for content in contents}
    learned = [{row["task"] for row in runs if row["kind"] == "learned"} for runs in by_budget.values()]
    tasks = set.intersection(*learned)
    cells: dict[tuple[str, int], Comparison] = {}
    for budget, runs in sorted(by_budget.items()):
        compared = _compared([row for row in runs if row["task"] in tasks]) or {}
        cells |= {(name, budget): comparison for name, comparison in compared.items()}
    texts: dict[tuple[str, int], str] = {}
    for (cell, comparison), p in zip(cells.items(), holm([each.p_value for each in cells.values()]), strict=True):
        text = estimate_text(comparison.fixed, 2)
        texts[cell] = f"**{text}**" if p < LEVEL else text
    rows = [
        [f"`{name}`", *(texts.get((name, budget), "") for budget in sorted(by_budget))]
        for name in dict.fromkeys(name for name, _ in cells)
    ]
    return markdown_table(["algorithm", *(f"{budget:,} decisions" for budget in sorted(by_budget))], rows)


def iqms(runs: Sequence[Row]) -> dict[str, float]:
    """Return the interquartile mean of each algorithm's normalised scores."""
    return {name: iqm(scores) for name, scores in exact_scores(runs).items()}


def marl_eval(runs: Sequence[Row]) -> dict[str, Any]:
    """Return the curves and ends of the learning runs in the JSON format of `marl-eval`.

    Gorsane et al.: Towards a standardised performance evaluation protocol for cooperative MARL (NeurIPS 2022).
    """
    content: dict[str, Any] = {}
    for row in runs:
        column = curve_columns(row["family"])[-1]
        if row["kind"] != "learned" or not (curve := curve_of(row, column)):
            continue
        metric = column.point
        steps = {f"step_{n}": {"step_count": at, metric: [value]} for n, (at, value) in enumerate(curve)}
        run = {**steps, "absolute_metrics": {metric: [curve[-1][1]]}}
        content.setdefault(row["task"], {}).setdefault(row["algorithm"], {})[f"seed_{row['seed']}"] = run
    return {"diamant_env": content}
