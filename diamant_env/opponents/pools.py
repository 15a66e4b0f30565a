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
    """Return the distinct agents, as specs, of a shipped pool or of a TOML file with a list of `agents`."""
    path = pool_path(name)
    if not path.is_file():
        near = nearest(name, POOL_NAMES, f"pools: {', '.join(POOL_NAMES)}")
        raise ValueError(f"no pool {str(name)!r}: there is no file {path}; {near}")
    try:
        specs = tomllib.loads(path.read_text("utf-8-sig")).get("agents")
        if not isinstance(specs, list) or not specs or not all(isinstance(spec, str) for spec in specs):
            raise ValueError(f"`agents` must be a list of at least one spec, not {specs!r}")
        return list(dict.fromkeys(str(make_agent(spec, importing=False)) for spec in specs))
    except ValueError as error:
        raise ValueError(f"pool {path}: {error}") from None


def pool_members(pool: str, players: int, *editions: str | Edition) -> tuple[list[str], list[str]]:
    """Return the names of a pool's members that can play the editions, and of those that can't."""
    names = load_pool(pool)
    able = [name for name in names if all(_can_play(name, players, edition) for edition in editions)]
    return able, [name for name in names if name not in able]


def check_able(agent: Agent, players: int, edition: str | Edition) -> None:
    """Raise a ValueError if an agent's first decisions do not support a table, such as one that hides chests."""
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
