"""Schema of a benchmark run's result file, which marks the run as finished."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from diamant_env.storage.reading import parse_json
from diamant_env.storage.results import save_json, to_json
from train.benchmarking.suite import Family

RESULT = "result.json"


class _Part(BaseModel):
    """Model that keeps additional keys of other versions."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False, extra="allow")


class Figure(_Part):
    """Mean with its 95 % interval; bounds are None for a single table."""

    mean: float
    low: float | None = None
    high: float | None = None


class Gain(_Part):
    """Gain of the strongest responder, with a simultaneous interval for all responders."""

    at_least: Figure | float
    no_values: str = ""
    """Reason why the agent meets no value iteration, where others do."""


class Measures(_Part):
    """Figures of an agent, by its task."""

    held_out: dict[str, Figure | float] | None = None
    """Win share and score at tables of held-out agents."""
    gain: Gain | None = None
    exact: dict[str, float | str] | None = None
    """`exploitability`, `nash_conv` and `value` in units of the reward, or the reason in `refused`."""
    curve: list[dict[str, float]] = []
    """`decisions`, and by the task `nash_conv`, `win` or `score`."""
    score: Figure | float | None = None


class Result(_Part):
    """Finished run: task, algorithm, cost and figures."""

    task: str = Field(pattern=r"^[\w-]+$")
    family: Family
    algorithm: str
    kind: str
    seed: int = Field(ge=0)
    budget: int
    decisions: int
    train_cpu_seconds: float
    measure_cpu_seconds: float
    measures: Measures
    version: str = ""
    """Digest of a custom algorithm's file."""
    task_version: int = 1
    digest: str = ""
    """Digest of the task's games."""
    package: str = ""
    commit: str = ""
    processor: str = ""
    instruction_set: str = ""
    threads: int | None = None


def checked_result(found: Any) -> dict[str, Any] | None:
    """Return a valid result with at least one figure, else None."""
    try:
        return found if Result.model_validate(found).measures.model_fields_set else None
    except ValidationError:
        return None


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
