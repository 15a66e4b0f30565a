"""Generator of parts of the pages: ``python docs/update.py``; a test asserts that none is stale.

A generated part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``. `game_parts.py` and
`measured_parts.py` have a function for each.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # where `train` is

import game_parts  # noqa: E402
import measured_parts  # noqa: E402

from diamant_env.storage.files import write_whole  # noqa: E402

PART = re.compile(r"<!-- generated: (?P<name>[\w-]+) -->\n.*?<!-- end -->", re.DOTALL)
PARTS = game_parts.PARTS | measured_parts.PARTS
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def updated(text: str) -> str:
    """Return a page with all its generated parts rewritten."""
    return PART.sub(lambda part: f"<!-- generated: {part['name']} -->\n{PARTS[part['name']]()}\n<!-- end -->", text)


if __name__ == "__main__":
    for document in DOCUMENTS:
        write_whole(document, updated(document.read_text(encoding="utf-8")))
