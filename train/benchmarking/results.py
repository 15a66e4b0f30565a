"""Schema of a benchmark run's result, which is written and read by it alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from diamant_env.storage.reading import parse_json
from diamant_env.storage.results import save_json, to_json

RESULT = "result.json"


class _Part(BaseModel):
    """What must be there, beside what other versions may have added."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False, extra="allow")


class Figure(_Part):
    """A mean with its 95 % interval; bounds are None where one table was played."""

    mean: float
    low: float | None = None
    high: float | None = None


class Strangers(_Part):
    """Win share and score at tables of held-out agents."""

    win: Figure | float
    score: Figure | float


class Gain(_Part):
    """What the strongest responder gains, with an interval for all together."""

    at_least: Figure | float


class Exact(_Part):
    """What one deviator gains, the sum over the seats, and the score among copies, in gems."""

    exploitability: float
    nash_conv: float
    value: float


class Refused(_Part):
    """Why an agent is not solved."""

    refused: str


class Point(_Part):
    """NashConv, or by the task wins from strangers or the score, after so many decisions."""

    decisions: int
    nash_conv: float | None = None
    win: float | None = None
    score: float | None = None


class Measures(_Part):
    """All figures of an agent that a task has."""

    held_out: Strangers | None = None
    gain: Gain | None = None
    exact: Exact | Refused | None = None
    curve: list[Point] = []
    score: Figure | float | None = None

    @field_validator("*")
    @classmethod
    def _known(cls, value: Any) -> Any:
        """Refuse null: a figure that is not known is left out."""
        if value is None:
            raise ValueError("null")
        return value


class Result(_Part):
    """A finished run: what was played by what, what it took, and what was measured."""

    task: str = Field(pattern=r"^[\w-]+$")
    family: str
    algorithm: str
    kind: str
    seed: int = Field(ge=0)
    version: str = ""
    task_version: int = 1
    digest: str = ""
    package: str = ""
    commit: str = ""
    budget: int
    decisions: int
    train_cpu_seconds: float
    measure_cpu_seconds: float
    measures: Measures
    agent: str = ""
    """What a function of one's own found, as `make` takes it."""


def checked_result(found: Any) -> dict[str, Any] | None:
    """Return what is given if it is a result with some figure, else None."""
    try:
        return found if Result.model_validate(found).measures.model_fields_set else None
    except ValidationError:
        return None


def read_result(path: Path) -> dict[str, Any] | None:
    """Return the result in a run's file, None if it is not there or damaged."""
    try:
        return checked_result(parse_json(path.read_text(encoding="utf-8-sig")))
    except (OSError, ValueError):
        return None


def write_result(path: Path, result: dict[str, Any]) -> dict[str, Any]:
    """Write a result and return it as it is read back; ValueError if it is none."""
    found = checked_result(plain := to_json(result))
    if found is None:
        raise ValueError(f"no result of a run: {plain}")
    save_json(found, path)
    return found
