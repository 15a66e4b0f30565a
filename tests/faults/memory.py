"""Records that no rule has made: refused where they enter, or played inside the arrays."""

from __future__ import annotations

from collections.abc import Iterator

from tests.faults.table import Effort, Row, Trials
from tests.support.guarded_games import guards_notice, strange_round

_GAMES = 250  # in a round
_RECORDS = 100_000


def memory(effort: Effort) -> Iterator[Row]:
    """All rows about records that are handed to a batch."""
    trials = Trials("strange records handed to a batch, stepped with every reward between guard bytes", effort)
    refused = 0
    for number in range(effort.times(_RECORDS // _GAMES)):
        found, problem = strange_round(effort.seed + number, _GAMES)
        refused += found
        trials(problem)
        trials.number += _GAMES - 1
    worst = f"{refused:,} refused, {trials.number - refused:,} played to the end"
    yield trials.row("a reward written as the record says", guards_notice(), worst)
