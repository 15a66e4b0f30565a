"""Games between agents with a fixed quota per table."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import parent_process
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from diamant_env.batch import Batch
from diamant_env.editions import Edition
from diamant_env.engine.arguments import MAX_SEED, checked_int
from diamant_env.observation import Observations
from diamant_env.opponents.custom import AgentSpec
from diamant_env.opponents.registry import make_agent
from diamant_env.opponents.seated_agents import SeatedAgents

MAX_GAMES = 100_000_000  # per measurement, up to 60 bytes each
FEW_TABLES, MANY_TABLES, GAMES_PER_TABLE = 256, 8192, 4


def progress_bar(shown: bool = True, **options: Any) -> tqdm:
    """Return a `tqdm` bar, printed every 10 s where stderr is no terminal; hidden in worker processes."""
    hidden = not shown or parent_process() is not None  # bars of workers would overwrite each other
    pace = {} if sys.stderr.isatty() else {"mininterval": 10, "delay": 10}
    return tqdm(**{"unit": " games", "unit_scale": True, "leave": False, "disable": hidden, **pace, **options})


@contextmanager
def percent_bar(description: str) -> Iterator[Callable[[float], None]]:
    """Yield a function that sets the fraction done of a `progress_bar`."""
    with progress_bar(total=100, desc=description, bar_format="{l_bar}{bar}| {elapsed}<{remaining}") as bar:
        yield lambda done: bar.update(round(100 * done) - bar.n)


@dataclass(frozen=True)
class Played:
    """The games of some tables. Game g was played at table ``g % tables``."""

    seating: NDArray[np.int64]  # (tables, seats), index of the agent in each seat
    shares: NDArray[np.float32]  # (games, seats), the win shares: 1/k for each of k winners
    scores: NDArray[np.int16]  # (games, seats), the final chests
    keys: NDArray[np.uint64]  # (games,), the random keys; equal keys give equal cards and decision noise

    @property
    def tables(self) -> NDArray[np.int64]:
        """Table of each game, int (games,)."""
        return np.arange(len(self.keys)) % len(self.seating)

    @property
    def quotas(self) -> NDArray[np.int64]:
        """Number of games of each table, int (tables,)."""
        return np.bincount(self.tables, minlength=len(self.seating))

    def totals(self, values: NDArray) -> NDArray[np.float64]:
        """Return the sums per table, float (tables,), of one value per game, (games,)."""
        return np.bincount(self.tables, values, len(self.seating)).astype(np.float64)


def seeds_for(seed: int, *purpose: object) -> np.random.SeedSequence:
    """Return a seed sequence by hashing seed and purpose; different arguments give independent streams."""
    seed = checked_int("seed", seed, 0, MAX_SEED)  # NumPy's integers have another repr
    digest = hashlib.sha256(repr((seed, *map(str, purpose))).encode()).digest()
    return np.random.SeedSequence(int.from_bytes(digest, "little"))


def number_of_tables(games: int, players: int) -> int:
    """Return the number of tables for a number of games: a multiple of the seats, if there are enough games.

    More tables narrow the intervals where opponents differ; more games per table reduce the idle time of tables that
    reach their quota early.
    """
    tables = min(games, max(FEW_TABLES, min(MANY_TABLES, games // GAMES_PER_TABLE)))
    return tables - tables % players if tables > players else tables


def play(
    agents: Sequence[AgentSpec],
    seating: NDArray[np.int64],
    games: int,
    seeds: np.random.SeedSequence,
    edition: str | Edition = "iello-2016",
    progress: tqdm | None = None,
) -> Played:
    """Play `games` games, at least one per table, divided among the tables as evenly as possible.

    Cards and decision noise depend on `seeds`, the number of tables and the game alone (common random numbers).
    `seating`, int (tables, seats), are indices into `agents`. Specs and classes make new agents.
    """
    tables, seats = seating.shape
    if games < tables:
        raise ValueError(f"{games} games at {tables} tables; at least one game per table is needed")
    game_seeds, agent_seeds = (  # `spawn` would change `seeds`
        np.random.SeedSequence(seeds.entropy, spawn_key=(*seeds.spawn_key, child)) for child in range(2)
    )
    states = agent_seeds.generate_state(len(agents)).tolist()
    members = [make_agent(agent, state) for agent, state in zip(agents, states, strict=True)]
    batch = Batch(tables, seats, edition, "win")
    seated = SeatedAgents(batch, members, seating)
    played = Played(
        seating,
        np.empty((games, seats), np.float32),
        np.empty((games, seats), np.int16),
        np.empty(games, np.uint64),
    )
    batch.reset(game_seeds.generate_state(tables, np.uint64))
    game = np.arange(tables)  # current game of each table; games beyond the quota are not counted
    keys = batch.games.key.copy()
    for turn in seated.turns(auto_reset=True):
        ended = np.flatnonzero(turn.done & (game < games))
        if len(ended):
            played.shares[game[ended]] = turn.rewards[ended]
            played.scores[game[ended]] = Observations(turn.final_observations[ended])["chest"]
            played.keys[game[ended]] = keys[ended]
            game[ended] += tables
            keys[ended] = batch.games.key[ended]
            if progress is not None:
                progress.update(len(ended))
            if (game >= games).all():
                break
    return played
