"""Results as tables in the terminal and as JSON."""

from __future__ import annotations

import json
import math
import platform
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from rich import box
from rich.table import Table

from diamant_env.judging.evaluation import Difference, Result
from diamant_env.judging.intervals import Estimate, holm
from train.runs.results import save_json
from train.runs.screen import console

_WIDE = 120  # columns of a terminal from which on a table has all columns
_LONG = 16  # letters of an agent from which on a narrow table does not repeat its name in each row
_PACKAGES = ("diamant-env", "numpy", "numba", "scipy", "openskill")


class _Column(NamedTuple):
    """A column by its heading in a wide table and in a narrow one, which leaves it out where that is None."""

    wide: str
    narrow: str | None
    justify: Any = "left"


_SHARE, _SCORE = _Column("win share (95 %)", "win share"), _Column("mean score (95 %)", "mean score")
_GAMES = _Column("games", None, "right")
_RESULT_COLUMNS = (
    _Column("win share and score of", "who"),
    _Column("against", "against"),
    _GAMES,
    _SHARE,
    _Column("fair", None, "right"),
    _Column("", ""),
    _SCORE,
    _Column("theirs", None, "right"),
)
_DIFFERENCE_COLUMNS = (
    *(_Column(name, name) for name in ("agent", "less", "line-up")),
    _GAMES,
    _SHARE,
    _SCORE,
)


def new_table(title: str) -> Table:
    """Return an empty table in the style of all tables of this package."""
    return Table(title=title, title_justify="left", caption_justify="left", box=box.SIMPLE_HEAD, title_style="bold")


def result_tables(
    results: Sequence[Result], differences: Sequence[Difference] = (), width: int | None = None
) -> list[Table]:
    """Return a table of all results and, where agents were compared, one of their differences.

    Args:
        results: Of the judged agents; rows whose win share differs from the fair one are marked.
        differences: Of the agents that were compared.
        width: Columns of the terminal, by default of where `train.runs.screen.say` prints; below 120, some columns of
            the tables are left out, so that each row fits on a line.
    """
    narrow = (width or console().width) < _WIDE
    tables = [_results_table(results, narrow)] if results else []
    return tables + ([_differences_table(differences, narrow)] if differences else [])


def _results_table(results: Sequence[Result], narrow: bool) -> Table:
    players = sorted({result.players for result in results})
    agents = list(dict.fromkeys(result.agent for result in results))
    title = f"{', '.join(agents)} at tables of {', '.join(map(str, players))}"
    if narrow:
        games = " or ".join(f"{games:,}" for games in sorted({result.games for result in results}))
        title += f"; fair: {', '.join(f'{1 / seats:.3f}' for seats in players)}; games a row: {games}"
    long = agents[0] if narrow and len(agents) == 1 and len(agents[0]) > _LONG else None
    table = _table(title, _RESULT_COLUMNS, narrow)
    corrected = holm([result.p_value for result in results])
    for position, (result, p_value) in enumerate(zip(results, corrected, strict=True)):
        if position and result.how != results[position - 1].how:
            table.add_section()
        names = [result.measured, result.against.replace(" of the ", " of ") if narrow else result.against]
        cells = [
            *(name.replace(long, "the agent") if long else name for name in names),
            f"{result.games:,}",
            _estimate_in(result.win_share, 3, narrow),
            f"{result.fair:.3f}",
            verdict(result, p_value),
            _estimate_in(result.score, 2, narrow),
            f"{result.rivals_score:.2f}",
        ]
        table.add_row(*_kept(cells, _RESULT_COLUMNS, narrow))
    more = "±: the 95 % interval, its longer side" if narrow else "theirs: the mean score of the others at the table"
    rows = "1 row" if len(results) == 1 else f"{len(results)} rows"
    lines = [f"A tie of k players counts 1/k; {more}."]
    lines.append(f"above, below: the win share is not the fair one, at 5 % with Holm's correction for {rows}.")
    if any(result.how == "intruder" for result in results):
        lines.append("The last part: an intruder's share among copies of the agent. A low share is good for the agent.")
    table.caption = "\n".join(lines)
    return table


def _differences_table(differences: Sequence[Difference], narrow: bool) -> Table:
    table = _table("Compared on common random numbers: the same seats of the same games", _DIFFERENCE_COLUMNS, narrow)
    for row in differences:
        shares, scores = _estimate_in(row.win_share, 3, narrow, "+"), _estimate_in(row.score, 2, narrow, "+")
        cells = [row.agent, row.other, row.line_up, f"{row.games:,}", shares, scores]
        table.add_row(*_kept(cells, _DIFFERENCE_COLUMNS, narrow))
    return table


def _table(title: str, columns: Sequence[_Column], narrow: bool) -> Table:
    table = new_table(title)
    if narrow:
        table.padding, table.show_edge, table.pad_edge = (0, 1, 0, 0), False, False
    for column in columns:
        heading = column.narrow if narrow else column.wide
        if heading is not None:
            table.add_column(heading, justify=column.justify, overflow="fold")
    return table


def _kept(cells: Iterable[str], columns: Sequence[_Column], narrow: bool) -> list[str]:
    """Return the cells of the columns that a table has."""
    return [cell for cell, column in zip(cells, columns, strict=True) if not narrow or column.narrow is not None]


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
    """Return a result from what JSON keeps of it, where NaN is null."""
    estimates = {
        name: Estimate(**{key: math.nan if value is None else value for key, value in row[name].items()})
        for name in ("win_share", "score")
    }
    return Result(**{**row, **estimates, "rivals": tuple(row["rivals"])})


def versions() -> dict[str, str]:
    """Return the versions of Python and the packages, and the commit of a checkout, with "+" if it was changed."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty=+", "--abbrev=12"]
    with suppress(OSError, subprocess.SubprocessError):
        found["commit"] = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    return found


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
