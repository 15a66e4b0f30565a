"""Records of games that no rule has made: refused where they enter, or played inside the arrays."""

from __future__ import annotations

from collections.abc import Iterator

from tests.faults.table import Effort, Row


def memory(effort: Effort) -> Iterator[Row]:
    """All rows about records that are handed to a batch."""
    yield from ()
