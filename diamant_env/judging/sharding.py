"""Many games in parts of some tables each, which can be played anywhere: the parts don't depend on where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from diamant_env.editions import Edition
from diamant_env.judging.games import Played, Player, Progress, children, play
from diamant_env.opponents.registry import make

TABLES = 1024  # of one part


@dataclass(frozen=True)
class Part:
    """What `diamant_env.judging.games.play` is asked for some tables."""

    agents: Sequence[Player]
    seating: NDArray[np.int64]
    games: int
    seeds: np.random.SeedSequence
    edition: str | Edition


MapParts = Callable[[Callable[[Part], Played], Iterable[Part]], Iterable[Played]]


def play_in_parts(
    agents: Sequence[Player],
    seating: NDArray[np.int64],
    games: int,
    seeds: np.random.SeedSequence,
    edition: str | Edition = "iello-2016",
    progress: Progress | None = None,
    map_parts: MapParts = map,
) -> Played:
    """Play games as `diamant_env.judging.games.play` does, whose arguments and errors these are, part by part.

    Args:
        agents: Who plays; policies are read from their files here, not where the parts are played.
        seating: int (tables, seats).
        games: At least one per table.
        seeds: Each part has seeds of its own.
        edition: The edition they play.
        progress: Told as parts end.
        map_parts: What plays the parts: `map`, or `train.distributed.cluster.map_on_ray`. The bytes are the same.
    """
    tables = len(seating)
    starts = range(0, tables, TABLES)
    own_seeds = children(seeds, len(starts)) if len(starts) > 1 else [seeds]
    made = [make(agent) if isinstance(agent, str) else agent for agent in agents]
    numbers = [_numbers(games, tables, start) for start in starts]
    parts = [
        Part(made, seating[start : start + TABLES], len(own), child, edition)
        for start, own, child in zip(starts, numbers, own_seeds, strict=True)
    ]
    seats = seating.shape[1]
    shares, scores = np.empty((games, seats), np.float32), np.empty((games, seats), np.int16)
    keys = np.empty(games, np.uint64)
    for own, played in zip(numbers, map_parts(play_part, parts), strict=True):
        shares[own], scores[own], keys[own] = played.shares, played.scores, played.keys
        if progress is not None:
            progress.update(len(own))
    return Played(seating, shares, scores, keys)


def play_part(part: Part) -> Played:
    """Play one part, with one thread: the sums of a network could depend on how many there are."""
    with threadpool_limits(1, "blas"):
        return play(part.agents, part.seating, part.games, part.seeds, part.edition)


def _numbers(games: int, tables: int, start: int) -> NDArray[np.int64]:
    """Return the numbers of the games at the tables from `start` on, in the order in which the part plays them."""
    numbers = np.arange(games)
    own = (numbers % tables >= start) & (numbers % tables < start + TABLES)
    return numbers[own]
