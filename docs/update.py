"""Generator of parts of the pages: ``python docs/update.py``; a test asserts that none is stale.

A generated part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``, in TOML and YAML between
``# generated: NAME`` and ``# end``. The modules `*_parts.py` have a function for each.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # where `train` is

import game_parts  # noqa: E402
import measured_parts  # noqa: E402
import project_parts  # noqa: E402

from diamant_env.storage.files import write_whole  # noqa: E402

PART = re.compile(
    r"^(?P<open><!-- |# )generated: (?P<name>[\w-]+)(?P<close> -->|)\n.*?^(?P=open)end(?P=close)$",
    re.DOTALL | re.MULTILINE,
)
PARTS = game_parts.PARTS | measured_parts.PARTS | project_parts.PARTS
DOCUMENTS = [ROOT / name for name in ("README.md", "pyproject.toml", "CITATION.cff", "docs/llms.txt")]
DOCUMENTS += sorted((ROOT / "docs").glob("*.md"))


def updated(text: str) -> str:
    """Return a page with all its generated parts rewritten."""
    return PART.sub(_fresh, text)


def _fresh(part: re.Match[str]) -> str:
    first, name, last = part["open"], part["name"], part["close"]
    return "\n".join(filter(None, [f"{first}generated: {name}{last}", PARTS[name](), f"{first}end{last}"]))


if __name__ == "__main__":
    for document in DOCUMENTS:
        write_whole(document, updated(document.read_text(encoding="utf-8")))
