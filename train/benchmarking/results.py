"""Schema of a benchmark run's result file, which marks the run as finished."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from diamant_env.storage.reading import parse_json
from diamant_env.storage.results import save_json, to_json

RESULT = "result.json"


class Result(BaseModel):
    """Finished run: task, algorithm, cost and figures; additional keys of other versions are kept."""

    model_config = ConfigDict(strict=True, extra="allow")

    task: str = Field(pattern=r"^[\w-]+$")
    family: str
    algorithm: str
    kind: str
    seed: int = Field(ge=0)
    budget: int
    decisions: int
    train_cpu_seconds: float
    measure_cpu_seconds: float
    measures: dict[str, Any] = Field(min_length=1)
    """By the task: `score` alone; `held_out`, win share and score among strangers; `gain` of the strongest responder;
    `exact`: exploitability, NashConv and value in gems, or the reason in `refused`; `curve`. A figure is a number or a
    mean with its 95 % interval, null for a single table."""
    version: str = ""
    """Digest of a custom algorithm's file."""
    task_version: int = 1
    digest: str = ""
    """Digest of the task's games."""
    package: str = ""
    commit: str = ""


def checked_result(found: Any) -> dict[str, Any] | None:
    """Return a valid result, else None."""
    try:
        Result.model_validate(found)
    except ValidationError:
        return None
    return found


def read_result(path: Path) -> dict[str, Any] | None:
    """Return the result in a run's file, or None if it is missing or damaged."""
    try:
        return checked_result(parse_json(path.read_text(encoding="utf-8-sig")))
    except (OSError, ValueError):
        return None


def write_result(path: Path, result: dict[str, Any]) -> dict[str, Any]:
    """Write a result and return it as read back; raise a ValueError if it is invalid."""
    found = checked_result(plain := to_json(result))
    if found is None:
        raise ValueError(f"no result of a run: {plain}")
    save_json(found, path)
    return found
