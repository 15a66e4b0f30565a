"""What judging leaves behind: tables as text, results as JSON."""

from __future__ import annotations

import json
import math
import platform
import subprocess
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table

from diamant_env.judging.evaluation import Difference, Result
from diamant_env.judging.intervals import Estimate, holm
from train.runs.pictures import draw_win_shares
from train.runs.results import save_json
from train.runs.screen import PIPE_WIDTH, console

__all__ = [
    "differences_table",
    "draw_win_shares",
    "estimate_text",
    "load_results",
    "make_folder",
    "new_table",
    "result_of",
    "result_tables",
    "results_table",
    "save_results",
    "verdict",
    "versions",
]
_WIDE = 120  # columns from which on a table has all columns
_LONG = 16  # letters of an agent that a narrow table does not repeat in each row
_PACKAGES = ("diamant-env", "numpy", "numba", "scipy", "openskill")


def result_tables(
    results: Sequence[Result], differences: Sequence[Difference] = (), width: int | None = None
) -> list[Table]:
    """Return a table of all results and, where agents were compared, one of their differences.

    Args:
        results: What was found.
        differences: Of the agents that were compared.
        width: Columns of the terminal, by default of where `train.runs.screen.say` prints.
    """
    width = width or console().width
    found = [results_table(results, width)] if results else []
    return found + ([differences_table(differences, width)] if differences else [])


def results_table(results: Sequence[Result], width: int = PIPE_WIDTH) -> Table:
    """Return the results as a table, with the rows where the win share differs from the fair one marked.

    Args:
        results: Its rows.
        width: Columns of the terminal; below 120, the table leaves out what else a row would need a second line for.
    """
    players = sorted({result.players for result in results})
    agents = list(dict.fromkeys(result.agent for result in results))
    title = f"{', '.join(agents)} at tables of {', '.join(map(str, players))}"
    names = [
        "win share and score of",
        "against",
        "games",
        "win share (95 %)",
        "fair",
        "",
        "mean score (95 %)",
        "theirs",
    ]
    if narrow := width < _WIDE:
        games = " or ".join(f"{games:,}" for games in sorted({result.games for result in results}))
        fair = ", ".join(f"{1 / seats:.3f}" for seats in players)
        title += f"; fair: {fair}; games a row: {games}"
        names[0], names[3], names[6] = "who", "win share", "mean score"
    long = agents[0] if narrow and len(agents) == 1 and len(agents[0]) > _LONG else None
    kept = [name for name in names if not narrow or name not in ("games", "fair", "theirs")]
    table = new_table(title)
    if narrow:
        table.padding, table.show_edge, table.pad_edge = (0, 1, 0, 0), False, False
    for name in kept:
        justify = "right" if name in ("games", "fair", "theirs") else "left"
        table.add_column(name, justify=justify, overflow="fold")
    corrected = holm([result.p_value for result in results])
    for position, (result, p_value) in enumerate(zip(results, corrected, strict=True)):
        if position and result.how != results[position - 1].how:
            table.add_section()
        cells = [
            result.measured,
            result.against,
            f"{result.games:,}",
            _estimate_in(result.win_share, 3, narrow),
            f"{result.fair:.3f}",
            verdict(result, p_value),
            _estimate_in(result.score, 2, narrow),
            f"{result.rivals_score:.2f}",
        ]
        if narrow:
            cells[1] = result.against.replace(" of the ", " of ")
        if long:
            cells[:2] = [cell.replace(long, "the agent") for cell in cells[:2]]
        table.add_row(*(cell for name, cell in zip(names, cells, strict=True) if name in kept))
    table.caption = _caption(results, narrow)
    return table


