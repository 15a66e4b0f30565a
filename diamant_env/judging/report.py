"""Evaluation of an agent in one call, and text reports of results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from diamant_env.editions import Edition, find_edition
from diamant_env.judging.evaluation import Difference, Result, compare
from diamant_env.judging.games import Player, listed
from diamant_env.judging.intervals import Estimate, holm
from diamant_env.judging.lineups import LineUp, left_out_lines, line_ups_of
from diamant_env.storage.results import save_json, versions


@dataclass(frozen=True)
class Evaluation:
    """Results of an evaluation; ``str`` gives a report.

    Attributes:
        results: One per line-up and agent.
        differences: Between the first agent and each other one, in the same games.
        edition: The edition that was played.
        seed: Seed of all random numbers.
    """

    results: list[Result]
    differences: list[Difference]
    edition: Edition
    seed: int

    def __str__(self) -> str:
        reports = [results_report(self.results)] + [differences_report(self.differences)] * bool(self.differences)
        return "\n\n".join(map(str, reports))

    __repr__ = __str__  # at the prompt

    def save(self, path: str | Path, **more: object) -> None:
        """Write all figures as JSON, with package versions and the further keys `more`."""
        save_json({**more, "versions": versions(), **vars(self)}, path)


def evaluate(
    agent: Player,
    against: Player | LineUp | Sequence[Player | LineUp] = "pool",
    games: int = 20_000,
    *,
    compare_with: Sequence[Player] = (),
    players: int = 4,
    edition: str | Edition = "iello-2016",
    seed: int = 0,
    progress: bool = False,
) -> Evaluation:
    """Judge an agent: its win share and mean score in each line-up, with 95 % intervals.

    Args:
        agent: An agent, a function of observations, or a text that `diamant_env.opponents.make` takes.
        against: A line-up or a list of line-ups: ``"pool"``, ``"held-out"``, a path to a .toml, comma-separated agents
            (see `diamant_env.judging.lineups.parse_line_ups`), ``"self"`` for copies of the agent, a `LineUp`, or an
            agent as a text or an object, whose copies fill the table. Where chests are hidden, members of a pool that
            need open ones are excluded.
        games: Games of each agent in each line-up; the agent's seat rotates evenly.
        compare_with: Other agents that take the same seats in the same games (common random numbers); pools exclude
            them all.
        players: Players at each table, 2 to 8.
        edition: The edition to play, see `diamant_env.find_edition`.
        seed: Seed of all random numbers; the same seed gives the same figures.
        progress: Show a progress bar.

    Raises:
        ValueError: If an argument is out of range, an agent is invalid, or a line-up can't be seated.
    """
    edition = find_edition(edition)
    agents = [agent, *listed("compare_with", compare_with)]
    line_ups = line_ups_of(against, agents, players, edition)
    found = compare(agents, line_ups, games, seed=seed, players=players, edition=edition, progress=progress)
    return Evaluation(*found, edition, int(seed))


class TextReport:
    """A report in columns.

    Args:
        heading: The line above it.
        texts: Headings of the columns of text, aligned left.
        figures: Headings of the columns of figures, aligned right.

    Attributes:
        notes: The lines below it.
    """

    def __init__(self, heading: str, texts: Sequence[str], figures: Sequence[str]) -> None:
        self.heading, self.notes = heading, ""
        self._texts = len(texts)
        self._rows: list[tuple[str, ...]] = [(*texts, *figures)]

    def add_row(self, *cells: str) -> None:
        """Add a row, one cell per column."""
        self._rows.append(cells)

    def __str__(self) -> str:
        widths = [max(map(len, column)) for column in zip(*self._rows, strict=True)]
        lines = [self.heading]
        for row in self._rows:
            cells = [cell.ljust(width) for cell, width in zip(row[: self._texts], widths, strict=False)]
            cells += [f"{cell:>{width}}" for cell, width in zip(row[self._texts :], widths[self._texts :], strict=True)]
            lines.append("  ".join(cells).rstrip())
        return "\n".join([*lines, self.notes]).rstrip()


def results_report(results: Sequence[Result]) -> TextReport:
    """Return a report of results; significant deviations from the fair share are marked."""
    players = sorted({result.players for result in results})
    agents = list(dict.fromkeys(result.agent for result in results))
    games = " or ".join(f"{games:,}" for games in sorted({result.games for result in results}))
    fair = ", ".join(f"{1 / seats:.3f}" for seats in players)
    title = f"{', '.join(agents)} at tables of {', '.join(map(str, players))}; fair: {fair}; games per row: {games}"
    report = TextReport(title, ("who", "against"), ("win share", "", "mean score"))
    corrected = holm([result.p_value for result in results])
    for result, p_value in zip(results, corrected, strict=True):
        share, score = plus_minus(result.win_share, 3), plus_minus(result.score, 2)
        report.add_row(result.measured, result.against, share, significance(result, p_value), score)
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
