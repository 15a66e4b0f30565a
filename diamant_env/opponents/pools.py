"""Pools: fixed lists of agents in files."""

from __future__ import annotations

from pathlib import Path

from diamant_env.opponents.registry import DATA, make
from diamant_env.storage.reading import parse_toml, read_text

POOLS = ("pool", "held_out")
"""Pools for evaluation: one for development, one held out."""


def pool_path(name: str | Path) -> Path:
    """Return the path of a pool: a shipped one by its name (with - or _), or the given path."""
    return Path(name) if str(name).endswith(".toml") else DATA / f"{str(name).replace('-', '_')}.toml"


def pool_names() -> str:
    """Return the names of the shipped pools, comma-separated."""
    return ", ".join(sorted(file.stem for file in DATA.glob("*.toml")))


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
        raise ValueError(f"no pool {str(name)!r}: there is no file {path}; pools: {pool_names()}, or a path to a .toml")
    try:
        content = parse_toml(read_text(path))
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