def differences_table(differences: Sequence[Difference], width: int = PIPE_WIDTH) -> Table:
    """Return the differences of compared agents as a table; for `width` see `results_table`."""
    narrow = width < _WIDE
    table = new_table("Compared on common random numbers: the same seats of the same games")
    names = ["agent", "less", "line-up", "games", "win share (95 %)", "mean score (95 %)"]
    if narrow:
        table.padding, table.show_edge, table.pad_edge = (0, 1, 0, 0), False, False
        names = ["agent", "less", "line-up", "win share", "mean score"]
    for name in names:
        table.add_column(name, justify="right" if name == "games" else "left", overflow="fold")
    for row in differences:
        games = [] if narrow else [f"{row.games:,}"]
        shares, scores = _estimate_in(row.win_share, 3, narrow, "+"), _estimate_in(row.score, 2, narrow, "+")
        table.add_row(row.agent, row.other, row.line_up, *games, shares, scores)
    return table


def verdict(result: Result, p_value: float) -> str:
    """Return "above" or "below" where a p-value says that a win share is not the fair one, else ""."""
    if p_value >= 0.05:
        return ""
    return "above" if result.win_share.mean > result.fair else "below"


def estimate_text(estimate: Estimate, digits: int, sign: str = "") -> str:
    """Return a mean with its interval as text."""
    form = f"{sign}.{digits}f"
    if math.isnan(estimate.low):
        return f"{estimate.mean:{form}} (–)"
    return f"{estimate.mean:{form}} ({estimate.low:{form}} to {estimate.high:{form}})"


def _estimate_in(estimate: Estimate, digits: int, narrow: bool, sign: str = "") -> str:
    """Return a mean with its interval, in a narrow table with the longer side of the interval."""
    if not narrow or math.isnan(estimate.low):
        return estimate_text(estimate, digits, sign)
    side = max(estimate.high - estimate.mean, estimate.mean - estimate.low)
    return f"{estimate.mean:{sign}.{digits}f} ± {side:.{digits}f}"


def save_results(
    results: Sequence[Result], differences: Sequence[Difference], path: str | Path, **more: object
) -> None:
    """Write results as JSON, with the versions of what produced them and `more` keys of the caller's."""
    save_json({**more, "versions": versions(), "results": results, "differences": differences}, path)


def load_results(path: str | Path) -> list[Result]:
    """Return the results that `save_results` wrote."""
    return [result_of(row) for row in json.loads(Path(path).read_text(encoding="utf-8"))["results"]]


def result_of(row: dict[str, Any]) -> Result:
    """Return a result from what JSON keeps of it."""
    estimates = {name: _estimate(row[name]) for name in ("win_share", "score")}
    return Result(**{**row, **estimates, "rivals": tuple(row["rivals"])})


def versions() -> dict[str, str]:
    """Return the versions of Python, the packages and the checkout."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    commit = _commit()
    return {**found, "commit": commit} if commit else found


def make_folder(path: Path) -> None:
    """Make a folder for results, if it is not there, and check that files can be written into it.

    Raises:
        ValueError: If that fails; the message says why.
    """
    probe = path / ".writable"
    try:
        path.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ValueError(f"can't write results into the folder {path}: {error.strerror or error}") from None


def _estimate(row: dict[str, float | None]) -> Estimate:
    return Estimate(**{name: math.nan if value is None else value for name, value in row.items()})


def _caption(results: Sequence[Result], narrow: bool) -> str:
    rows = "1 row" if len(results) == 1 else f"{len(results)} rows"
    more = "±: the 95 % interval, its longer side" if narrow else "theirs: the mean score of the others at the table"
    lines = [f"A tie of k players counts 1/k; {more}."]
    lines.append(f"above, below: the win share is not the fair one, at 5 % with Holm's correction for {rows}.")
    if any(result.how == "intruder" for result in results):
        lines.append("The last part: an intruder among copies of the agent; its figures, so low is good for the agent.")
    return "\n".join(lines)


def new_table(title: str) -> Table:
    """Return an empty table in the style of all tables of this package."""
    return Table(title=title, title_justify="left", caption_justify="left", box=box.SIMPLE_HEAD, title_style="bold")


def _commit() -> str:
    """Return the commit of the checkout, "+" where it was changed since, or "" outside one."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty=+", "--abbrev=12"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
