"""Pools: fixed lists of agents in files."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np

from diamant_env.agent import Agent
from diamant_env.batch import Batch
from diamant_env.editions import Edition
from diamant_env.observation import Observations
from diamant_env.opponents.registry import DATA, POOL_NAMES, make_agent
from diamant_env.storage.files import nearest

POOLS = ("pool", "held_out")
"""Pools for evaluation: one for development, one held out."""


def pool_path(name: str | Path) -> Path:
    """Return the path of a pool: a shipped one by its name (with - or _), or the given path."""
    return Path(name) if str(name).endswith(".toml") else DATA / f"{str(name).replace('-', '_')}.toml"


def load_pool(name: str | Path) -> list[str]:
    """Return the agents of a pool, as specs that `diamant_env.opponents.make_agent` takes.

    Args:
        name: A shipped pool, such as ``"pool"`` or ``"held_out"``, or a path to
            another TOML file with a `description` and a list of `agents`.

    Raises:
        ValueError: If there is no such file, or its content is invalid.
    """
    path = pool_path(name)
    if not path.is_file():
        near = nearest(name, POOL_NAMES, f"pools: {', '.join(POOL_NAMES)}")
        raise ValueError(f"no pool {str(name)!r}: there is no file {path}; {near}")
    try:
        content = tomllib.loads(path.read_text("utf-8-sig"))
    except ValueError as error:
        raise ValueError(f"pool {path} is damaged: {error}") from None
    specs = content.get("agents")
    if not isinstance(specs, list) or not specs or not all(isinstance(spec, str) for spec in specs):
        raise ValueError(f"pool {path}: `agents` must be a list of at least one spec, not {specs!r}")
    seen: dict[str, str] = {}
    for spec in specs:
        try:
            agent = str(make_agent(spec, importing=False))
        except ValueError as error:
            raise ValueError(f"pool {path}: {error}") from None
        if agent in seen:
            raise ValueError(f"pool {path}: {spec!r} and {seen[agent]!r} are the same agent")
        seen[agent] = spec
    return specs


def pool_members(pool: str, players: int, *editions: str | Edition) -> tuple[list[str], list[str]]:
    """Return the names of a pool's members that can play the editions, and of those that can't.

    Raises:
        ValueError: If there is no such pool.
    """
    names = [str(make_agent(agent)) for agent in load_pool(pool)]
    able = [name for name in names if all(_can_play(name, players, edition) for edition in editions)]
    return able, [name for name in names if name not in able]


def check_able(agent: Agent, players: int, edition: str | Edition) -> None:
    """Check that an agent supports a table by its first decisions.

    Raises:
        ValueError: If it does not, such as one that reads hidden chests.
    """
    batch = Batch(1, players, edition)
    agent.act(Observations(batch.reset(0)[0], batch.editions[0]), np.ones(players, bool))


def is_pool(spec: str) -> bool:
    """Return whether a spec names a pool."""
    return spec.endswith(".toml") or spec.replace("_", "-") in POOL_NAMES


def _can_play(name: str, players: int, edition: str | Edition) -> bool:
    try:
        check_able(make_agent(name), players, edition)
    except ValueError:
        return False
    return True
