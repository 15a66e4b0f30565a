"""Games in shards of tables, with results independent of where the shards run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from diamant_env.judging.games import Played, Player, Progress, children, play
from diamant_env.opponents.registry import make

TABLES = 1024  # per shard
Shard = Callable[[], Played]
MapShards = Callable[[Callable[[Shard], Played], Iterable[Shard]], Iterable[Played]]


def play_sharded(
    agents: Sequence[Player],
    seating: NDArray[np.int64],
    games: int,
    seeds: np.random.SeedSequence,
    progress: Progress | None = None,
    map_shards: MapShards = map,
    **settings: Any,
) -> Played:
    """Play games in shards; `settings` and errors as in `diamant_env.judging.games.play`.

    Each shard has its own seeds. Policy files are read here, not in the workers of `map_shards` (`map` or
    `train.cluster.map_on_ray`). `progress` is updated as shards end.
    """
    tables, seats = seating.shape
    starts = range(0, tables, TABLES)
    shard_seeds = children(seeds, len(starts)) if len(starts) > 1 else [seeds]
    made = [make(agent) if isinstance(agent, str) else agent for agent in agents]
    table_of_game = np.arange(games) % tables
    games_of = [np.flatnonzero((table_of_game >= start) & (table_of_game < start + TABLES)) for start in starts]
    shards = [
        partial(play, made, seating[start : start + TABLES], len(own), shard_seed, **settings)
        for start, own, shard_seed in zip(starts, games_of, shard_seeds, strict=True)
    ]
    shares, scores = np.empty((games, seats), np.float32), np.empty((games, seats), np.int16)
    keys = np.empty(games, np.uint64)
    for own, played in zip(games_of, map_shards(play_shard, shards), strict=True):
        shares[own], scores[own], keys[own] = played.shares, played.scores, played.keys
        if progress is not None:
            progress.update(len(own))
    return Played(seating, shares, scores, keys)


def play_shard(shard: Shard) -> Played:
    """Play one shard with one BLAS thread, custom agents included."""
    with threadpool_limits(1, "blas"):
        return shard()
