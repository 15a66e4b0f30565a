"""Matchups: the opponents of one agent, from the argument `opponents` of environments or `against` of `evaluate`."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent
from diamant_env.editions import Edition
from diamant_env.opponents.custom import AgentSpec
from diamant_env.opponents.pools import is_pool, pool_members, pool_path
from diamant_env.opponents.registry import make_agent
from diamant_env.opponents.seated_agents import EMPTY
from diamant_env.random_numbers import matchup_bits

Opponents: TypeAlias = "AgentSpec | list[Any]"
"""Input of `read_matchup`."""


@dataclass(frozen=True)
class Matchup:
    """Opponents of one agent."""

    members: tuple[Any, ...]  # the distinct opponents, arguments of `diamant_env.opponents.make_agent`
    rivals: int  # number of rivals at each table
    seats: (
        tuple[int, ...] | None
    )  # index of each rival's member, in order after the agent; None: distinct ones are drawn
    pool: str = ""  # name of the pool, which is the stem of its file, or ""
    excluded: tuple[str, ...] = ()  # members of the pool that can't play the edition

    def draw(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the members in the rivals' seats, int (games, rivals), by the games' keys, uint64 (games,)."""
        if self.seats is not None:
            return np.tile(np.array(self.seats, np.int64), (len(keys), 1))
        return np.argsort(matchup_bits(keys, 1 + len(self.members))[:, 1:], axis=1)[:, : self.rivals]

    def deal(self, tables: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Return the members in the rivals' seats, int (tables, rivals); drawn members are seated equally often."""
        if self.seats is not None:
            return np.tile(np.array(self.seats, np.int64), (tables, 1))
        seated = np.zeros(len(self.members))
        dealt = np.empty((tables, self.rivals), np.int64)
        for row in dealt:
            row[:] = random.permutation(np.argsort(seated + random.random(len(seated)))[: self.rivals])
            seated[row] += 1
        return dealt


def read_matchup(
    opponents: Opponents, rivals: int, editions: Sequence[Edition], evaluated: Collection[str] = ()
) -> Matchup:
    """Return the matchup of an argument `opponents` or `against`, see `diamant_env.evaluation.evaluate`.

    Members of a pool that are `evaluated` or can't play one of the editions are excluded. A ValueError says if there
    are too few opponents, or the same one twice in a list from which they are drawn.
    """
    listed = opponents if isinstance(opponents, list) else [opponents]
    if len(listed) == 1 and isinstance(listed[0], str | Path) and is_pool(str(listed[0])):
        names, excluded = pool_members(str(listed[0]), rivals + 1, *editions)
        members = tuple(name for name in names if name not in evaluated)
        pool = pool_path(str(listed[0])).stem
        if len(members) < rivals:
            raise ValueError(f"pool {pool}: {len(members)} members can play; {rivals} or more are needed")
        return Matchup(members, rivals, None, pool, tuple(excluded))
    keys = [str(one) if isinstance(one, str | Path) else id(one) for one in listed]
    distinct = dict(zip(keys, listed, strict=True))
    members = tuple(distinct.values())
    if len(listed) == 1:
        return Matchup(members, rivals, (0,) * rivals)
    if len(listed) == rivals:
        return Matchup(members, rivals, tuple(map(list(distinct).index, keys)))
    if rivals < len(listed) == len(members):
        return Matchup(members, rivals, None)
    allowed = f"one for all {rivals} rivals, one for each, a pool, or more than {rivals} distinct ones"
    raise ValueError(f"opponents {listed}; give {allowed}")


def seat_around(seats: NDArray[np.int64], rivals: NDArray[np.int64], agent: int = EMPTY) -> NDArray[np.int64]:
    """Return a seating, int (games, players): `agent` in `seats` (games,), then the rivals (games, players - 1)."""
    after = np.insert(rivals, 0, agent, axis=1)
    return np.take_along_axis(after, (np.arange(after.shape[1]) - seats[:, None]) % after.shape[1], axis=1)


def seat_learner(games: int, players: int) -> NDArray[np.int64]:
    """Return int (games, players): `EMPTY` for the learner, in seat ``game % players``, and agent 0 elsewhere."""
    return seat_around(np.arange(games) % players, np.zeros((games, players - 1), np.int64))


def make_opponents(opponents: Iterable[AgentSpec]) -> list[Agent]:
    """Return the agents of opponents, with random seeds."""
    try:
        return [make_agent(opponent, secrets.randbits(32)) for opponent in opponents]
    except ValueError as error:
        raise ValueError(f"opponents: {error}") from error.__cause__


def seed_agents(agents: Sequence[Agent], seed: int) -> None:
    """Seed the agents that have a method ``seed(int)``, each differently."""
    seeders = [agent.seed for agent in agents if callable(getattr(agent, "seed", None))]  # type: ignore[attr-defined]
    for position, call in enumerate(seeders):
        call(int(np.random.SeedSequence([seed, position]).generate_state(1)[0]))
