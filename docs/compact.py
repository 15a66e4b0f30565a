"""Compact copy of results for the pages: ``python docs/compact.py FOLDER/NAME.json`` writes docs/measured/NAME.json.

Results of the benchmark at another budget than the standard one have it in their name. At the standard budget, the
policies of seed 0 are copied to docs/measured/policies.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # where `train` is

from diamant_env.storage.files import write_atomic
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.folder import run_folder
from train.benchmarking.verification import MEASURED, policy_path
from train.runs.run_folder import POLICY

BUDGET = BenchmarkConfig().decisions
DROPPED = {"diamant-env"}  # its version is in every row


def compact(content: Any) -> Any:
    """Return the content without empty values and `DROPPED`, with nine significant digits."""
    if isinstance(content, dict):
        rest = {key: compact(value) for key, value in content.items() if key not in DROPPED}
        rest = {key: value for key, value in rest.items() if value not in (None, "", [], {})}
        return rest["mean"] if set(rest) == {"mean"} else rest
    if isinstance(content, list):
        return [value for value in (compact(value) for value in content) if value is not None]
    return float(f"{content:.9g}") if isinstance(content, float) else content


def unpublishable(content: Any) -> str:
    """Return the reason why results of the benchmark must not be published, or an empty text."""
    changed = {row["commit"] for row in content.get("runs", ()) if row["commit"].endswith("+") or not row["commit"]}
    return f"runs of {', '.join(sorted(changed))}: published runs are of commits without changes (+)" if changed else ""


if __name__ == "__main__":
    results = Path(sys.argv[1])
    content = json.loads(results.read_text(encoding="utf-8"))
    if why := unpublishable(content):
        sys.exit(f"{results}: {why}")
    text = json.dumps(compact(content), ensure_ascii=False, indent=1)
    for pattern in (r"[\[{][^\[\]{}]{,120}[\]}]", r"(?ms)^  \{$.*?^  \}"):  # short values and runs on one line each
        text = re.sub(pattern, lambda part: " ".join(part[0].split()), text)
    name, decisions = results.name, content.get("config", {}).get("decisions", BUDGET)
    if decisions != BUDGET:
        name = f"{results.stem}-{decisions}.json"
    for row in content.get("runs", ()) if decisions == BUDGET else ():
        policy = run_folder(results.parent, row["task"], row["algorithm"], row["seed"]) / POLICY
        if row["seed"] == 0 and policy.is_file():
            write_atomic(policy_path(MEASURED, row["task"], row["algorithm"]), policy.read_bytes())
    Path(__file__).with_name("measured").joinpath(name).write_text(text + "\n", encoding="utf-8", newline="\n")
