"""Published policies: NashConv of each policy file against its published figure."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from diamant_env import benchmark
from diamant_env.commands.terminal import print_line
from train.runs.run_folder import machine, read_json, slug

MEASURED = Path(__file__).parents[2] / "docs" / "measured"
TOLERANCE = 1e-6


def policy_path(folder: Path, task: str, algorithm: str) -> Path:
    """Return the published policy of seed 0."""
    return folder / "policies" / slug(task) / f"{slug(algorithm)}.safetensors"


def verify(folder: Path = MEASURED, tasks: Collection[str] = (), algorithms: Collection[str] = ()) -> None:
    """Recompute the NashConv of the policies beside `benchmark.json`, of all or of these; raise if one differs.

    Those of joint decisions, slow as `benchmark.evaluate` says, are only recomputed for tasks that are named.
    """
    rows = [row for row in read_json(folder / "benchmark.json")["runs"] if row["seed"] == 0]
    rows = [row for row in rows if not tasks or row["task"] in tasks]
    rows = [row for row in rows if not algorithms or row["algorithm"] in algorithms]
    here = ", ".join(f"{name} {value}" for name, value in machine(1).items())
    print_line(f"Here: {here}.")
    checked = wrong = 0
    for row in rows:
        path = policy_path(folder, row["task"], row["algorithm"])
        figures = row["measures"].get("exact") or (row["measures"].get("joint") if tasks else None)
        if not (figures and path.is_file()):
            continue
        published = figures["nash_conv"]
        now = benchmark.evaluate(path, row["task"], progress=True).nash_conv
        checked, wrong = checked + 1, wrong + (not abs(now - published) <= TOLERANCE)
        print_line(
            f"{row['task']} {row['algorithm']}: published {published:.9g}, now {now:.9g} ({now - published:+.0e})"
        )
    print_line(f"{checked} policies in {folder / 'policies'}, {wrong} differ by more than {TOLERANCE:g}.")
    if not checked:
        raise ValueError("none of these policies is published")
    if wrong:
        raise ValueError(f"{wrong} of {checked} policies have another NashConv than published")
