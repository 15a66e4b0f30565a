"""Pieces of Markdown that the generated parts share."""

from __future__ import annotations


def table(header: list[str], rows: list[list[object]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def interval(estimate: dict[str, float]) -> str:
    """A mean with its 95 % interval."""
    return "{mean:.3f} ({low:.3f} to {high:.3f})".format(**estimate)
