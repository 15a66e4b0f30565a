"""Text reports in columns."""

from __future__ import annotations

import math
from collections.abc import Sequence

from diamant_env.evaluation.intervals import Estimate


class TextReport:
    """A report in columns, those of text aligned left, figures right; `notes` are the lines below it."""

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
