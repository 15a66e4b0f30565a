"""Paper outputs: CSV, LaTeX tables, and single-column figures as SVG and PDF."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from diamant_env.storage.files import write_whole
from diamant_env.storage.results import save_json
from train.benchmarking.reporting.aggregate import exact_scores, marl_eval
from train.benchmarking.reporting.columns import COLUMNS, Row, by_figure, by_task, curve_columns, curve_panels
from train.benchmarking.reporting.page import Figures, side_by_side, task_table
from train.benchmarking.reporting.pictures import curves, draw, plane, profiles

FOLDER = "paper"
_HEAD = ("task", "algorithm", "kind", "seed", "decisions", "figure", "mean", "low", "high")
_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}"}
_LATEX |= {">": r"\textgreater{}", "|": r"\textbar{}", "±": r"$\pm$", **{each: f"\\{each}" for each in "&%$#_{}"}}


def write_paper(runs: Sequence[Row], folder: Path) -> None:
    """Write ``results.csv``, ``marl-eval.json``, tables and figures of each task, and tables of several."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_HEAD, *_records(runs)])
    write_whole(folder / "results.csv", text.getvalue())
    save_json(marl_eval(runs), folder / "marl-eval.json")
    if exact_scores(runs):
        draw({"exact tasks": runs}, profiles, [folder / f"exact-profiles.{kind}" for kind in ("svg", "pdf")])
    for task, mine in by_task(runs).items():
        write_whole(folder / f"{task}.tex", latex(task_table(mine)))
        for point, panels in curve_panels(mine).items():
            paths = [folder / f"{task}-{point}-curves.{kind}" for kind in ("svg", "pdf")]
            draw(panels, partial(curves, point=point), paths)
        if mine[0]["family"] == "win":
            draw({task: mine}, plane, [folder / f"{task}-plane.{kind}" for kind in ("svg", "pdf")])
    for point, mine in by_figure(runs).items():
        if len(by_task(mine)) > 1:
            write_whole(folder / f"{point}.tex", latex(side_by_side(mine)))


def _records(runs: Sequence[Row]) -> Iterator[tuple[object, ...]]:
    """Yield a record for each figure of each run, checkpoints first; missing bounds are empty."""
    for row in runs:
        about = [row[name] for name in _HEAD[:4]]
        for column in curve_columns(row["family"]):
            for point in row["measures"].get("curve", ()):
                if column.point in point:
                    yield *about, point["decisions"], f"{column.title}, on the way", point[column.point], "", ""
        for column in COLUMNS[row["family"]]:
            if found := column.read(row):
                bounds = ["" if math.isnan(bound) else bound for bound in (found.low, found.high)]
                yield *about, row["decisions"], column.title, found.mean, *bounds


def latex(table: Figures) -> str:
    """Return a table as a ``tabular`` with the rules of booktabs."""
    lines = [["algorithm", *map(escape_latex, table.head)]]
    for line in table.lines:
        notes = "".join(f", {escape_latex(mark)}" for mark in line.marks)
        lines.append([rf"\texttt{{{escape_latex(line.name)}}}{line.seeds}{notes}", *map(_cell, line.figures)])
    head, *rows = (" & ".join(cells) + r" \\" for cells in lines)
    parts = [rf"\begin{{tabular}}{{l{'r' * len(table.head)}}}", r"\toprule", head, r"\midrule", *rows, r"\bottomrule"]
    return "\n".join(["% \\usepackage{booktabs}", *parts, r"\end{tabular}"]) + "\n"


def _cell(text: str) -> str:
    """Return a cell: figures in mathematical notation, other texts escaped."""
    figure = re.fullmatch(r"[-\d.,± ]+", text)
    return "$" + text.replace("±", r"\pm").replace(",", "{,}") + "$" if figure else escape_latex(text)


def escape_latex(text: str) -> str:
    """Return a text with LaTeX's special characters escaped."""
    return re.sub(r"[\\~^<>|±&%$#_{}]", lambda found: _LATEX[found[0]], " ".join(text.split()))
