"""The file of a finished run: what it must have to be on the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from diamant_env.storage.reading import parse_json

RESULT = "result.json"


def read_result(path: Path) -> dict[str, Any] | None:
    """Return the figures in a run's file, None if it is not there or damaged."""
    try:
        found = parse_json(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return None
    return found if is_result(found) else None


def is_result(found: Any) -> bool:
    """Return whether this is what the file of a run has."""
    try:
        read = _Result.model_validate(found)
    except ValidationError:
        return False
    return bool(read.measures.model_fields_set)


class _Part(BaseModel):
    """What a run's file must have, beside what other versions may have added."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class _Figure(_Part):
    mean: float
    low: float | None = None
    high: float | None = None


class _Strangers(_Part):
    win: _Figure | float
    score: _Figure | float


class _Gain(_Part):
    at_least: _Figure | float


class _Exact(_Part):
    exploitability: float
    nash_conv: float
    value: float


class _Refused(_Part):
    refused: str


class _Point(_Part):
    decisions: int
    nash_conv: float


class _Measures(_Part):
    held_out: _Strangers | None = None
    gain: _Gain | None = None
    exact: _Exact | _Refused | None = None
    curve: list[_Point] = []
    score: _Figure | float | None = None


class _Result(_Part):
    task: str = Field(pattern=r"^[\w-]+$")
    family: str
    algorithm: str
    kind: str
    seed: int = Field(ge=0)
    budget: int
    decisions: int
    train_cpu_seconds: float
    measure_cpu_seconds: float
    measures: _Measures
