"""Agents by a short text, trained policies included."""

from __future__ import annotations

from pathlib import Path

from diamant_env import opponents
from diamant_env.opponents.network import NetworkAgent

POLICY_FILE = "policy.safetensors"


def make(text: str, seed: int = 0) -> opponents.Agent:
    """Return the agent that a text names.

    Args:
        text: What `diamant_env.opponents.make` takes, such as ``"bag:18"``; or a trained policy: a path that ends in
            ``.safetensors``, or the folder of a run that has a ``policy.safetensors``.
        seed: See `diamant_env.opponents.make`.

    Raises:
        ValueError: If the text names neither; the message says what is allowed.
    """
    path = _policy_file(text)
    if path is None:
        return opponents.make(text, seed)
    if not path.is_file():
        raise ValueError(f"no trained policy {text!r}: there is no file {path}")
    agent = NetworkAgent.load(path)
    agent.name = str(Path(text))  # the folder, where that was named
    return agent


def _policy_file(text: str) -> Path | None:
    """Return the file of the trained policy that a text names, or None where it names a scripted agent."""
    if not text.strip() or text.partition(":")[0] in (*opponents.FAMILIES, *opponents.SOLVED):
        return None
    path = Path(text)
    if path.suffix == ".safetensors":
        return path
    return path / POLICY_FILE if path.is_dir() else None
