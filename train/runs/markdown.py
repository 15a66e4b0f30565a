"""Markdown tables of the generated pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def markdown_table(header: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of ``str(value)``, without a trailing newline."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def escape_markdown(text: str) -> str:
    """Return a text with the characters of HTML and Markdown escaped, in one line."""
    return re.sub(r"[<>&`|\\*\[\]~]", lambda found: f"&#{ord(found[0])};", " ".join(text.split()))


def code(text: str) -> str:
    """Return a text as code, in HTML where a code span can't hold it."""
    return f"<code>{escape_markdown(text)}</code>" if re.search(r"[<>&`|\r\n]", text) else f"`{text}`"
