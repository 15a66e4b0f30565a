"""Text reports of results."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from diamant_env.judging.evaluation import Difference, Result
from diamant_env.judging.intervals import Estimate, holm
from diamant_env.judging.lineups import left_out_lines

PIPE_WIDTH = 150  # columns where the output is not a terminal
_LONG = 16  # characters; longer names of agents are not repeated in each row


class TextReport(Table):
    """A report whose ``str`` is as wide as the terminal, or `PIPE_WIDTH` columns.

    Args:
        heading: The line above it.

    Attributes:
        notes: The lines below it.
    """

    def __init__(self, heading: str) -> None:
        super().__init__(box=box.SIMPLE_HEAD)
        self.heading, self.notes = heading, ""  # rich would fold a title and a caption to the width of the columns

    def __str__(self) -> str:
        console = Console(highlight=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)
        with console.capture() as captured:
            console.print(self.heading, style="bold")
            console.print(self)
            console.print(self.notes)
        return "\n".join(line.rstrip() for line in captured.get().rstrip().splitlines())


def results_report(results: Sequence[Result]) -> TextReport:
    """Return a report of results, at most 80 columns wide; significant deviations from the fair share are marked."""
    players = sorted({result.players for result in results})
    agents = list(dict.fromkeys(result.agent for result in results))
    games = " or ".join(f"{games:,}" for games in sorted({result.games for result in results}))
    fair = ", ".join(f"{1 / seats:.3f}" for seats in players)
    title = f"{', '.join(agents)} at tables of {', '.join(map(str, players))}; fair: {fair}; games per row: {games}"
    report = _report(title, "who", "against", "win share", "", "mean score")
    long = len(agents) == 1 and len(agents[0]) > _LONG
    corrected = holm([result.p_value for result in results])
    for position, (result, p_value) in enumerate(zip(results, corrected, strict=True)):
        if position and result.how != results[position - 1].how:
            report.add_section()
        names = (result.measured, result.against.replace(" of the ", " of "))
        shown = [name.replace(agents[0], "the agent") if long else name for name in names]
        share, score = plus_minus(result.win_share, 3), plus_minus(result.score, 2)
        report.add_row(*shown, share, significance(result, p_value), score)
    rows = "1 row" if len(results) == 1 else f"{len(results)} rows"
    lines = ["A tie of k players counts 1/k; ±: the longer side of the 95 % interval."]
    lines.append(f"above, below the fair share: significant at 5 % with Holm's correction for {rows}.")
    if any(result.how == "intruder" for result in results):
        lines.append("The last part: an intruder's share among copies of the agent. A low share is good for the agent.")
    lines += left_out_lines(name for result in results for name in result.left_out)
    report.notes = "\n".join(lines)
    return report


def differences_report(differences: Sequence[Difference]) -> TextReport:
    """Return a report of the differences of compared agents, at most 80 columns wide."""
    title = "Compared on common random numbers: the same seats of the same games"
    report = _report(title, "agent", "less", "line-up", "win share", "mean score")
    for row in differences:
        shares, scores = plus_minus(row.win_share, 3, "+"), plus_minus(row.score, 2, "+")
        report.add_row(row.agent, row.other, row.line_up, shares, scores)
    return report


def _report(title: str, *headings: str) -> TextReport:
    report = TextReport(title)
    report.padding, report.show_edge, report.pad_edge = (0, 1, 0, 0), False, False
    for heading in headings:
        report.add_column(heading, overflow="fold")
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
    side = max(estimate.high - estimate.mean, estimate.mean - estimate.low)
    return f"{estimate.mean:{sign}.{digits}f} ± {side:.{digits}f}"


def estimate_text(estimate: Estimate, digits: int, sign: str = "") -> str:
    """Return a mean with its interval as text."""
    form = f"{sign}.{digits}f"
    if math.isnan(estimate.low):
        return f"{estimate.mean:{form}} (–)"
    return f"{estimate.mean:{form}} ({estimate.low:{form}} to {estimate.high:{form}})"
