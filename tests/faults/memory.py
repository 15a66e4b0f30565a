"""Records that no rule has made: refused where they enter, or played inside the arrays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from diamant_env.compiled import jit
from tests.faults.table import Effort, Row, Trials
from tests.guarded_games import Guarded, guarded_batch, strange_round

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
    yield trials.row("a reward written as the record says", _caught(), worst)


@jit
def _pay_everyone(game, rewards, i):
    """What `pay` once did: it trusted the record."""
    for seat in range(game.num_players):
        rewards[i, seat] = 1


def _caught() -> bool:
    """Whether the guard bytes show a write beside an array."""
    guarded = Guarded()
    batch = guarded_batch(2, 4, "iello-2016", "win", guarded)
    rewards = guarded.array((2, 4), np.float32)
    batch._records["num_players"] = 8
    _pay_everyone(batch._records[1], rewards, 1)
    return not guarded.intact
