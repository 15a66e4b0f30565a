"""Pools: fixed lists of agents in files."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np

from diamant_env.agent import Agent
from diamant_env.batch import Batch
from diamant_env.editions import Edition
from diamant_env.observation import Observations
from diamant_env.opponents.registry import DATA, POOL_NAMES, make
from diamant_env.storage.files import nearest

POOLS = ("pool", "held_out")
"""Pools for evaluation: one for development, one held out."""


def pool_path(name: str | Path) -> Path:
    """Return the path of a pool: a shipped one by its name (with - or _), or the given path."""
    return Path(name) if str(name).endswith(".toml") else DATA / f"{str(name).replace('-', '_')}.toml"


def load_pool(name: str | Path) -> list[str]:
    """Return the agents of a pool, as texts that `diamant_env.opponents.make` takes.

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
    texts = content.get("agents")
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"pool {path}: `agents` must be a list of at least one text, not {texts!r}")
    seen: dict[str, str] = {}
    for text in texts:
        try:
            made = str(make(text, importing=False))
        except ValueError as error:
            raise ValueError(f"pool {path}: {error}") from None
        if made in seen:
            raise ValueError(f"pool {path}: {text!r} and {seen[made]!r} are the same agent")
        seen[made] = text
    return texts


def pool_members(pool: str, players: int, *editions: str | Edition) -> tuple[list[str], list[str]]:
    """Return the names of a pool's members that can play the editions, and of those that can't.

    Raises:
        ValueError: If there is no such pool.
    """
    names = [str(make(agent)) for agent in load_pool(pool)]
    able = [name for name in names if all(_can_play(name, players, edition) for edition in editions)]
    return able, [name for name in names if name not in able]


def check_able(agent: Agent, players: int, edition: str | Edition) -> None:
    """Check that an agent supports a table by its first decisions.

    Raises:
        ValueError: If it does not, such as one that reads hidden chests.
    """
    batch = Batch(1, players, edition)
    agent.act(Observations(batch.reset(0)[0], batch.editions[0]), np.ones(players, bool))


def is_pool(text: str) -> bool:
    """Return whether a text names a pool."""
    return text.endswith(".toml") or text.replace("_", "-") in POOL_NAMES


def _can_play(name: str, players: int, edition: str | Edition) -> bool:
    try:
        check_able(make(name), players, edition)
    except ValueError:
        return False
    return True
