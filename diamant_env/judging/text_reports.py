"""Text reports of results."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from diamant_env.judging.evaluation import Difference, Result
from diamant_env.judging.intervals import Estimate, holm
from diamant_env.judging.lineups import left_out_lines

_LONG = 16  # characters; longer names of agents are not repeated in each row
_NAME = 24  # columns of the longest unfolded text at a terminal
_UNLIMITED = 1_000_000  # columns where the output is not a terminal: one line per row


class TextReport:
    """A report that fits the terminal: texts are folded, and figures that don't fit form a second table below.

    Args:
        heading: The line above it.
        texts: Headings of the columns of text, which every table repeats.
        figures: Headings of the columns of figures, which are never folded.

    Attributes:
        notes: The lines below it.
    """

    def __init__(self, heading: str, texts: Sequence[str], figures: Sequence[str]) -> None:
        self.heading, self.notes = heading, ""
        self._texts, self._headings = len(texts), (*texts, *figures)
        self._rows: list[tuple[str, ...]] = []
        self._last_of_section: set[int] = set()

    def add_row(self, *cells: str) -> None:
        """Add a row, one cell per column."""
        self._rows.append(cells)

    def add_section(self) -> None:
        """End a section after the newest row."""
        self._last_of_section.add(len(self._rows) - 1)

    def __str__(self) -> str:
        at_terminal = sys.stdout.isatty()
        console = Console(highlight=False, width=None if at_terminal else _UNLIMITED)
        unfolded = console.options.update(width=_UNLIMITED)
        figures = list(range(self._texts, len(self._headings)))
        with console.capture() as captured:
            console.print(self.heading, style="bold", markup=False)
            while figures:
                parts = [self._table(figures[:size], at_terminal) for size in range(1, len(figures) + 1)]
                widths = [console.measure(part, options=unfolded).maximum for part in parts]
                shown = max(1, sum(width <= console.width for width in widths))
                console.print(parts[shown - 1])
                figures = figures[shown:]
                if figures:
                    console.print()
            console.print(self.notes, markup=False)
        return "\n".join(line.rstrip() for line in captured.get().rstrip().splitlines())

    def _table(self, figures: Sequence[int], at_terminal: bool) -> Table:
        """Return a table of the texts and some of the figures."""
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, pad_edge=False)
        for heading in self._headings[: self._texts]:
            table.add_column(heading, overflow="fold", max_width=_NAME if at_terminal else None)
        for column in figures:
            table.add_column(self._headings[column], justify="right", no_wrap=True)
        for number, row in enumerate(self._rows):
            cells = [Text(cell) for cell in (*row[: self._texts], *(row[column] for column in figures))]
            table.add_row(*cells, end_section=number in self._last_of_section)
        return table


def results_report(results: Sequence[Result]) -> TextReport:
    """Return a report of results; significant deviations from the fair share are marked."""
    players = sorted({result.players for result in results})
    agents = list(dict.fromkeys(result.agent for result in results))
    games = " or ".join(f"{games:,}" for games in sorted({result.games for result in results}))
    fair = ", ".join(f"{1 / seats:.3f}" for seats in players)
    title = f"{', '.join(agents)} at tables of {', '.join(map(str, players))}; fair: {fair}; games per row: {games}"
    report = TextReport(title, ("who", "against"), ("win share", "", "mean score"))
    long = re.escape(agents[0]) if len(agents) == 1 and len(agents[0]) > _LONG else ""
    corrected = holm([result.p_value for result in results])
    for position, (result, p_value) in enumerate(zip(results, corrected, strict=True)):
        if position and result.how != results[position - 1].how:
            report.add_section()
        names = (result.measured, result.against.replace(" of the ", " of "))
        shown = [re.sub(rf"(?<!\S){long}(?!\S| #\d)", "the agent", name) if long else name for name in names]
        share, score = plus_minus(result.win_share, 3), plus_minus(result.score, 2)
        report.add_row(*shown, share, significance(result, p_value), score)
    rows = "1 row" if len(results) == 1 else f"{len(results)} rows"
    lines = ["A tie of k players counts 1/k; ±: the longer side of the 95 % interval."]
    lines.append(f"above, below the fair share: significant at 5 % with Holm's correction for {rows}.")
    if any(result.how == "intruder" for result in results):
        lines.append("Where an intruder is measured, among copies of the agent, a low share is good for the agent.")
    lines += left_out_lines(name for result in results for name in result.left_out)
    report.notes = "\n".join(lines)
    return report


def differences_report(differences: Sequence[Difference]) -> TextReport:
    """Return a report of the differences of compared agents."""
    title = "Compared on common random numbers: the same seats of the same games"
    report = TextReport(title, ("agent", "less", "line-up"), ("win share", "mean score"))
    for row in differences:
        shares, scores = plus_minus(row.win_share, 3, "+"), plus_minus(row.score, 2, "+")
        report.add_row(row.agent, row.other, row.line_up, shares, scores)
    return report


def significance(result: Result, p_value: float) -> str:
    """Return "above" or "below" where a win share differs from the fair one at the 5 % level, else ""."""
    if p_value >= 0.05:
        return ""
    return "above" if result.win_share.mean > result.fair else "below"


def plus_minus(estimate: Estimate, digits: int, sign: str = "") -> str:
    """Return a mean with the longer side of its interval."""
    if math.isnan(estimate.low):
        return estimate_text(estimate, digits, sign)
    return f"{estimate.mean:{sign}.{digits}f} ± {estimate.longer_side:.{digits}f}"


def estimate_text(estimate: Estimate, digits: int, sign: str = "") -> str:
    """Return a mean with its interval as text."""
    form = f"{sign}.{digits}f"
    if math.isnan(estimate.low):
        return f"{estimate.mean:{form}} (–)"
    return f"{estimate.mean:{form}} ({estimate.low:{form}} to {estimate.high:{form}})"
