"""Keep of a command's results what the pages show: ``python docs/keep.py NAME RESULTS.json [RESULTS.json …]``.

It writes docs/measured/NAME.json, from which `measured_parts.py` makes the tables. Several results become a list.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

MEASURED = Path(__file__).with_name("measured")
# Keys that no page shows, wherever they stand; so are empty values everywhere.
DROPPED = {
    "exact": {"NashConv", "error"},
    "validation": {"seconds"},
    "response": {"config", "payoff", "agent", "edition", "reward", "weak", "more", "seconds"},
    "ceiling": {"about", "config", "intruders", "intruder_games", "strongest_intruders", "seeds", "responses", "pool"},
}
LONG = ("benchmark", "line-ups")
UNRELATED = {"diamant-env", "scipy", "openskill"}  # versions that no figure depends on


def kept(content: Any, dropped: set[str]) -> Any:
    """Return the content without these keys, with nine significant digits."""
    if isinstance(content, dict):
        rest = {key: kept(value, dropped) for key, value in content.items() if key not in dropped}
        rest = {key: value for key, value in rest.items() if value not in (None, "", [], {})}
        return rest["mean"] if set(rest) == {"mean"} else rest
    if isinstance(content, list):
        return [value for value in (kept(value, dropped) for value in content) if value is not None]
    return float(f"{content:.9g}") if isinstance(content, float) else content


def main(name: str, *files: str) -> None:
    """Write what is kept of these results."""
    found = [
        kept(json.loads(Path(file).read_text(encoding="utf-8")), UNRELATED | DROPPED.get(name, set())) for file in files
    ]
    text = json.dumps(found if len(found) > 1 else found[0], ensure_ascii=False, indent=1)
    # What is inside no other and fits a line stands in one, and so does each run of hundreds.
    folded = [r"[\[{][^\[\]{}]{,120}[\]}]"] + [r"(?ms)^  \{$.*?^  \}"] * (name in LONG)
    for pattern in folded:
        text = re.sub(pattern, lambda part: " ".join(part[0].split()), text)
    (MEASURED / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
