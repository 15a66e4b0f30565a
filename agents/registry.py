"""Agents by a short text, trained policies and search included."""

from __future__ import annotations

from pathlib import Path

from agents.search import PREFIX, SearchAgent, parse
from diamant_env import opponents
from diamant_env.opponents.network import NetworkAgent

POLICY_FILE = "policy.safetensors"
SHIPPED = {file.stem: file for file in sorted((Path(__file__).parent / "policies").glob("*.safetensors"))}
"""The trained policies that come with this repository, by name."""


def make(text: str, seed: int = 0) -> opponents.Agent:
    """Return the agent that a text names.

    Args:
        text: What `diamant_env.opponents.make` takes, such as ``"bag:18"``; a trained policy: the name of a shipped
            one (``"champion"``), a path that ends in ``.safetensors``, or the folder of a run that has a
            ``policy.safetensors``; or ``"search:"`` before any of these, see `agents.search.parse`.
        seed: See `diamant_env.opponents.make`; also that of a search's roll-outs.

    Raises:
        ValueError: If the text names none; the message says what is allowed.
    """
    text = text.strip()
    if text.startswith(PREFIX):
        budget, base = parse(text)
        return SearchAgent(make(base, seed), budget, seed)
    path = _policy_file(text)
    if path is None:
        return _scripted(text, seed)
    if not path.is_file():
        raise ValueError(f"no trained policy {text!r}: there is no file {path}")
    agent = NetworkAgent.load(path)
    agent.name = text if text in SHIPPED else str(Path(text))  # the folder, where that was named
    return agent


def _scripted(text: str, seed: int) -> opponents.Agent:
    try:
        return opponents.make(text, seed)
    except ValueError as error:
        if not str(error).startswith("unknown agent"):
            raise
        others = "; ".join([*SHIPPED, f"{PREFIX}AGENT", "the file or the run folder of a trained policy"])
        raise ValueError(f"{error}; {others}") from None


def _policy_file(text: str) -> Path | None:
    """Return the file of the trained policy that a text names, or None where it names a scripted agent."""
    if not text or text.partition(":")[0] in (*opponents.FAMILIES, *opponents.SOLVED):
        return None
    if text in SHIPPED:
        return SHIPPED[text]
    path = Path(text)
    if path.suffix == ".safetensors":
        return path
    return path / POLICY_FILE if path.is_dir() else None
