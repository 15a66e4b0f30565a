"""Keep of a command's results what the pages show: ``python docs/keep.py NAME RESULTS.json [RESULTS.json …]``.

It writes docs/measured/NAME.json, a row of a table in one line. `docs/update.py` makes the tables from these files.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # where `train` is

import numpy as np

from diamant_env.storage.files import write_whole
from train.benchmarking.aggregate import REFERENCES
from train.benchmarking.page import aggregates

MEASURED = Path(__file__).with_name("measured")
Row = dict[str, Any]
WIDTH = 120


def rows_as_they_are(results: Row) -> Row:
    """Of a command of benchmarks/: all but empty cells."""
    rows = [{name: value for name, value in row.items() if value not in (None, "")} for row in results["rows"]]
    return {
        **_head(results),
        **{name: results[name] for name in ("notes", "growth") if results.get(name)},
        "rows": rows,
    }


def exact(results: Row) -> Row:
    """Of `train.exact`: values and exploitabilities, without what follows from them."""
    dropped = ("NashConv", "error")
    rows = [{name: value for name, value in row.items() if name not in dropped} for row in results["rows"]]
    return {**_head(results), "rows": rows}


def search(results: Row) -> Row:
    """Of `train.evaluate`: win shares, and what the first agent wins more than each other in the same games."""
    names = ("agent", "against", "games", "fair")
    rows = [{**_some(row, names), "win_share": _interval(row["win_share"])} for row in results["results"]]
    more = [
        {**_some(row, ("agent", "other")), "win_share": _interval(row["win_share"])} for row in results["differences"]
    ]
    return {**_head(results), "rows": rows, "differences": more}


def response(*results: Row) -> Row:
    """Of `train.best_response` at several table sizes: the search's candidates and the best scripted agent."""
    tables = []
    for each in sorted(results, key=lambda each: each["found"]["players"]):
        found = each["found"]
        candidates = found["searched"]
        best = max(found["members"], key=_gain, default=None)
        bound = {"by": found["can_be_gained_by"], "gain": _interval(found["can_be_gained"])}
        table = {
            "players": found["players"],
            "games": found["games"],
            "commit": each["versions"]["commit"],
            "bound": bound,
        }
        table["searched"] = [{"player": row["player"], "gain": _interval(row["gain"])} for row in candidates]
        tables.append(
            table | ({"best_member": {"player": best["player"], "gain": _interval(best["gain"])}} if best else {})
        )
    return {**_head(results[0]), "decisions": results[0]["config"]["ppo"]["decisions"], "tables": tables}


def responses(results: Row) -> Row:
    """Of `train.best_response --pool`: for each agent what the search gains, and the best member of the pools."""
    rows = []
    for row in results["agents"]:
        gain, member = row["members"]
        figures = {"search": row["search"], "member": member, "member_gains": gain, "more": _interval(row["more"])}
        rows.append({"agent": row["agent"], **figures, "weak": row["weak"]})
    return {**_head(results), **_some(results, ("decisions", "games")), "rows": rows}


def benchmark(results: Row) -> Row:
    """Of `train.benchmark`: the aggregates and, for each task, figures of all but the scripted agents."""
    cells = results["cells"]
    found = aggregates(cells)
    kinds = {cell["algorithm"]: cell["kind"] for cell in cells}
    shown = [name for name, kind in kinds.items() if kind != "scripted" or name in REFERENCES]
    scores = [
        {"algorithm": name, "kind": kinds[name]}
        | {family: _interval(vars(some[name])) for family, some in found.items() if name in some}
        for name in shown
    ]
    tasks = []
    for task, algorithm in dict.fromkeys((cell["task"], cell["algorithm"]) for cell in cells):
        if algorithm in shown:
            mine = [cell for cell in cells if (cell["task"], cell["algorithm"]) == (task, algorithm)]
            read = {
                "win_share": [cell["measures"]["held_out"]["win"]["mean"] for cell in mine],
                "score": [cell["measures"]["held_out"]["score"]["mean"] for cell in mine],
                "gain": [cell["measures"]["gain"]["at_least"]["mean"] for cell in mine],
                "exploitability": [
                    cell["measures"]["exact"]["exploitability"] for cell in mine if "exact" in cell["measures"]
                ],
            }
            figures = {name: [float(np.mean(some)), min(some), max(some)] for name, some in read.items() if some}
            tasks.append({"task": task, "algorithm": algorithm, "seeds": len(mine), **figures})
    config = results["config"]
    budget = {**_some(config, ("decisions", "games")), "report_games": config["response"]["report_games"]}
    versions = _some(results["versions"], ("platform", "cores", "python", "commit"))
    meanings = {cell["task"]: cell["meaning"] for cell in cells}
    return {
        "command": results["command"],
        "machine": versions,
        **budget,
        "cells": len(cells),
        "tasks": meanings,
        "scores": scores,
        "rows": tasks,
    }


def _head(results: Row) -> Row:
    return {"command": results["command"], "machine": results.get("machine") or results["versions"]}


def _some(row: Row, names: Sequence[str]) -> Row:
    return {name: row[name] for name in names}


def _interval(estimate: Row) -> list[float | None]:
    return [None if math.isnan(estimate[name]) else estimate[name] for name in ("mean", "low", "high")]


def _gain(row: Row) -> float:
    return row["gain"]["mean"]


KEPT: dict[str, Callable[..., Row]] = {
    "throughput": rows_as_they_are,
    "peers": rows_as_they_are,
    "exact": exact,
    "search": search,
    "response": response,
    "responses": responses,
    "benchmark": benchmark,
}


def as_text(content: Any, indent: int = 0, name: str = "") -> str:
    """Return JSON in which a list or an object that fits a line stands in one, but the outermost."""
    line = json.dumps(content, ensure_ascii=False)
    if not isinstance(content, (dict, list)) or (indent and indent + len(name) + len(line) < WIDTH):
        return name + line
    inner, outer = " " * (indent + 1), " " * indent
    if isinstance(content, dict):
        parts = [inner + as_text(value, indent + 1, f"{json.dumps(key)}: ") for key, value in content.items()]
        return name + "{\n" + ",\n".join(parts) + f"\n{outer}}}"
    return name + "[\n" + ",\n".join(inner + as_text(value, indent + 1) for value in content) + f"\n{outer}]"


def rounded(content: Any) -> Any:
    """Return the same with nine significant digits."""
    if isinstance(content, dict):
        return {name: rounded(value) for name, value in content.items()}
    if isinstance(content, list):
        return [rounded(value) for value in content]
    return float(f"{content:.9g}") if isinstance(content, float) else content


def main(name: str, *files: str) -> None:
    """Write what is kept of these results."""
    results = [json.loads(Path(file).read_text(encoding="utf-8")) for file in files]
    write_whole(MEASURED / f"{name}.json", as_text(rounded(KEPT[name](*results))) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
